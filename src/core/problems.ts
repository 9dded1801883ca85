/** Codes, statuses and titles of all problems (RFC 9457). Clients may rely on the codes. */
const PROBLEMS = {
  invalid_request: [400, 'The request is not valid'],
  secret_in_request: [400, 'The request carries a secret'],
  token_invalid: [400, 'The token is not valid'],
  api_key_missing: [401, 'An API key is needed'],
  api_key_invalid: [401, 'The API key is not known'],
  api_key_expired: [401, 'The API key has expired'],
  api_key_revoked: [401, 'The API key was revoked'],
  cross_site: [403, 'Another site may not do this'],
  registration_closed: [403, 'Registration is closed'],
  scope_missing: [403, 'The API key may not be used for this'],
  not_found: [404, 'There is nothing at this path'],
  no_data: [404, 'There is no data for this'],
  method_not_allowed: [405, 'The method is not allowed here'],
  not_acceptable: [406, 'The media type asked for cannot be given'],
  request_timeout: [408, 'The request did not arrive in time'],
  renew_too_early: [409, 'It is too early to renew'],
  too_many_keys: [409, 'The user has too many keys'],
  last_owner_key: [409, 'The user has no other owner key'],
  body_too_large: [413, 'The body is too large'],
  uri_too_long: [414, 'The URI is too long'],
  unsupported_media_type: [415, 'The media type of the body is not supported'],
  node_rejected: [400, 'The node refused the request'],
  quota_exceeded: [429, 'The allowance of this period is spent'],
  rate_limited: [429, 'Too many requests at once'],
  headers_too_large: [431, 'The header fields are too large'],
  internal_error: [500, 'Something went wrong here'],
  upstream_invalid: [502, 'The upstream gave an answer that cannot be used'],
  upstream_unavailable: [503, 'The upstream cannot be reached'],
  node_not_configured: [503, 'No node is configured'],
  mail_not_configured: [503, 'No mail is configured'],
  database_unavailable: [503, 'The database cannot be reached'],
  overloaded: [503, 'The service is overloaded'],
  upstream_timeout: [504, 'The upstream did not answer in time'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];
export type InputFault = { location: string; message: string; fix: string };

type Extras = {
  /** Logged, never shown. */
  cause?: unknown;
  /** Replaces the status of the code: the node's own for `node_rejected`. */
  status?: number;
  /** Seconds. */
  retryAfter?: number;
  headers?: Record<string, string>;
  members?: { errors?: InputFault[]; gaps?: string[]; error?: string; txhash?: string; scope?: string };
};

export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<NonNullable<Extras['members']>>;

  constructor(code: ProblemCode, detail: string, { cause, status, retryAfter, headers, members }: Extras = {}) {
    super(detail, { cause });
    this.code = code;
    this.title = PROBLEMS[code][1];
    this.status = status ?? PROBLEMS[code][0];
    this.headers = {
      ...(this.status === 401 && { 'www-authenticate': 'ApiKey' }),
      ...(retryAfter !== undefined && { 'retry-after': String(Math.max(1, Math.ceil(retryAfter))) }),
      ...headers,
    };
    this.members = members ?? {};
  }
}

/** `faults` must not repeat input, which may be a secret. */
export function invalidRequest(...faults: InputFault[]): Problem {
  const detail = faults.map(({ location, message, fix }) => `${location} ${message}: ${fix}`).join('; ');
  return new Problem('invalid_request', `${detail}.`, { members: { errors: faults } });
}

export function problemKind(code: ProblemCode): { status: number; title: string } {
  const [status, title] = PROBLEMS[code];
  return { status, title };
}
