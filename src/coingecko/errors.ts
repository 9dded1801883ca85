import { iso } from '#core/clock';
import { maskApiKeys } from '#core/log';
import { Problem, type ProblemCode } from '#core/problems';

/** CoinGecko's codes for invalid keys and plans, whose status is 401. */
const KEY_CODES: Readonly<Record<string, number>> = {
  api_key_missing: 10002,
  api_key_invalid: 10002,
  api_key_expired: 10002,
  api_key_revoked: 10002,
  scope_missing: 10005,
};
/** The statuses of errors with a code, which is the status if `KEY_CODES` has none. */
const CODED = [401, 403, 429];

const BEYOND_REACH = 10012;
/** Every failure of a source has one status, which all clients retry. */
const RETRIED = [502, 503, 504];
/** The `Retry-After` of a failure whose end is unknown, in seconds. */
const RETRY_AFTER = 30;
/** Waiting for these may take days, so the official clients must not wait. */
const NOT_RETRIED: ReadonlySet<ProblemCode> = new Set(['quota_exceeded', 'key_limit_exceeded']);

type ErrorResponse = { status: number; body: object; headers: Record<string, string> };

/** The problem of a time that is older than the sources and the archive reach. */
export const beyondReach = (detail: string): Problem => new Problem('upstream_unavailable', detail, { status: 401 });

/** Converts a problem to CoinGecko's form. `now` is in Unix ms. */
export function coinGeckoError(problem: Problem, now: number): ErrorResponse {
  const { code, message, headers } = problem;
  const withCode = (error_code: number) => ({ timestamp: iso(now), error_code, error_message: maskApiKeys(message) });
  if (code === 'upstream_unavailable' && problem.status === 401)
    return { status: 401, body: { error: { status: withCode(BEYOND_REACH) } }, headers: {} };
  const keyCode = KEY_CODES[code];
  const status = keyCode === undefined ? problem.status : 401;
  if (CODED.includes(status)) {
    const more = { ...(NOT_RETRIED.has(code) && { 'x-should-retry': 'false' }) };
    return { status, body: { status: withCode(keyCode ?? status) }, headers: { ...headers, ...more } };
  }
  if (RETRIED.includes(status))
    return {
      status: 503,
      body: { status: withCode(503) },
      headers: { 'retry-after': String(RETRY_AFTER), ...headers },
    };
  if (status === 500) return { status, body: { status, error: 'Internal Server Error' }, headers };
  return { status, body: { error: maskApiKeys(message) }, headers };
}

const timestamp = '2026-11-27T12:00:00.000Z';
const plain = (description: string, error: string) => ({ description, example: { error } });
const coded = (description: string, error_code: number, error_message: string) => ({
  description,
  example: { status: { timestamp, error_code, error_message } },
});

const BY_STATUS = {
  400: plain('A parameter is malformed or was sent more than once', 'invalid vs_currency'),
  401: coded(
    'No valid key (10002), a key without the scope `prices` (10005), or a date that the sources and the archive do not reach (10012, in `error.status`)',
    10002,
    'The request contains no API key.',
  ),
  403: coded('The user is suspended, or the key cannot be used from this page', 403, 'Account suspended'),
  404: plain('Unknown coin, address or path', 'coin not found'),
  405: plain('The method is not supported', 'The method TRACE is not supported.'),
  406: plain('The path returns only JSON', 'This path returns only application/json.'),
  408: plain('The request arrived too slowly', 'The request was not complete in time.'),
  413: plain('The body is too large', 'The body is too large.'),
  414: plain('The URI is longer than 8 KB', 'The URI is longer than 8192 bytes.'),
  422: plain('A required parameter is missing', 'Missing parameter ids'),
  429: coded(
    'The allowance, the daily limit of the key or the burst limit is exceeded. If the allowance or the daily limit is exceeded, the response has `x-should-retry: false`.',
    429,
    'The request costs more calls than remain.',
  ),
  431: plain('The header fields are larger than 16 KB', 'The header fields are longer than 16384 bytes in total.'),
  500: { description: 'An internal error', example: { status: 500, error: 'Internal Server Error' } },
  503: coded('The source is unavailable, and nothing is stored', 503, 'CoinGecko did not respond in time.'),
} as const;

/** The errors of every path, for the OpenAPI document. */
export const ERRORS = { form: 'coingecko', byStatus: BY_STATUS } as const;
