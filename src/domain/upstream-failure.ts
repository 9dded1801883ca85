/**
 * Why an upstream gave no answer that can be used. A closed list, so that logs and answers can be counted by it.
 *
 * - `unreachable`: no connection, or it broke before the whole answer was there
 * - `timeout`: the deadline passed
 * - `rate_limited`: 429, or an answer that says so in its body or its page
 * - `out_of_reach`: the plan does not go back so far
 * - `refused`: any other 3xx or 4xx
 * - `server_error`: 5xx
 * - `not_json`, `unexpected`, `empty`, `too_large`: an answer, but not one to be believed
 */
export type FailureCause =
  | 'unreachable'
  | 'timeout'
  | 'rate_limited'
  | 'out_of_reach'
  | 'refused'
  | 'server_error'
  | 'not_json'
  | 'unexpected'
  | 'empty'
  | 'too_large';

/** An upstream failed; `message` says how without a word of ours to a user, `reason` is for programs. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly upstream: string;
  readonly reason: FailureCause;
  /** Seconds after which the upstream wants to be asked again, where it said. */
  readonly retryAfter: number | undefined;

  constructor(
    upstream: string,
    reason: FailureCause,
    message: string,
    options: { cause?: unknown; retryAfter?: number | undefined } = {},
  ) {
    super(`${upstream}: ${message}`, { cause: options.cause });
    this.upstream = upstream;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
  }
}
