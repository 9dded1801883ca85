import { type Catalogue, knownSince } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import { completeSpans, INTERVALS, type Interval, spacingOf } from '#prices/model/interval';
import {
  DEFAULT_SOURCES,
  MARKET_SOURCES,
  type MarketSourceName,
  PRIMARY_SOURCE,
  type SourceOrder,
} from '#prices/model/market-sources';
import { missingPoints } from '#prices/model/missing-samples';
import type { SourcedSample } from '#prices/model/sample';
import { lastSample, POINTS } from '#prices/model/series';
import { createSeriesCache, type Further } from '#prices/series/series-cache';
import type { RowsFrom } from '#prices/series/series-store';
import { createWorkingSet, type WorkingSet } from '#prices/series/working-set';
import { plausibleTimes } from '#upstream/items/plausible';
import { type ResourceOf, readResource, type SourceResource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import { composeLatest, type SourcedLatest } from './latest-composition.ts';
import type { ArchiveStore, FailoverState, FailoverStore, LatestRow } from './latest-store.ts';

/** The names of the primary source's resources do not contain the source. */
export const latestFetchOf = (source: MarketSourceName): Fetch =>
  source === PRIMARY_SOURCE ? 'latest' : `${source}:latest`;

/** The resources that determine which latest prices are served. */
const PRICES: readonly Fetch[] = [...MARKET_SOURCES.map(latestFetchOf), 'latest-missing', 'failover'];

export const OF_ALL_TOKENS: readonly Fetch[] = [...PRICES, 'retention'];

/** The names of fetches, and of other changes to the cache: import, purge, retention, failover. */
export type Fetch =
  | ('latest' | 'latest-missing' | 'failover' | 'retention')
  | SourceResource
  | ResourceOf<'chart' | 'hours' | 'daily' | 'import' | 'purge' | 'missing'>;

const samplesOf = (source: MarketSourceName, token: TokenName): readonly Fetch[] =>
  source === PRIMARY_SOURCE
    ? [`chart:${token}`, `hours:${token}`, `daily:${token}`]
    : INTERVALS.map((interval) => `${source}:${interval}:${token}` as const);

/** Missing samples of these intervals are requested again. The last day's chart has all five-minute samples. */
export const RETRIED = ['hour', 'day'] as const satisfies readonly Interval[];
/** The name of the stored time since when samples of a series have been missing. */
export const missingOf = (token: TokenName, interval: Interval): Fetch => `missing:${interval}:${token}`;

/** The fetches that provide a token's data, from the given sources. */
export const fetchesOf = (token: TokenName, sources: readonly MarketSourceName[] = MARKET_SOURCES): readonly Fetch[] =>
  sources.flatMap((source) => [latestFetchOf(source), ...samplesOf(source, token)]);

/** The names of changes that concern only this token. */
export const namesOf = (token: TokenName): readonly Fetch[] => [
  ...MARKET_SOURCES.flatMap((source) => samplesOf(source, token)),
  ...RETRIED.map((interval) => missingOf(token, interval)),
  `import:${token}`,
  `purge:${token}`,
];

/** The age of the oldest row that a response for the last day may change, in ms. */
const LAST_DAY = DAY + 2 * HOUR;
/** An exchange's response has fewer samples than this per series, so it changes no older samples. */
const MAX_OF_EXCHANGE = 1000;

/** The rows that a fetch, or another change, may have affected since an instant (Unix ms). */
function touched(what: Fetch, since: number): RowsFrom[] {
  const { kind, token, interval = 'minute' } = readResource(what);
  if (token === undefined || kind === 'missing') return [];
  const from = since - LAST_DAY;
  const recent = (['minute', 'hour'] as const).map((interval) => ({ token, interval, from }));
  if (kind === 'purge') return INTERVALS.map((interval) => ({ token, interval, from: 0 }));
  if (kind === 'hours') return [{ token, interval: 'hour', from: 0 }];
  if (kind === 'daily' || kind === 'import') return [...recent, { token, interval: 'day', from: 0 }];
  if (kind === 'chart') return recent;
  return [{ token, interval, from: since - MAX_OF_EXCHANGE * spacingOf(interval) }];
}

type Dependencies = {
  store: ArchiveStore;
  failover: Pick<FailoverStore, 'read'>;
  versions: Pick<VersionWatcher, 'watch'>;
  catalogue: Pick<Catalogue, 'named'>;
  clock: Clock;
  log: Log;
  sources?: SourceOrder;
  workingSet?: WorkingSet;
};

/** Holds the samples and the latest prices of the archive in memory. The series of a token are loaded together. */
export async function openArchiveCache(dependencies: Dependencies) {
  const { store, failover, versions, catalogue, clock, log } = dependencies;
  const { sources = DEFAULT_SOURCES, workingSet = createWorkingSet({ clock }) } = dependencies;
  const latest = new Map<TokenName, { rows: readonly LatestRow[]; served: SourcedLatest }>();
  const [first = PRIMARY_SOURCE] = sources;
  const startingState: FailoverState = { served: first, since: undefined, differences: [] };
  let state = startingState;

  const latestOf = (token: TokenName, source: MarketSourceName): LatestRow | undefined =>
    latest.get(token)?.rows.find((row) => row.source === source);

  const touchedByLatest = (rows: readonly LatestRow[]): RowsFrom[] =>
    rows.flatMap(({ token, source, at, fetchedAt }) => {
      const before = latestOf(token, source);
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
      state = stored && sources.includes(stored.served) ? stored : startingState;
      const rowsOf = Map.groupBy(prices, ({ token }) => token);
      for (const token of priced.intersection(new Set(cache.loaded()))) {
        const rows = sources.flatMap((source) => rowsOf.get(token)?.find((row) => row.source === source) ?? []);
        const served = composeLatest(rows, sources, state, clock.now());
        if (served) latest.set(token, { rows, served });
        else latest.delete(token);
      }
    }
    return { rows: touchedByLatest(prices), apply };
  }

  const cache = createSeriesCache({
    layout: POINTS,
    store,
    versions,
    clock,
    workingSet,
    groupOf: (token) => token,
    namesOf,
    ofAll: OF_ALL_TOKENS,
    touched,
    readFurther,
    reported: completeSpans,
    missing: missingPoints,
    dropped: (token) => latest.delete(token),
  });
  await cache.sync();

  return {
    ...cache,
    /** The latest price as it is served, and the latest price from one source. */
    latest: (token: TokenName): SourcedLatest | undefined => latest.get(token)?.served,
    latestOf,
    /** The stored latest prices of tokens from all sources, including tokens that are not in memory. */
    storedLatest: (tokens: readonly TokenName[]): Promise<LatestRow[]> =>
      store.latest(tokens, plausibleTimes(clock.now())),
    /** Identifies the stored prices. The number rises with each change by any process. */
    pricesVersion: (): number => PRICES.reduce((sum, what) => sum + cache.version(what), 0),
    failover: (): FailoverState => state,
    isFallbackServed: (): boolean => state.served !== first,
    sources,
    /** The first instant for which data exists: the listing, or an older day in memory. */
    beginning: (token: TokenName): number => knownSince(catalogue.named(token), cache.first(token, 'day')),
    newest: (token: TokenName): SourcedSample | undefined => lastSample(cache.series(token, 'minute').all()),

    async recordLatest(...fetched: Parameters<ArchiveStore['recordLatest']>): Promise<void> {
      await traced('store', {}, () => store.recordLatest(...fetched));
      await cache.sync();
    },
  };
}

export type ArchiveCache = Awaited<ReturnType<typeof openArchiveCache>>;
