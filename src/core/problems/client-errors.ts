/**
 * `cause` and `remedy` are Markdown for the documentation. A test compares the limits in these texts with the limits in
 * the code.
 */
export type ProblemFacts = readonly [status: number, title: string, cause: string, remedy: string];

/** Problems of a request. Clients may rely on the codes. */
export const CLIENT_ERRORS = {
  invalid_request: [
    400,
    'Invalid request',
    'A parameter is missing, malformed or out of range, or the request is not valid HTTP. The response does not repeat the submitted value.',
    'Correct the input that each entry in `errors` describes. `message` states the error, and `fix` states the expected input.',
  ],
  secret_in_request: [
    400,
    'Secret in the request',
    'The request contains a `mnemonic` parameter. URLs are stored in logs and browser histories.',
    'Never put a seed phrase in a URL. Treat the seed phrase as compromised, and move its funds.',
  ],
  token_invalid: [
    400,
    'Invalid one-time code',
    'The one-time code from the email, or the ticket of a stream, is unknown, expired or already used. The response does not reveal the exact cause.',
    'Copy the whole code from the latest email, or request another email. Request a new ticket for each stream.',
  ],
  api_key_missing: [
    401,
    'API key required',
    'The endpoint requires an API key. The request does not contain one.',
    'Send your API key in the `X-API-KEY` or `Authorization` header. Clients that cannot send headers use a URL key.',
  ],
  api_key_invalid: [
    401,
    'Unknown API key',
    'The key is unknown. It may be mistyped or incomplete, or belong to another service.',
    'Check the key for typos, or register for a new key.',
  ],
  api_key_expired: [
    401,
    'API key expired',
    'The plan expired at `validUntil`, or the key expired at its own `expiresAt`.',
    'If the plan expired, renew it with the owner key. If the key expired at its own `expiresAt`, create a new key.',
  ],
  api_key_revoked: [
    401,
    'API key revoked',
    'The key was revoked or replaced, or the user was deleted. After a replacement, the old key can read data until its grace period ends.',
    'Use the new key, or register again. A revoked key cannot be restored.',
  ],
  admin_token_invalid: [
    401,
    'Valid admin token required',
    'The request to the operator API has no token, or a token other than `ADMIN_TOKEN`. API keys are not accepted.',
    'Send the value of `ADMIN_TOKEN` as the Bearer token in Authorization.',
  ],
  account_suspended: [
    403,
    'Account suspended',
    'The operator has suspended the user. `detail` contains the reason.',
    'Contact the operator of this service. Until the user is resumed, only `GET /v1/user/data` and `GET /v1/user/usage` respond.',
  ],
  cross_site: [
    403,
    'Cross-site request rejected',
    'A web page from another site tried to register a user or recover a key. The origin of the page is not in `CORS_ORIGINS`.',
    'Send the request from your own server, or ask the operator to allow the origin of the page.',
  ],
  registration_closed: [
    403,
    'Registration closed',
    'Registration is closed. Only the operator can create users.',
    'Ask the operator of this service for a key.',
  ],
  scope_missing: [
    403,
    'Scope missing',
    'The key does not have the scope that the endpoint requires. The member `scope` contains the required scope.',
    'Use a key with the required scope, or use the owner key. The owner key has all scopes and can create other keys.',
  ],
  origin_not_allowed: [
    403,
    'Origin not allowed',
    'The key can be used only by web pages of the origins in its `allowedOrigins`. The `Origin` of the request is a different origin or, as in requests from programs, is missing.',
    "Use another key for programs. To use the key on another page, add the page's origin with the owner key: `PATCH /v1/user/keys/{id}`.",
  ],
  key_not_for_urls: [
    403,
    'Key not for URLs',
    'The path of the URL contains a key that was not created for URLs. URLs are stored in logs and histories.',
    'Send the key in a header, or create a URL key with the owner key: `POST /v1/user/keys?url=true&dailyLimit=…`. If the URL may be stored anywhere, replace the key.',
  ],
  not_found: [
    404,
    'Not found',
    'The path does not exist, or the user has no key with this ID. For a resource that the node does not find, the code is `node_rejected` instead.',
    'Compare the path with the API reference.',
  ],
  no_data: [
    404,
    'No data',
    'The requested period contains no data: the token was not listed yet, the period has no sample, or no source provides the interval for that time.',
    'Request other dates or a longer `interval`. `GET /v1/tokens` returns the first date of each interval in `available`. `gaps` lists the missing periods.',
  ],
  method_not_allowed: [
    405,
    'Method not allowed',
    'The path does not support this method.',
    'Use one of the methods in the `Allow` header.',
  ],
  not_acceptable: [
    406,
    'Not acceptable',
    'The endpoint does not provide the format in `Accept` or `format`. Only history endpoints provide CSV.',
    'Request a media type that the endpoint provides, such as `application/json`.',
  ],
  request_timeout: [
    408,
    'Request timeout',
    'The request arrived too slowly. The limits are 30 s for the request line and headers, 60 s for the body, and at least 1 KB of the body per second.',
    'Send the request again without pauses.',
  ],
  renew_too_early: [
    409,
    'Too early to renew',
    'The plan has already been renewed one period ahead.',
    'Renew the plan when at most one period is left until `validUntil`.',
  ],
  too_many_keys: [
    409,
    'Too many keys',
    'The user already has 20 active keys. Replaced keys count until their grace period ends.',
    'Delete an unused key, or wait until the grace period of a replaced key ends.',
  ],
  last_owner_key: [
    409,
    'Last owner key',
    'The key is the only owner key of the user. The account cannot be managed without an owner key.',
    'Replace the key with `POST /v1/user/rotate`, or delete the user.',
  ],
  webhook_not_set: [
    409,
    'Webhook not set',
    'The user has no webhook URL. It was never set, was removed, or the receiver turned it off with status 410.',
    'Set `webhookUrl` with `PUT /v1/user/notices`.',
  ],
  user_erased: [409, 'User erased', 'The operator API cannot change a user who was erased.', 'Register a new user.'],
  message_not_retryable: [
    409,
    'Message cannot be retried',
    'The service has given up on the message and has removed its address.',
    'Ask the user to request another email.',
  ],
  token_rejected: [
    409,
    'Token change rejected',
    'The operator API cannot add, change or remove the token. `detail` contains the reason, such as a built-in token, an ID that is the symbol of another token, or a pair that the exchange does not trade.',
    'Follow `detail`, or select another token.',
  ],
  body_too_large: [
    413,
    'Body too large',
    'The body is too large, or it arrived in thousands of chunks. The limit is 128 KB for a broadcast, and 1 MB for endpoints that ignore the body.',
    'Send a body only to endpoints that require one. The maximum size of a broadcast is 128 KB.',
  ],
  uri_too_long: [
    414,
    'URI too long',
    'The URI or a segment of its path is too long.',
    'Shorten the URI to at most 8 KB.',
  ],
  unsupported_media_type: [
    415,
    'Unsupported media type',
    'The endpoint does not accept a body of this `Content-Type`.',
    'Send the body in a media type that the endpoint accepts.',
  ],
  node_rejected: [
    400,
    'Rejected by the node',
    'The node rejected the request. If the node responded with a 4xx status, the response has the same status.',
    "Read the node's message in `error`, and correct the request.",
  ],
  quota_exceeded: [
    429,
    'Quota exceeded',
    'The request costs more calls than remain in the current period. Another process of the service may have reserved the last calls.',
    'Wait for the number of seconds in `Retry-After`, or request fewer tokens in one call. The next period starts at `resetsAt` in `GET /v1/user/usage`.',
  ],
  key_limit_exceeded: [
    429,
    'Daily limit of the key exceeded',
    'The key has used the calls that its `dailyLimit` allows per UTC day, or fewer calls remain than the request costs.',
    'Wait for the number of seconds in Retry-After, use another key, or change the limit with the owner key. `GET /v1/user/usage?by=key` returns the calls of each key.',
  ],
  rate_limited: [
    429,
    'Too many requests',
    'Too many requests were sent in a short time. Separate limits apply to the requests of a user, to emails for one address, and to registrations, recoveries and unknown keys from one client address.',
    'Wait for the number of seconds in `Retry-After`, and spread the requests over time.',
  ],
  too_many_streams: [
    429,
    'Too many streams',
    'The user has 10 open price streams on the process of the service that received the request, across all keys.',
    'Close a stream. A stream can contain up to 100 tokens.',
  ],
  headers_too_large: [
    431,
    'Header fields too large',
    'The headers exceed 16 KB in total.',
    'Reduce the headers to at most 16 KB. Large cookies are a common cause.',
  ],
} as const satisfies Record<string, ProblemFacts>;
