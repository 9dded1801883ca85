import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { Interval } from '#prices/interval';

/** What is kept of a token: its latest price, a series at each interval, its statistics. */
export type DataKind = 'latest' | Interval | 'statistics';

/** How old the newest of what is kept is; all in ms. */
export type Staleness = {
  token: TokenName;
  kind: DataKind;
  /** Since it was fetched, or, of a series, since the time of its newest sample; Infinity when nothing is kept. */
  age: number;
  /** How far apart it should arrive while somebody asks for it; Infinity when the budget is spent. */
  every: number;
  /** Since somebody last asked for the newest of it; Infinity when nobody has. */
  idle: number;
};

/** When the newest of each thing was last requested: what nobody requests may be old. */
export function createLastRequested(clock: Clock) {
  const requestedAt = new Map<string, number>();
  const nameOf = (token: TokenName, kind: DataKind) => `${token}:${kind}`;

  return {
    mark: (token: TokenName, kind: DataKind): void =>
      void requestedAt.set(nameOf(token, kind), clock.elapsed()),

    /** How long ago it was requested, in ms; Infinity for never. */
    since: (token: TokenName, kind: DataKind): number =>
      clock.elapsed() - (requestedAt.get(nameOf(token, kind)) ?? Number.NEGATIVE_INFINITY),
  };
}
