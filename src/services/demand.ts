import type { Clock } from '../domain/clock.ts';
import type { Grain } from '../domain/grain.ts';
import type { TokenName } from '../domain/token.ts';

/** What is kept of a token: its latest price, a series at each grain, its statistics. */
export type Kind = 'latest' | Grain | 'statistics';

/** How the newest of what is kept stands; all in ms. */
export type Freshness = {
  token: TokenName;
  kind: Kind;
  /** Since it was fetched, or, of a series, since the time of its newest sample; Infinity when nothing is kept. */
  age: number;
  /** How far apart it should arrive while somebody asks for it; Infinity when the budget is spent. */
  every: number;
  /** Since somebody last asked for the newest of it; Infinity when nobody has. */
  idle: number;
};

/** When the newest of each thing was last asked for: what nobody asks for may be old. */
export function createDemand(clock: Clock) {
  const askedAt = new Map<string, number>();
  const nameOf = (token: TokenName, kind: Kind) => `${token}:${kind}`;

  return {
    note: (token: TokenName, kind: Kind): void => void askedAt.set(nameOf(token, kind), clock.elapsed()),

    /** How long ago that was, in ms; Infinity for never. */
    idle: (token: TokenName, kind: Kind): number =>
      clock.elapsed() - (askedAt.get(nameOf(token, kind)) ?? Number.NEGATIVE_INFINITY),
  };
}

export type Demand = ReturnType<typeof createDemand>;
