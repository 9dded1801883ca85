import { MAX_KEYS_PER_USER } from '#accounts/keys/api-key';
import type { ProblemCode } from '#core/problems';
import { MAX_BROADCAST_BYTES } from '#node/broadcast';
import { MAX_DISCARDED } from '#server/connections/request-body';

const BROADCAST_KB = MAX_BROADCAST_BYTES / 1024;
type Advice = { cause: string; remedy: string };

/** For the problem page and the examples in the OpenAPI document. */
export const ADVICE: Readonly<Record<ProblemCode, Advice>> = {
  invalid_request: {
    cause:
      'A parameter is missing, malformed or out of range, or the request is not valid HTTP. The response never repeats the submitted value.',
    remedy: 'Correct the input for each entry in `errors`, which states what is wrong and what is expected.',
  },
  secret_in_request: {
    cause: 'The request contains a `mnemonic` parameter. URLs are stored in logs and browser histories.',
    remedy: 'Never put a seed phrase into a URL. Treat this one as compromised, and move its funds.',
  },
  token_invalid: {
    cause:
      'The one-time code from the email has been used, has expired or is unknown. The response does not reveal which.',
    remedy: 'Copy the whole code from the most recent email, or request another email.',
  },
  api_key_missing: {
    cause: 'The endpoint requires an API key, and the request contains none.',
    remedy:
      'Send your API key in the header X-API-KEY or in Authorization. Only `GET /v1/user/data` accepts a key in the URL.',
  },
  api_key_invalid: {
    cause: 'The key is unknown. It may be mistyped or truncated, or belong to another service.',
    remedy: 'Check the key for typing errors, or register for a new one.',
  },
  api_key_expired: {
    cause: 'The plan expired at `validUntil`, or the key passed its own `expiresAt`.',
    remedy: 'Renew the plan with the owner key. Replace a key that has passed its own `expiresAt` with a new key.',
  },
  api_key_revoked: {
    cause:
      'The key was revoked or replaced, or the user was deleted. A replaced key can read data until its grace period ends.',
    remedy: 'Use the replacement key, or register again. A revoked key cannot be restored.',
  },
  cross_site: {
    cause:
      'A web page from another site tried to register a user or recover a key, and its origin is not in `CORS_ORIGINS`.',
    remedy: 'Send the request from your own server, or ask the operator to allow the origin of the page.',
  },
  registration_closed: {
    cause: 'Registration is closed. Only the operator creates users.',
    remedy: 'Ask the operator of this service for a key.',
  },
  scope_missing: {
    cause: 'The key does not have the scope that the endpoint requires. `scope` names this scope.',
    remedy:
      'Use a key with this scope, or the owner key, which has all scopes. With the owner key, you can create other keys.',
  },
  not_found: {
    cause:
      'The path does not exist, or the user has no key with this ID. If the node does not find a resource, the code is `node_rejected`.',
    remedy: 'Compare the path with the API reference.',
  },
  no_data: {
    cause:
      'The token was not listed yet, the requested period contains no sample, or no source provides this interval that far back.',
    remedy:
      'Request other dates or a coarser `interval`. In `GET /v1/tokens`, `available` contains the first date of each interval, for prices and for candles. `gaps` lists the missing periods.',
  },
  method_not_allowed: {
    cause: 'The path exists, but does not support this method.',
    remedy: 'Use one of the methods in the header Allow.',
  },
  not_acceptable: {
    cause: 'The endpoint does not provide the format in `Accept` or `format`. Only history endpoints provide CSV.',
    remedy: 'Request a media type that the endpoint provides, such as application/json.',
  },
  request_timeout: {
    cause:
      'The request head was not complete within 30 s, the body was not complete within 60 s, or the body arrived at less than 1 KB per second.',
    remedy: 'Send the request again, without pauses.',
  },
  renew_too_early: {
    cause: 'The plan has already been renewed one period ahead.',
    remedy: 'Renew when at most one plan period remains until `validUntil`.',
  },
  too_many_keys: {
    cause: `The user has ${MAX_KEYS_PER_USER} active keys, including replaced keys in their grace period.`,
    remedy: 'Delete an unused key, or wait until the grace period of a replaced key ends.',
  },
  last_owner_key: {
    cause: 'The key is the only owner key of the user. Without it, the account could no longer be managed.',
    remedy: 'Rotate the key to replace it, or delete the user.',
  },
  body_too_large: {
    cause: `The body is larger than ${MAX_DISCARDED / 1024 ** 2} MB, exceeds the limit of an endpoint that reads it (${BROADCAST_KB} KB for a broadcast), or arrived in thousands of chunks.`,
    remedy: `Send a body only to endpoints that read it. A broadcast may be at most ${BROADCAST_KB} KB.`,
  },
  uri_too_long: { cause: 'The URI, or a segment of its path, is too long.', remedy: 'Shorten the URI to 8 KB.' },
  unsupported_media_type: {
    cause: 'The endpoint does not accept a body of this `Content-Type`.',
    remedy: 'Send the body in a media type that the endpoint accepts.',
  },
  node_rejected: {
    cause: "A node rejected the request. If the node's status is a client error, the response has the same status.",
    remedy: "Read the node's message in `error`, and correct the request.",
  },
  quota_exceeded: {
    cause:
      'All calls in the current period are used, or reserved by another process of the service, or fewer calls remain than the request costs.',
    remedy: 'Wait for the number of seconds in Retry-After, or request fewer tokens in one call.',
  },
  rate_limited: {
    cause:
      'The user sent too many requests per second (over all keys), one client address sent too many registrations, recoveries or requests with unknown keys, or too many emails were requested for one address.',
    remedy: 'Wait for the number of seconds in Retry-After, and spread the requests over time.',
  },
  headers_too_large: {
    cause: 'The headers exceed 16 KB in total.',
    remedy: 'Reduce the headers to 16 KB. Cookies are a common cause.',
  },
  internal_error: {
    cause: 'The service encountered an unexpected error. The response contains no details except `requestId`.',
    remedy: 'Try again later. If the error persists, send the operator the `requestId`.',
  },
  upstream_invalid: {
    cause:
      'The upstream (the source of prices or statistics, or the node) returned an invalid response, and no stored data is available.',
    remedy: 'Try again later.',
  },
  upstream_unavailable: {
    cause:
      'The upstream (the source of prices or statistics, or the node) is unavailable, and no stored data is available.',
    remedy:
      'Wait for the number of seconds in Retry-After. If the response contains `gaps`, the service cannot fetch data for these periods.',
  },
  node_not_configured: {
    cause: 'This service has no node configured.',
    remedy: 'Ask the operator of this service to configure NODE_URLS.',
  },
  mail_not_configured: {
    cause: 'The endpoint requires email, and this service has no mail server configured.',
    remedy: 'Ask the operator of this service to create a new key or to configure SMTP_URL.',
  },
  database_unavailable: {
    cause: 'The database is unavailable, and the request requires it.',
    remedy: 'Wait for the number of seconds in Retry-After.',
  },
  overloaded: {
    cause:
      'The process is stopping, too many unknown keys or request bodies arrived at the same time, or the user made more than four concurrent node calls.',
    remedy: 'Wait for the number of seconds in Retry-After, and until your own calls have completed.',
  },
  upstream_timeout: {
    cause:
      'The upstream (the source of prices or statistics, or the node) did not respond in time, and no stored data is available.',
    remedy:
      'Try again later. If the response contains `txhash`, the transaction was sent and may have been accepted: look up its hash before you send it again.',
  },
};
