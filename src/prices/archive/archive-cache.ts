import { type Catalogue, knownSince } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import { createLatestPrices } from '#prices/archive/latest-prices';
import { completeSpans, INTERVALS, spacingOf } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { SourcedSample } from '#prices/model/sample';
import { lastSample, POINTS } from '#prices/model/series';
import { plausibleTimes } from '#upstream/plausible';
import { type ResourceOf, readResource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { ArchiveStore } from './archive-store.ts';
import { type FailoverState, type FailoverStore, type LatestRow, STARTING_STATE } from './latest-store.ts';
import { createSeriesCache, type Further } from './series-cache.ts';
import type { RowsFrom } from './series-store.ts';
import { createWorkingSet, type WorkingSet } from './working-set.ts';

/** Resources that concern all tokens. Names of the primary source's resources do not contain the source. */
export const OF_ALL_TOKENS = ['latest', 'kraken:latest', 'failover', 'retention'] as const;

/** The resources that decide which latest prices are served. */
const PRICES = ['latest', 'kraken:latest', 'failover'] as const;

/** The names of fetches, and of other changes to the cache: import, purge, retention, failover. */
export type Fetch =
  | (typeof OF_ALL_TOKENS)[number]
  | ResourceOf<'chart' | 'hours' | 'daily' | 'import' | 'purge' | 'kraken'>;

const FETCHES: Readonly<Record<MarketSourceName, (token: TokenName) => readonly Fetch[]>> = {
  coingecko: (token) => [`chart:${token}`, `hours:${token}`, `daily:${token}`],
  kraken: (token) => INTERVALS.map((interval) => `kraken:${interval}:${token}` as const),
};
const LATEST: Readonly<Record<MarketSourceName, Fetch>> = { coingecko: 'latest', kraken: 'kraken:latest' };

/** The fetches that provide a token's data, from the given sources. */
export const fetchesOf = (token: TokenName, sources: readonly MarketSourceName[] = MARKET_SOURCES): readonly Fetch[] =>
  sources.flatMap((source) => [LATEST[source], ...FETCHES[source](token)]);

/** The names of changes that concern only this token. */
export const namesOf = (token: TokenName): readonly Fetch[] => [
  ...MARKET_SOURCES.flatMap((source) => FETCHES[source](token)),
  `import:${token}`,
  `purge:${token}`,
];

/** How far back a response for the last day may change rows, in ms. */
const LAST_DAY = DAY + 2 * HOUR;
/** A Kraken response has fewer samples than this per series, so it changes no older samples. */
const MOST_OF_KRAKEN = 1000;

/** The rows that a fetch or another change since an instant (Unix ms) may have affected. */
function touched(what: Fetch, since: number): RowsFrom[] {
  const { kind, token, interval = 'minute' } = readResource(what);
  if (token === undefined) return [];
  const from = since - LAST_DAY;
  const recent = (['minute', 'hour'] as const).map((interval) => ({ token, interval, from }));
  if (kind === 'purge') return INTERVALS.map((interval) => ({ token, interval, from: 0 }));
  if (kind === 'hours') return [{ token, interval: 'hour', from: 0 }];
  if (kind === 'daily' || kind === 'import') return [...recent, { token, interval: 'day', from: 0 }];
  if (kind === 'chart') return recent;
  return [{ token, interval, from: since - MOST_OF_KRAKEN * spacingOf(interval) }];
}

type Dependencies = {
  store: ArchiveStore;
  failover: Pick<FailoverStore, 'read'>;
  versions: Pick<VersionWatcher, 'watch'>;
  catalogue: Pick<Catalogue, 'named'>;
  clock: Clock;
  log: Log;
  hasFallback?: boolean;
  workingSet?: WorkingSet;
};

/** Holds the samples and the latest prices of the archive in memory. The series of a token are loaded together. */
export async function openArchiveCache(dependencies: Dependencies) {
  const { store, failover, versions, catalogue, clock, log } = dependencies;
  const { hasFallback = true, workingSet = createWorkingSet({ clock }) } = dependencies;
  const latest = createLatestPrices();
  let state = STARTING_STATE;

  const touchedByLatest = (rows: readonly LatestRow[]): RowsFrom[] =>
    rows.flatMap(({ token, source, at, fetchedAt }) => {
      const before = latest.of(token, source);
      if (before?.fetchedAt === fetchedAt) return [];
      const from = Math.min(at, before?.at ?? at);
      return (['minute', 'hour'] as const).map((interval) => ({ token, interval, from }));
    });

  async function readFurther(
    changed: readonly Fetch[],
    tokens: readonly TokenName[],
    loading: readonly TokenName[],
  ): Promise<Further> {
    const times = plausibleTimes(clock.now());
    const isOfAll = changed.some((what) => readResource(what).token === undefined);
    const priced = new Set([...tokens, ...(isOfAll ? cache.loaded() : [])]);
    const stored = changed.includes('failover') ? await failover.read() : state;
    const prices = priced.size > 0 ? await store.latest([...priced], times) : [];
    const implausibleRows = loading.length > 0 ? await store.implausibleRows(times, loading) : [];
    for (const row of implausibleRows) log.warn(row, 'implausible rows excluded');

    function apply(): void {
      state = stored && (hasFallback || stored.served === PRIMARY_SOURCE) ? stored : STARTING_STATE;
      const loaded = new Set(cache.loaded());
      latest.set(priced.intersection(loaded), prices, state);
    }
    return { rows: touchedByLatest(prices), apply };
  }

  const cache = createSeriesCache({
    ...{ layout: POINTS, store, versions, clock, workingSet },
    ...{ groupOf: (token) => token, namesOf, ofAll: OF_ALL_TOKENS, touched, complete: completeSpans, readFurther },
    dropped: latest.forget,
  });
  await cache.sync();

  return {
    ...cache,
    /** The latest price as served, and the latest price of one source. */
    latest: latest.served,
    latestOf: latest.of,
    /** Identifies the stored prices. Rises with each change by any process. */
    pricesVersion: (): number => PRICES.reduce((sum, what) => sum + cache.version(what), 0),
    failover: (): FailoverState => state,
    isFallbackServed: (): boolean => state.served !== PRIMARY_SOURCE,
    /** The first instant with known data: the listing, or an older day in memory. */
    beginning: (token: TokenName): number => knownSince(catalogue.named(token), cache.first(token, 'day')),
    /** The newest sample of a token, from any fetch. */
    newest: (token: TokenName): SourcedSample | undefined => lastSample(cache.series(token, 'minute').all()),

    async recordLatest(...fetched: Parameters<ArchiveStore['recordLatest']>): Promise<void> {
      await traced('store', {}, () => store.recordLatest(...fetched));
      await cache.sync();
    },
  };
}

export type ArchiveCache = Awaited<ReturnType<typeof openArchiveCache>>;
