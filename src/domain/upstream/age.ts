import { monthOf } from './budget.ts';
import { MINUTE } from './clock.ts';

/** How far ahead of this process's clock another's may be, in ms: beyond it, this one was set back. */
const SKEW = 5 * MINUTE;

/**
 * How long ago something was (Unix ms), in ms; Infinity for what never was. What lies in the future, because the
 * clock was set back since, is as old as what never was.
 */
export function ageAt(at: number | undefined, now: number): number {
  const age = now - (at ?? Number.NEGATIVE_INFINITY);
  return age < -SKEW ? Number.POSITIVE_INFINITY : age;
}

/**
 * When what was fetched at an instant (Unix ms) is fetched again, at one fetch `every` so many ms; a new month brings
 * a new budget.
 */
export const dueAfter = (fetchedAt: number, every: number, now: number): number =>
  Math.min(Math.min(fetchedAt, now) + every, monthOf(now).end);
