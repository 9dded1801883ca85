import { MINUTE } from '#core/clock';
import { monthOf } from './monthly-budget.ts';

/** How far ahead of this process's clock another's may be, in ms: beyond it, this one was set back. */
const SKEW = 5 * MINUTE;

/**
 * The age of an instant (Unix ms), in ms; Infinity for undefined. An instant in the future, since the clock was set
 * back, counts as undefined.
 */
export function ageAt(at: number | undefined, now: number): number {
  const age = now - (at ?? Number.NEGATIVE_INFINITY);
  return age < -SKEW ? Number.POSITIVE_INFINITY : age;
}

/**
 * When what was fetched at an instant (Unix ms) is due again, at one fetch every so many ms; at the latest when a new
 * month brings a new budget.
 */
export const dueAfter = (fetchedAt: number, every: number, now: number): number =>
  Math.min(Math.min(fetchedAt, now) + every, monthOf(now).end);

/** How long an answer waits for a fetch: to its end, a moment at most, or not at all. */
export type Wait = 'end' | 'moment' | 'none';

/** The wait for a refresh of stored data: a moment where that is more than twice as old as it should be. */
export const waitOnRefresh = (age: number, every: number): Wait => (age > 2 * every ? 'moment' : 'none');
