/** Codes, statuses and titles of all problems (RFC 9457). Clients may rely on the codes. */
const PROBLEMS = {
  invalid_request: [400, 'Invalid request'],
  secret_in_request: [400, 'Secret in the request'],
  token_invalid: [400, 'Invalid one-time code'],
  api_key_missing: [401, 'API key required'],
  api_key_invalid: [401, 'Unknown API key'],
  api_key_expired: [401, 'API key expired'],
  api_key_revoked: [401, 'API key revoked'],
  admin_token_invalid: [401, 'Valid admin token required'],
  account_suspended: [403, 'Account suspended'],
  cross_site: [403, 'Cross-site request rejected'],
  registration_closed: [403, 'Registration closed'],
  scope_missing: [403, 'Scope missing'],
  origin_not_allowed: [403, 'Origin not allowed'],
  not_found: [404, 'Not found'],
  no_data: [404, 'No data'],
  method_not_allowed: [405, 'Method not allowed'],
  not_acceptable: [406, 'Not acceptable'],
  request_timeout: [408, 'Request timeout'],
  renew_too_early: [409, 'Too early to renew'],
  too_many_keys: [409, 'Too many keys'],
  last_owner_key: [409, 'Last owner key'],
  webhook_not_set: [409, 'Webhook not set'],
  user_erased: [409, 'User erased'],
  message_not_retryable: [409, 'Message cannot be retried'],
  body_too_large: [413, 'Body too large'],
  uri_too_long: [414, 'URI too long'],
  unsupported_media_type: [415, 'Unsupported media type'],
  node_rejected: [400, 'Rejected by the node'],
  quota_exceeded: [429, 'Quota exceeded'],
  key_limit_exceeded: [429, 'Daily limit of the key exceeded'],
  rate_limited: [429, 'Too many requests'],
  too_many_streams: [429, 'Too many streams'],
  headers_too_large: [431, 'Header fields too large'],
  internal_error: [500, 'Internal error'],
  upstream_invalid: [502, 'Invalid upstream response'],
  upstream_unavailable: [503, 'Upstream unavailable'],
  node_not_configured: [503, 'Node not configured'],
  mail_not_configured: [503, 'Email not configured'],
  database_unavailable: [503, 'Database unavailable'],
  overloaded: [503, 'Service overloaded'],
  upstream_timeout: [504, 'Upstream timeout'],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof PROBLEMS;
export const PROBLEM_CODES = Object.keys(PROBLEMS) as ProblemCode[];
export type InputFault = { location: string; message: string; fix: string };

type Extras = {
  /** The cause, which is logged but never sent. */
  cause?: unknown;
  /** Overrides the code's status, for example with the node's own status for `node_rejected`. */
  status?: number;
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

/** A message with `must` already states the accepted input, so `fix` is omitted. */
export const faultText = ({ location, message, fix }: InputFault): string =>
  message.startsWith('must ') ? `${location} ${message}` : `${location} ${message}: ${fix}`;

/** `faults` must not repeat client input, which may be a secret. */
export function invalidRequest(...faults: InputFault[]): Problem {
  const detail = faults.map(faultText).join('; ');
  return new Problem('invalid_request', `${detail}.`, { members: { errors: faults } });
}

export function problemKind(code: ProblemCode): { status: number; title: string } {
  const [status, title] = PROBLEMS[code];
  return { status, title };
}
