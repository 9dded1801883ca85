import { MAX_KEYS_PER_USER } from '#accounts/keys/api-key';
import type { ProblemCode } from '#core/problems';
import { MAX_BROADCAST_BYTES } from '#node/broadcast';
import { MAX_DISCARDED } from '#server/connections/request-body';
import { STREAM_LIMITS } from '#server/replies/open-streams';

const BROADCAST_KB = MAX_BROADCAST_BYTES / 1024;
type Advice = { cause: string; remedy: string };

/** Advice for the problem page and for the examples in the OpenAPI document. */
export const ADVICE: Readonly<Record<ProblemCode, Advice>> = {
  invalid_request: {
    cause:
      'A parameter is missing, malformed or out of range, or the request is not valid HTTP. The response does not repeat the submitted value.',
    remedy:
      'Correct the input that each entry in `errors` describes. `message` states the error, and `fix` states the expected input.',
  },
  secret_in_request: {
    cause: 'The request contains a `mnemonic` parameter. URLs are stored in logs and browser histories.',
    remedy: 'Never put a seed phrase in a URL. Treat the seed phrase as compromised, and move its funds.',
  },
  token_invalid: {
    cause:
      'The one-time code from the email, or the ticket of a stream, is unknown, expired or already used. The response does not reveal the exact cause.',
    remedy:
      'Copy the whole code from the latest email, or request another email. Request a new ticket for each stream.',
  },
  api_key_missing: {
    cause: 'The endpoint requires an API key. The request does not contain one.',
    remedy:
      'Send your API key in the `X-API-KEY` or `Authorization` header. Only `GET /v1/user/data` accepts a key in the URL.',
  },
  api_key_invalid: {
    cause: 'The key is unknown. It may be mistyped or incomplete, or belong to another service.',
    remedy: 'Check the key for typos, or register for a new key.',
  },
  api_key_expired: {
    cause: 'The plan expired at `validUntil`, or the key expired at its own `expiresAt`.',
    remedy:
      'If the plan expired, renew it with the owner key. If the key expired at its own `expiresAt`, create a new key.',
  },
  api_key_revoked: {
    cause:
      'The key was revoked or replaced, or the user was deleted. After a replacement, the old key can read data until its grace period ends.',
    remedy: 'Use the new key, or register again. A revoked key cannot be restored.',
  },
  admin_token_invalid: {
    cause:
      'The request to the operator API has no token, or another one than `ADMIN_TOKEN`. API keys are not accepted.',
    remedy: 'Send the value of `ADMIN_TOKEN` as the Bearer token in Authorization.',
  },
  account_suspended: {
    cause: 'The operator has suspended the user. `detail` contains the reason.',
    remedy:
      'Contact the operator of this service. Until the user is resumed, only `GET /v1/user/data` and `GET /v1/user/usage` respond.',
  },
  cross_site: {
    cause:
      'A web page from another site tried to register a user or recover a key. The origin of the page is not in `CORS_ORIGINS`.',
    remedy: 'Send the request from your own server, or ask the operator to allow the origin of the page.',
  },
  registration_closed: {
    cause: 'Registration is closed. Only the operator can create users.',
    remedy: 'Ask the operator of this service for a key.',
  },
  scope_missing: {
    cause:
      'The key does not have the scope that the endpoint requires. The member `scope` contains the required scope.',
    remedy:
      'Use a key with the required scope, or use the owner key. The owner key has all scopes and can create other keys.',
  },
  origin_not_allowed: {
    cause:
      "The key can be used only by web pages of the origins in its `allowedOrigins`. The request's `Origin` is another one or is missing, as it is from programs.",
    remedy:
      "Use another key for programs. To use the key on another page, add the page's origin with the owner key: `PATCH /v1/user/keys/{id}`.",
  },
  not_found: {
    cause:
      'The path does not exist, or the user has no key with this ID. For a resource that the node does not find, the code is `node_rejected` instead.',
    remedy: 'Compare the path with the API reference.',
  },
  no_data: {
    cause:
      'The requested period contains no data: the token was not listed yet, the period has no sample, or no source provides the interval for that time.',
    remedy:
      'Request other dates or a longer `interval`. `GET /v1/tokens` returns the first date of each interval in `available`. `gaps` lists the missing periods.',
  },
  method_not_allowed: {
    cause: 'The path does not support this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  not_acceptable: {
    cause: 'The endpoint does not provide the format in `Accept` or `format`. Only history endpoints provide CSV.',
    remedy: 'Request a media type that the endpoint provides, such as `application/json`.',
  },
  request_timeout: {
    cause:
      'The request arrived too slowly. The limits are 30 s for the request line and headers, 60 s for the body, and at least 1 KB of the body per second.',
    remedy: 'Send the request again without pauses.',
  },
  renew_too_early: {
    cause: 'The plan has already been renewed one period ahead.',
    remedy: 'Renew the plan when at most one period is left until `validUntil`.',
  },
  too_many_keys: {
    cause: `The user already has ${MAX_KEYS_PER_USER} active keys. Replaced keys count until their grace period ends.`,
    remedy: 'Delete an unused key, or wait until the grace period of a replaced key ends.',
  },
  last_owner_key: {
    cause: 'The key is the only owner key of the user. The account cannot be managed without an owner key.',
    remedy: 'Replace the key with `POST /v1/user/rotate`, or delete the user.',
  },
  webhook_not_set: {
    cause: 'The user has no webhook URL. It was never set, was removed, or the receiver turned it off with status 410.',
    remedy: 'Set `webhookUrl` with `PUT /v1/user/notices`.',
  },
  user_erased: {
    cause: 'The operator API cannot change a user who was erased.',
    remedy: 'Register a new user.',
  },
  message_not_retryable: {
    cause: 'The message was given up, and its address was removed.',
    remedy: 'Ask the user to request another email.',
  },
  body_too_large: {
    cause: `The body is too large, or it arrived in thousands of chunks. The limit is ${BROADCAST_KB} KB for a broadcast, and ${MAX_DISCARDED / 1024 ** 2} MB for endpoints that ignore the body.`,
    remedy: `Send a body only to endpoints that require one. The maximum size of a broadcast is ${BROADCAST_KB} KB.`,
  },
  uri_too_long: { cause: 'The URI or a segment of its path is too long.', remedy: 'Shorten the URI to at most 8 KB.' },
  unsupported_media_type: {
    cause: 'The endpoint does not accept a body of this `Content-Type`.',
    remedy: 'Send the body in a media type that the endpoint accepts.',
  },
  node_rejected: {
    cause: 'The node rejected the request. If the node responded with a 4xx status, the response has the same status.',
    remedy: "Read the node's message in `error`, and correct the request.",
  },
  quota_exceeded: {
    cause:
      'The request costs more calls than remain in the current period. Another process of the service may have reserved the last calls.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, or request fewer tokens in one call. The next period starts at `resetsAt` in `GET /v1/user/usage`.',
  },
  key_limit_exceeded: {
    cause:
      'The key has used the calls that its `dailyLimit` allows per UTC day, or fewer calls remain than the request costs.',
    remedy:
      'Wait for the number of seconds in Retry-After, use another key, or change the limit with the owner key. `GET /v1/user/usage?by=key` returns the calls of each key.',
  },
  rate_limited: {
    cause:
      'Too many requests were sent in a short time. Separate limits apply to the requests of a user, to emails for one address, and to registrations, recoveries and unknown keys from one client address.',
    remedy: 'Wait for the number of seconds in `Retry-After`, and spread the requests over time.',
  },
  too_many_streams: {
    cause: `The user has ${STREAM_LIMITS.perUser} open price streams on the process of the service that received the request, over all keys.`,
    remedy: 'Close a stream. A stream can contain up to 100 tokens.',
  },
  headers_too_large: {
    cause: 'The headers exceed 16 KB in total.',
    remedy: 'Reduce the headers to at most 16 KB. Large cookies are a common cause.',
  },
  internal_error: {
    cause:
      'An unexpected error occurred in the service. For details, the operator can search the log for the `requestId`.',
    remedy: 'Try again later. If the error persists, send the operator the `requestId`.',
  },
  upstream_invalid: {
    cause:
      'An upstream returned an invalid response, and no stored data is available. The upstream is a data source or the node.',
    remedy: 'Try again later.',
  },
  upstream_unavailable: {
    cause: 'An upstream is unavailable, and no stored data is available. The upstream is a data source or the node.',
    remedy:
      'Wait for the number of seconds in `Retry-After`, and try again. If the response contains `gaps`, request a period outside these gaps.',
  },
  node_not_configured: {
    cause: 'This service has no node configured.',
    remedy: 'Ask the operator of this service to configure NODE_URLS.',
  },
  mail_not_configured: {
    cause: 'The endpoint requires email, but this service has no mail server configured.',
    remedy: 'Ask the operator of this service to create a key for you or to configure SMTP_URL.',
  },
  database_unavailable: {
    cause: 'The request requires the database, but the database is unavailable.',
    remedy: 'Wait for the number of seconds in `Retry-After`, and try again.',
  },
  overloaded: {
    cause:
      'The process is stopping or has too many requests in progress. A user can have up to four concurrent node calls.',
    remedy: 'Wait until your own calls have completed and for the number of seconds in `Retry-After`. Then try again.',
  },
  upstream_timeout: {
    cause:
      'An upstream did not respond in time, and no stored data is available. The upstream is a data source or the node.',
    remedy:
      'Try again later. If the response contains `txhash`, the node may have accepted the transaction. Look up this hash before you send the transaction again.',
  },
};
