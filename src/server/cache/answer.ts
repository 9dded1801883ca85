import type { Body } from './answer-body.ts';

/** An answer, and what there is to say about its age; instants in Unix ms. */
export type Answer = {
  body: Body;
  /** What a file with it is called, without an ending. */
  fileName?: string;
  /** Who told what is in it, as `Quotient-Source` names them: the main one first, separated by commas. */
  source: string;
  /** Of figures in another currency than the dollar what `Quotient-Currency` says of it. */
  currency?: string;
  /** The time of the newest sample in it. */
  modifiedAt: number;
  /** When what it was made from was fetched; undefined when it was imported or is long settled. */
  fetchedAt: number | undefined;
  /** When it is fetched again, if somebody asks. */
  dueAt: number;
  /** Nothing in it will ever change. */
  settled: boolean;
  /** The spans that are missing, as `from/thru`. */
  gaps: readonly string[];
  /** The answer to the same question now (Unix ms), where it is in the cache. */
  recall?: (now: number) => Answer | undefined;
  /** What was done for it: `failure` is that of a fetch. */
  outcome: { fetched: boolean; refreshing: boolean; failure: unknown };
};
