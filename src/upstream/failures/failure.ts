import { HOUR, MINUTE, SECOND } from '#core/clock';
import { memberNames } from '#core/names';
import { Problem, type ProblemCode } from '#core/problems';

/** Identifies a database failure. Returns undefined for any other error. */
export type IdentifyDatabaseFailure = (error: unknown) => { cause: string; reason: string } | undefined;

type Identity = {
  key: string;
  name: string;
  about: object;
  /** Whether the subject is a dependency, whose recovery is detected. */
  recovers: boolean;
  /** Undefined for a mere consequence, such as a request that is rejected because the database has just failed. */
  cause: string | undefined;
  details: object;
};

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Problem && root.cause !== undefined) root = root.cause;
  return root;
}

const nameOf = (error: unknown): string => {
  const { code, name }: { code?: unknown; name?: unknown } = Object(error);
  return String(code ?? name ?? 'unknown');
};

/** Upstreams in `observed` report their successes. A failure of any other upstream is attributed to `work`. */
export function identifyFailure(
  work: string,
  error: unknown,
  identifyDatabaseFailure: IdentifyDatabaseFailure,
  observed: ReadonlySet<string>,
): Identity {
  const root = rootOf(error);
  const itself = { name: work, about: {}, recovers: false };
  if (root instanceof UpstreamFailure) {
    const { upstream, reason: cause, message } = root;
    const shared = { key: upstream, cause, details: { reason: message } };
    if (!observed.has(upstream)) return { ...itself, ...shared };
    return { ...shared, name: 'upstream', about: { upstream }, recovers: true };
  }
  const database = { key: 'database', name: 'database', about: {}, recovers: true };
  const databaseFailure = identifyDatabaseFailure(root);
  if (databaseFailure)
    return { ...database, cause: databaseFailure.cause, details: { reason: databaseFailure.reason } };
  if (error instanceof Problem && error.code === 'database_unavailable') {
    if (root instanceof Problem) return { ...database, cause: undefined, details: {} };
    return { ...database, cause: nameOf(root), details: { err: root } };
  }
  if (root instanceof Problem) {
    return { ...itself, key: root.code, cause: root.code, details: { reason: root.message } };
  }
  return { ...itself, key: work, cause: nameOf(root), details: { err: root } };
}

/** The causes in logs, metrics and `Cache-Status`, with the problem's code and text. No upstream text is repeated. */
const FAILURES = {
  /** No connection, or the connection broke before the response was complete. */
  unreachable: ['upstream_unavailable', 'is unreachable'],
  timeout: ['upstream_timeout', 'did not respond in time'],
  /** A 429 response, or a body or page with the same meaning. */
  rate_limited: ['upstream_unavailable', 'is limiting the request rate'],
  /** The plan does not cover data of this age. */
  out_of_reach: ['upstream_unavailable', 'does not provide data of this age on the current plan'],
  not_listed: ['upstream_unavailable', 'does not provide this data'],
  /** Any other 3xx or 4xx. */
  refused: ['upstream_unavailable', 'rejected the request'],
  server_error: ['upstream_unavailable', 'returned an internal error'],
  not_json: ['upstream_invalid', 'did not return JSON'],
  unexpected: ['upstream_invalid', 'returned an unexpected response'],
  empty: ['upstream_invalid', 'returned no figures'],
  too_large: ['upstream_invalid', 'returned a response that is too large'],
  /** The newest data is outdated: the upstream responds, but no longer updates its data. */
  stale: ['upstream_invalid', 'returned only outdated figures'],
  /** The upstream was not called because its circuit is open. This name is public (metrics, `Cache-Status`). */
  resting: ['upstream_unavailable', 'has failed repeatedly and will be called again later'],
  /** The upstream was not called because the budget for the minute or month is spent. */
  over_budget: ['upstream_unavailable', 'cannot be called because the call budget is used up'],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

export type FailureCause = keyof typeof FAILURES;
export const FAILURE_CAUSES = memberNames(FAILURES);

/** `reason` is for programs, and `message` is for the log. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly upstream: string;
  readonly reason: FailureCause;
  readonly retryAfter: number | undefined;
  /** Whether the upstream may have received any part of the request. */
  readonly sent: boolean;
  /** Whether the upstream reports that it is unavailable as a whole, such as during maintenance. */
  readonly isOfSource: boolean;

  constructor(
    upstream: string,
    reason: FailureCause,
    message: string,
    options: { cause?: unknown; retryAfter?: number | undefined; sent?: boolean; isOfSource?: boolean } = {},
  ) {
    super(`${upstream}: ${message}`, { cause: options.cause });
    this.upstream = upstream;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
    this.sent = options.sent ?? true;
    this.isOfSource = options.isOfSource ?? false;
  }
}

export const isOutOfReach = (error: unknown): error is UpstreamFailure =>
  error instanceof UpstreamFailure && error.reason === 'out_of_reach';

/** The text that follows the subject, such as `is unreachable`. */
export const causeInWords = (cause: FailureCause): string => FAILURES[cause][1];
const RETRY_AFTER = 30;

type Options = {
  who?: string;
  members?: { gaps?: string[] };
};

/** The problem for an upstream failure if no stored data can be served. Returns other errors unchanged. */
export function upstreamProblem(failure: unknown, { who = 'CoinGecko', members = {} }: Options = {}) {
  if (!(failure instanceof UpstreamFailure)) return failure;
  const [code, phrase] = FAILURES[failure.reason];
  const retryAfter = failure.retryAfter ?? RETRY_AFTER;
  const detail = `${who} ${phrase}, and no stored data is available.`;
  return new Problem(code, detail, { cause: failure, members, retryAfter });
}

/** The pause after a failed fetch, in ms. It doubles with each consecutive failure up to `MAX_PAUSE`. */
const FIRST_PAUSE = SECOND;
const MAX_PAUSE = 5 * MINUTE;
/** The longest pause after an invalid response, in ms. Invalid responses do not open the circuit. */
const MAX_PAUSE_OF_MALFORMED = HOUR;
const MALFORMED: ReadonlySet<FailureCause> = new Set(['unexpected', 'empty', 'refused', 'out_of_reach']);

/** The time in ms until the next attempt after `times` consecutive failures. */
export function failurePause(times: number, cause: FailureCause | undefined): number {
  const longest = cause && MALFORMED.has(cause) ? MAX_PAUSE_OF_MALFORMED : MAX_PAUSE;
  return Math.min(longest, FIRST_PAUSE * 2 ** (times - 1));
}
