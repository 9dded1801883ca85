import { HOUR, MINUTE, SECOND } from '#core/clock';
import { Problem, type ProblemCode } from '#core/problems';

/** Which failure of the database an error is; undefined for any other error. */
export type IdentifyDatabaseFailure = (error: unknown) => { cause: string; reason: string } | undefined;

/** The subject of a failure: `key` identifies it, `name` is the first word of its log lines, `cause` is of a closed list. */
type Identity = {
  key: string;
  name: string;
  about: object;
  /** Whether it is a dependency, whose recovery is noticed. */
  recovers: boolean;
  /** Undefined where only the consequence is known: a request that was refused since the database failed just now. */
  cause: string | undefined;
  /** Further members of the log line. */
  details: object;
};

/** The error that is behind a problem. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Problem && root.cause !== undefined) root = root.cause;
  return root;
}

const nameOf = (error: unknown): string => {
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return String(code ?? name ?? 'unknown');
};

/**
 * Finds the subject of a failure: an upstream, the database, or the work itself.
 *
 * @param observed the upstreams that report their successes; a failure under any other name is one of the work
 */
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
  const known = identifyDatabaseFailure(root);
  if (known) return { ...database, cause: known.cause, details: { reason: known.reason } };
  if (error instanceof Problem && error.code === 'database_unavailable') {
    if (root instanceof Problem) return { ...database, cause: undefined, details: {} };
    return { ...database, cause: nameOf(root), details: { err: root } };
  }
  if (root instanceof Problem) {
    return { ...itself, key: root.code, cause: root.code, details: { reason: root.message } };
  }
  return { ...itself, key: work, cause: nameOf(root), details: { err: root } };
}

/**
 * Why an upstream gave no usable answer: a closed list, which logs, metrics and `Cache-Status` name. Of each the code and
 * the words of its problem, after the name of who failed; no word comes from the upstream.
 */
const FAILURES = {
  /** No connection, or it broke before the whole answer was there. */
  unreachable: ['upstream_unavailable', 'cannot be reached'],
  /** The deadline passed. */
  timeout: ['upstream_timeout', 'did not answer in time'],
  /** 429, or an answer that says so in its body or its page. */
  rate_limited: ['upstream_unavailable', 'limits our rate'],
  /** The plan does not go back so far. */
  out_of_reach: ['upstream_unavailable', 'does not reach back so far on our plan'],
  /** The upstream says that it does not serve what was asked about. */
  not_listed: ['upstream_unavailable', 'does not serve this'],
  /** Any other 3xx or 4xx. */
  refused: ['upstream_unavailable', 'refused the request'],
  /** 5xx. */
  server_error: ['upstream_unavailable', 'has a fault'],
  not_json: ['upstream_invalid', 'gave no JSON'],
  unexpected: ['upstream_invalid', 'gave an answer of another shape'],
  empty: ['upstream_invalid', 'gave an answer without figures'],
  too_large: ['upstream_invalid', 'gave an answer too large to read'],
  /** An answer whose newest figures are old: the upstream goes on answering and has stopped. */
  stale: ['upstream_invalid', 'gave old figures alone'],
  /** Not asked, since its circuit is open (the name is public: metrics and `Cache-Status` have it). */
  resting: ['upstream_unavailable', 'failed repeatedly and is not asked again yet'],
  /** Not asked, because the calls of this minute or this month are spent. */
  over_budget: ['upstream_unavailable', 'has no calls left in its budget'],
} as const satisfies Record<string, readonly [ProblemCode, string]>;

export type FailureCause = keyof typeof FAILURES;
export const FAILURE_CAUSES = Object.keys(FAILURES) as FailureCause[];

/** An upstream failed: `reason` is for programs, `message` for the log. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly upstream: string;
  readonly reason: FailureCause;
  /** Seconds after which the upstream can be asked again, where that is known. */
  readonly retryAfter: number | undefined;
  /** Whether any of the request may have reached the upstream. */
  readonly sent: boolean;

  constructor(
    upstream: string,
    reason: FailureCause,
    message: string,
    options: { cause?: unknown; retryAfter?: number | undefined; sent?: boolean } = {},
  ) {
    super(`${upstream}: ${message}`, { cause: options.cause });
    this.upstream = upstream;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
    this.sent = options.sent ?? true;
  }
}

/** Whether an error says that the upstream's plan does not go back so far. */
export const isOutOfReach = (error: unknown): error is UpstreamFailure =>
  error instanceof UpstreamFailure && error.reason === 'out_of_reach';

/** What happened, after the name of who failed: `cannot be reached`. */
export const causeInWords = (cause: FailureCause): string => FAILURES[cause][1];

/** Seconds after which a repeat is worth a try, where the upstream did not say. */
const RETRY_AFTER = 30;

type Options = {
  /** Who failed, as the subject of a sentence. */
  who?: string;
  members?: { gaps?: string[] };
};

/** The problem for a failure of an upstream when nothing is stored to serve; any other error goes on as it is. */
export function upstreamProblem(failure: unknown, { who = 'The aggregator', members = {} }: Options = {}) {
  if (!(failure instanceof UpstreamFailure)) return failure;
  const [code, what] = FAILURES[failure.reason];
  const retryAfter = failure.retryAfter ?? RETRY_AFTER;
  const detail = `${who} ${what}, and nothing is stored to serve.`;
  return new Problem(code, detail, { cause: failure, members, retryAfter });
}

/** The pause after a failed fetch, in ms: doubled with each failure in a row, up to the longest. */
const FIRST_PAUSE = SECOND;
const LONGEST_PAUSE = 5 * MINUTE;
/** The longest after an answer that was itself wrong: such do not open the upstream's circuit breaker. In ms. */
const LONGEST_PAUSE_OF_MALFORMED = HOUR;
const MALFORMED: ReadonlySet<FailureCause> = new Set(['unexpected', 'empty', 'refused', 'out_of_reach']);

/**
 * How long a thing is not fetched again, in ms.
 * @param times how often it failed in a row
 * @param cause of the last failure, where the upstream was it
 */
export function failurePause(times: number, cause: FailureCause | undefined): number {
  const longest = cause && MALFORMED.has(cause) ? LONGEST_PAUSE_OF_MALFORMED : LONGEST_PAUSE;
  return Math.min(longest, FIRST_PAUSE * 2 ** (times - 1));
}
