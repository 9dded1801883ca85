import type { Filled } from './attempt.ts';
import type { Body } from './bodies.ts';

/** An answer, and what there is to say about its age; instants in Unix ms. */
export type Answer = {
  body: Body;
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
  /** What was done for it. */
  filled: Filled;
};
