import { type Clock, MINUTE } from '#core/clock';
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

/** How old the newest of what is kept of a token is: its latest price, a series, its statistics; all in ms. */
export type Staleness = {
  token: string;
  kind: 'latest' | 'minute' | 'hour' | 'day' | 'statistics';
  /** Since it was fetched, or, of a series, since the time of its newest sample; Infinity when nothing is kept. */
  age: number;
  /** How far apart it should arrive while somebody asks for it; Infinity when the budget is spent. */
  every: number;
  /** Since somebody last asked for the newest of it; Infinity when nobody has. */
  idle: number;
};

/** When each thing was last requested: what nobody requests may be old. */
export function createLastRequested<What extends string>(clock: Clock) {
  const requestedAt = new Map<What, number>();
  return {
    mark: (what: What): void => void requestedAt.set(what, clock.elapsed()),

    /** How long ago it was requested, in ms; Infinity for never. */
    since: (what: What): number => clock.elapsed() - (requestedAt.get(what) ?? Number.NEGATIVE_INFINITY),
  };
}
