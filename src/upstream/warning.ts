import { iso } from '#core/clock';
import type { FailureCause } from './failure.ts';

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
