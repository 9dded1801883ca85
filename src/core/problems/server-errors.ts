import type { ProblemFacts } from './client-errors.ts';

/** Problems of the service and its upstreams. Clients may rely on the codes. */
export const SERVER_ERRORS = {
  internal_error: [
    500,
    'Internal error',
    'An unexpected error occurred in the service. For details, the operator can search the log for the `requestId`.',
    'Try again later. If the error persists, send the operator the `requestId`.',
  ],
  upstream_invalid: [
    502,
    'Invalid upstream response',
    'An upstream returned an invalid response, and no stored data is available. The upstream is a data source or the node.',
    'Try again later.',
  ],
  upstream_unavailable: [
    503,
    'Upstream unavailable',
    'An upstream is unavailable, and no stored data is available. The upstream is a data source or the node.',
    'Wait for the number of seconds in `Retry-After`, and try again. If the response contains `gaps`, request a period outside these gaps.',
  ],
  node_not_configured: [
    503,
    'Node not configured',
    'This service has no node configured.',
    'Ask the operator of this service to configure NODE_URLS.',
  ],
  mail_not_configured: [
    503,
    'Email not configured',
    'The endpoint requires email, but this service has no mail server configured.',
    'Ask the operator of this service to create a key for you or to configure SMTP_URL.',
  ],
  database_unavailable: [
    503,
    'Database unavailable',
    'The request requires the database, but the database is unavailable.',
    'Wait for the number of seconds in `Retry-After`, and try again.',
  ],
  overloaded: [
    503,
    'Service overloaded',
    'The process is stopping or has too many requests in progress. A user can have up to four concurrent node calls.',
    'Wait until your own calls have completed and for the number of seconds in `Retry-After`. Then try again.',
  ],
  upstream_timeout: [
    504,
    'Upstream timeout',
    'An upstream did not respond in time, and no stored data is available. The upstream is a data source or the node.',
    'Try again later. If the response contains `txhash`, the node may have accepted the transaction. Look up this hash before you send the transaction again.',
  ],
} as const satisfies Record<string, ProblemFacts>;
