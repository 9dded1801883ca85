import type { Problem, ProblemCode } from './records.ts';

/** The problems of the service, and what can go wrong on the way to it. */
export type QuotientErrorCode =
  | ProblemCode
  /** There was no answer: the service cannot be reached, the connection broke, or a redirect was refused. */
  | 'network'
  /** There was no answer within the time allowed, waits and repeats included. */
  | 'timeout'
  /** What answered is not the service, or not one this client knows. */
  | 'invalid_answer';

/** A span that an answer lacks: dates of daily points, instants of finer ones, both ends included. */
export type Gap = { from: string; thru: string };

type Facts = {
  /** Why; a failure of the network, for one. */
  cause?: unknown;
  status?: number | undefined;
  retryAfter?: number | undefined;
  requestId?: string | undefined;
  errors?: Problem['errors'];
  gaps?: readonly Gap[] | undefined;
  txhash?: string | undefined;
};

/** What every call rejects with, unless it was aborted: then it is the reason of the signal. */
export class QuotientError extends Error {
  override readonly name = 'QuotientError';
  /** What to tell errors apart by; a service newer than this client may have further codes. */
  readonly code: QuotientErrorCode | (string & {});
  /** The status of the answer, where there was one. */
  readonly status: number | undefined;
  /** What went wrong, in words. For `node_rejected`, what the node said. */
  readonly detail: string;
  /** Seconds after which a repeat may succeed. */
  readonly retryAfter: number | undefined;
  /** Names the request in the service's log. */
  readonly requestId: string | undefined;
  /** The faults of the input, one by one. */
  readonly errors: NonNullable<Problem['errors']>;
  /** The spans that cannot be had. */
  readonly gaps: readonly Gap[];
  /** The hash of a transaction that may have arrived although there was no answer: look it up. */
  readonly txhash: string | undefined;

  constructor(code: QuotientErrorCode | (string & {}), detail: string, facts: Facts = {}) {
    super(`${code}: ${detail}`, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.detail = detail;
    this.status = facts.status;
    this.retryAfter = facts.retryAfter;
    this.requestId = facts.requestId;
    this.errors = facts.errors ?? [];
    this.gaps = facts.gaps ?? [];
    this.txhash = facts.txhash;
  }
}

/** The same error, with what became known of it since. */
export function withFacts(error: QuotientError, facts: Pick<Facts, 'txhash'>): QuotientError {
  return new QuotientError(error.code, error.detail, { ...error, cause: error.cause, ...facts });
}
