import { DAY, HOUR } from '#domain/clock';
import { INTERVALS, type Interval, spacingOf } from '#domain/market/interval';
import { MARKET_SOURCES, type MarketSourceName } from '#domain/market/sources/provenance';
import type { TokenName } from '#domain/market/token';

/**
 * The name of each fetch, in memory and in the store, and of what else changes what is cached: an import, a purge, the
 * retention, another source that is told. Those of the first source have no source in their name.
 */
export type Fetch =
  | 'latest'
  | 'kraken:latest'
  | 'failover'
  | 'retention'
  | `${'chart' | 'hours' | 'daily' | 'import' | 'purge'}:${TokenName}`
  | `kraken:${Interval}:${TokenName}`;

export const isFetch = (what: string): what is Fetch =>
  /^((latest|failover|retention)$|(chart|hours|daily|import|purge|kraken):)/.test(what);

const FETCHES: Readonly<Record<MarketSourceName, (token: TokenName) => readonly Fetch[]>> = {
  coingecko: (token) => ['latest', `chart:${token}`, `hours:${token}`, `daily:${token}`],
  kraken: (token) => [
    'kraken:latest',
    ...INTERVALS.map((interval) => `kraken:${interval}:${token}` as const),
  ],
};

/** The fetches that feed what some sources tell of a token; all sources where left out. */
export const fetchesOf = (
  token: TokenName,
  sources: readonly MarketSourceName[] = MARKET_SOURCES,
): readonly Fetch[] => sources.flatMap((source) => FETCHES[source](token));

/** How far back an answer about the last day may have changed rows. */
export const LAST_DAY = DAY + 2 * HOUR;

/** More samples than a venue tells of a series at once: none older is changed by its answer. */
const VENUE_TELLS = 1000;

/** Rows of a series that may have changed: those from an instant on (Unix ms). */
export type Touched = { token: TokenName; interval: Interval; from: number };

/**
 * The rows that a fetch may have changed.
 *
 * @param all the tokens that a fetch of no token in particular may have told of
 */
export function touched(what: Fetch, now: number, all: readonly TokenName[]): Touched[] {
  const [kind, ...rest] = what.split(':');
  if (kind === 'retention' || kind === 'failover') return [];
  const isOfAll = kind === 'latest' || (kind === 'kraken' && rest.length === 1);
  const tokens = isOfAll ? all : rest.slice(-1);
  const recent = (interval: Interval) => tokens.map((token) => ({ token, interval, from: now - LAST_DAY }));
  const whole = (interval: Interval) => tokens.map((token) => ({ token, interval, from: 0 }));
  if (kind === 'purge') return INTERVALS.flatMap(whole);
  if (kind === 'hours') return [...recent('minute'), ...whole('hour')];
  if (kind === 'daily' || kind === 'import') return [...recent('minute'), ...recent('hour'), ...whole('day')];
  const [interval] = INTERVALS.filter((one) => rest.length > 1 && rest[0] === one);
  if (!interval) return [...recent('minute'), ...recent('hour')];
  return tokens.map((token) => ({ token, interval, from: now - VENUE_TELLS * spacingOf(interval) }));
}
