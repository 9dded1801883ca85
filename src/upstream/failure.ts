/**
 * Why an upstream gave no usable answer. A closed list: logs, metrics and `Cache-Status` name it.
 *
 * - `unreachable`: no connection, or it broke before the whole answer was there
 * - `timeout`: the deadline passed
 * - `rate_limited`: 429, or an answer that says so in its body or its page
 * - `out_of_reach`: the plan does not go back so far
 * - `not_listed`: the upstream says that it does not serve what was asked about
 * - `refused`: any other 3xx or 4xx
 * - `server_error`: 5xx
 * - `not_json`, `unexpected`, `empty`, `too_large`: an answer, but not one to be believed
 * - `stale`: an answer whose newest figures are old: the upstream goes on answering and has stopped
 * - `resting`: not asked, since its circuit is open (the name is public: metrics and `Cache-Status` have it)
 * - `over_budget`: not asked, because the calls of this minute or this month are spent
 */
export const FAILURE_CAUSES = [
  'unreachable',
  'timeout',
  'rate_limited',
  'out_of_reach',
  'not_listed',
  'refused',
  'server_error',
  'not_json',
  'unexpected',
  'empty',
  'too_large',
  'stale',
  'resting',
  'over_budget',
] as const;

export type FailureCause = (typeof FAILURE_CAUSES)[number];

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
