import { type Clock, iso, MINUTE } from '#core/clock';
import { monthOf } from './budget.ts';
import type { FailureCause } from './failure.ts';

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

/** What is worth knowing while the service serves all the same: something that it could not get, or has less of. */
export type Warning =
  /** A fetch failed when it was last tried: `what` names it as the log does. */
  | { about: 'fetch'; what: string; cause: FailureCause | 'not stored' }
  /** A source of statistics failed when it was last needed. */
  | { about: 'statistics source'; source: string; cause: FailureCause }
  /** The aggregator's plan has less than is configured. */
  | { about: 'plan'; difference: string }
  /** Another source is told of the latest prices since an instant (Unix ms). */
  | { about: 'failover'; told: string; first: string; since: number }
  /** The price of a token as it was before and after another source was told. */
  | { about: 'price'; token: string; before: Price; after: Price; since: number }
  /** A node, by its place among the URLs: why its last call failed, or why it is passed over. */
  | { about: 'node'; node: number; cause: FailureCause }
  | { about: 'node'; node: number; blocksBehind: number }
  | { about: 'node'; node: number; otherChain: string | null };

type Price = { source: string; price: number };

/** A warning as machines and operators are told it. */
export function warningText(warning: Warning): string {
  switch (warning.about) {
    case 'fetch':
      return `${warning.what}: ${warning.cause}`;
    case 'statistics source':
      return `${warning.source}: ${warning.cause}`;
    case 'plan':
      return `coingecko: ${warning.difference}`;
    case 'failover':
      return `latest: ${warning.told} is told in place of ${warning.first} since ${iso(warning.since)}`;
    case 'price': {
      const { token, before, after, since } = warning;
      return `latest: ${token} was ${before.price} by ${before.source} and ${after.price} by ${after.source} at ${iso(since)}`;
    }
    case 'node': {
      const name = `node ${warning.node}`;
      if ('cause' in warning) return `${name}: ${warning.cause}`;
      if ('blocksBehind' in warning) return `${name}: ${warning.blocksBehind} blocks behind`;
      return `${name}: of another chain (${warning.otherChain ?? 'it tells none'})`;
    }
  }
}
