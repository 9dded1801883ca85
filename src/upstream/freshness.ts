import { type Clock, iso, MINUTE } from '#core/clock';
import { monthOf } from './budget.ts';
import type { FailureCause } from './failures/failure.ts';

/** How far another process's clock may be ahead, in ms. A larger difference means that this clock was set back. */
export const SKEW = 5 * MINUTE;

/** The age in ms of an instant (Unix ms). Infinity for undefined, or for an instant far in the future. */
export function ageAt(at: number | undefined, now: number): number {
  const age = now - (at ?? Number.NEGATIVE_INFINITY);
  return age < -SKEW ? Number.POSITIVE_INFINITY : age;
}

/** When data that was fetched at an instant is due again (Unix ms): no later than the start of the next month. */
export const dueAfter = (fetchedAt: number, every: number, now: number): number =>
  Math.min(Math.min(fetchedAt, now) + every, monthOf(now).end);

/** How long a response waits for a fetch. A `moment` is at most a second. */
export type Wait = 'end' | 'moment' | 'none';
/** A response waits a `moment` for the refresh if the stored data is older than twice its interval. */
export const waitOnRefresh = (age: number, every: number): Wait => (age > 2 * every ? 'moment' : 'none');

/** The age of a token's newest stored data, in ms. */
export type Staleness = {
  token: string;
  kind: 'latest' | 'minute' | 'hour' | 'day' | 'statistics';
  /** The time since the fetch or, for a series, since the newest sample. Infinity if nothing is stored. */
  age: number;
  /** The interval at which requested data should be updated. Infinity if the budget is spent. */
  every: number;
  /** The time since the last request for the newest data. Infinity if there was no request. */
  idle: number;
};

/** Tracks the last request per resource, because only requested data is refreshed. */
export function createLastRequested<What extends string>(clock: Clock) {
  const requestedAt = new Map<What, number>();
  return {
    mark: (resource: What): void => void requestedAt.set(resource, clock.elapsed()),
    all: (): ReadonlyMap<What, number> => requestedAt,
    /** The time in ms since the last request. Infinity if there was no request. */
    since: (resource: What): number => clock.elapsed() - (requestedAt.get(resource) ?? Number.NEGATIVE_INFINITY),
  };
}

export type Warning =
  /** `what` is the name of the resource in the log. */
  | { about: 'fetch'; what: string; cause: FailureCause | 'not stored' }
  | { about: 'statistics source'; source: string; cause: FailureCause }
  /** The mail server did not accept the last email. */
  | { about: 'mail'; cause: FailureCause }
  /** The CoinGecko plan offers less than is configured. */
  | { about: 'plan'; difference: string }
  /** Since an instant (Unix ms), the latest prices have come from the fallback source. */
  | { about: 'failover'; served: string; primary: string; since: number }
  /** A token's price before and after the switch to another source. */
  | { about: 'price'; token: string; before: Price; after: Price; since: number }
  /** Prices of a fallback source that contradict the primary source's last prices and are not served. */
  | { about: 'withheld prices'; source: string; tokens: readonly string[] }
  /** The responses of a source lack requested tokens. */
  | { about: 'missing prices'; source: string; tokens: readonly string[] }
  /** A node, and the reason why the last call to it failed or why it is skipped. */
  | { about: 'node'; node: NodeLabel; cause: FailureCause }
  | { about: 'node'; node: NodeLabel; blocksBehind: number }
  | { about: 'node'; node: NodeLabel; otherChain: string | null }
  | { about: 'node'; node: NodeLabel; otherVersion: string };

/** The position of a node in NODE_URLS, or in NODE_RPC_URLS. */
type NodeLabel = number | `rpc-${number}`;

type Price = { source: string; price: number };

/** A price without the noise of binary fractions, and never in exponential notation. */
export const priceText = (price: number): string =>
  price.toLocaleString('en', { maximumSignificantDigits: 8, useGrouping: false });
const NAMED = 5;

export function shortList(names: readonly string[]): string {
  const named = names.slice(0, NAMED).join(', ');
  return names.length > NAMED ? `${named} and ${names.length - NAMED} more` : named;
}

export function warningText(warning: Warning): string {
  switch (warning.about) {
    case 'fetch':
      return `${warning.what}: ${warning.cause}`;
    case 'statistics source':
      return `${warning.source}: ${warning.cause}`;
    case 'mail':
      return `mail: ${warning.cause}`;
    case 'plan':
      return `coingecko: ${warning.difference}`;
    case 'failover':
      return `latest: ${warning.served} has been served instead of ${warning.primary} since ${iso(warning.since)}`;
    case 'price': {
      const { token, before, after, since } = warning;
      return `latest: ${token} was ${priceText(before.price)} according to ${before.source} and ${priceText(after.price)} according to ${after.source} at ${iso(since)}`;
    }
    case 'withheld prices':
      return `latest: prices from ${warning.source} are not served, because they contradict the last known prices: ${shortList(warning.tokens)}`;
    case 'missing prices':
      return `latest: ${warning.source} has not returned ${shortList(warning.tokens)}`;
    case 'node': {
      const name = `node ${warning.node}`;
      if ('cause' in warning) return `${name}: ${warning.cause}`;
      if ('blocksBehind' in warning) return `${name}: ${warning.blocksBehind} blocks behind`;
      if ('otherVersion' in warning) return `${name}: has another major version (${warning.otherVersion})`;
      return `${name}: on another chain (${warning.otherChain ?? 'not reported'})`;
    }
  }
}
