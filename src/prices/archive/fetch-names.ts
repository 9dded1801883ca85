import type { TokenName } from '#catalogue/token';
import { DAY, HOUR } from '#core/clock';
import { INTERVALS, type Interval, spacingOf } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import { type ResourceOf, readResource } from '#upstream/resource';

/** Resources that concern all tokens. The names of the primary source's resources contain no source. */
export const OF_ALL_TOKENS = ['latest', 'kraken:latest', 'failover', 'retention'] as const;

/** The name of each fetch, and of other changes to the cache: import, purge, retention, failover. */
export type Fetch =
  | (typeof OF_ALL_TOKENS)[number]
  | ResourceOf<'chart' | 'hours' | 'daily' | 'import' | 'purge' | 'kraken'>;

const FETCHES: Readonly<Record<MarketSourceName, (token: TokenName) => readonly Fetch[]>> = {
  coingecko: (token) => [`chart:${token}`, `hours:${token}`, `daily:${token}`],
  kraken: (token) => INTERVALS.map((interval) => `kraken:${interval}:${token}` as const),
};
const LATEST: Readonly<Record<MarketSourceName, Fetch>> = { coingecko: 'latest', kraken: 'kraken:latest' };

/** The fetches that provide a token's data, from some sources or from all. */
export const fetchesOf = (token: TokenName, sources: readonly MarketSourceName[] = MARKET_SOURCES): readonly Fetch[] =>
  sources.flatMap((source) => [LATEST[source], ...FETCHES[source](token)]);

/** The names of changes that concern only the token. */
export const namesOf = (token: TokenName): readonly Fetch[] => [
  ...MARKET_SOURCES.flatMap((source) => FETCHES[source](token)),
  `import:${token}`,
  `purge:${token}`,
];

/** The token of a fetch; undefined if it concerns all tokens. */
export const tokenOf = (what: Fetch): TokenName | undefined => readResource(what).token;

/** How far back a response with the last day may change rows. */
const LAST_DAY = DAY + 2 * HOUR;

/** More samples than Kraken returns for a series. A response changes no older samples. */
const VENUE_TELLS = 1000;

/** The rows of a series that may have changed: those from `from` (Unix ms) on; 0 means all. */
export type Touched = { token: TokenName; interval: Interval; from: number };

export const touchedWhole = (token: TokenName): Touched[] =>
  INTERVALS.map((interval) => ({ token, interval, from: 0 }));

/** The rows that changes to one token may have affected since an instant (Unix ms). */
export function touched(what: Fetch, since: number): Touched[] {
  const { kind, token, interval = 'minute' } = readResource(what);
  if (token === undefined) return [];
  const from = since - LAST_DAY;
  const recent = (['minute', 'hour'] as const).map((interval) => ({ token, interval, from }));
  if (kind === 'purge') return touchedWhole(token);
  if (kind === 'hours') return [{ token, interval: 'hour', from: 0 }];
  if (kind === 'daily' || kind === 'import') return [...recent, { token, interval: 'day', from: 0 }];
  if (kind === 'chart') return recent;
  return [{ token, interval, from: since - VENUE_TELLS * spacingOf(interval) }];
}
