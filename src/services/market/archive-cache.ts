import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { Catalogue } from '#domain/market/catalogue';
import { type Interval, knowablePart } from '#domain/market/interval';
import { plausibleTimes } from '#domain/market/plausible-sample';
import type { Sample } from '#domain/market/sample';
import { createSeries, type Series, type ToldSample } from '#domain/market/series';
import { MARKET_SOURCES, type MarketSourceName } from '#domain/market/sources/provenance';
import { type FailoverState, startingState } from '#domain/market/sources/source-failover';
import { type Span, union } from '#domain/market/span';
import { knownSince, type TokenName } from '#domain/market/token';
import { oldestInMemory, pagesFrom } from '#services/caching/stored-rows';
import { createPoll } from '#services/upstream/poll';
import type { ArchiveStore, Coverage, SeriesSummary, SeriesUpdate } from '#stores/market/archive';
import type { FailoverStore } from '#stores/market/failover';
import type { RefreshStore } from '#stores/upstream/claims-and-budgets';
import { type Fetch, isFetch, LAST_DAY, type Touched, touched } from './fetch-names.ts';
import { createLatestPrices } from './latest-prices.ts';

/** `coverage`: what any source covers; `bySource`: what each does. */
type CachedSeries = {
  series: Series;
  coverage: Span[];
  bySource: ReadonlyMap<MarketSourceName, Span[]>;
  loadedAt: number;
};

/** The spans of a series that are complete, as of now: of stored coverage what can be known yet. */
export const coveredSpans = (rows: readonly Pick<Coverage, 'span'>[], interval: Interval, now: number) =>
  union(rows.flatMap(({ span }) => knowablePart(interval, span, now) ?? []));

type Dependencies = {
  store: ArchiveStore;
  failover: Pick<FailoverStore, 'read'>;
  refreshes: Pick<RefreshStore, 'all'>;
  catalogue: Pick<Catalogue, 'all' | 'named'>;
  clock: Clock;
  log: Log;
  /** The sources of prices in their order. */
  line?: readonly MarketSourceName[];
};

/**
 * The archive in memory: for each token and interval its series and its coverage. What is fetched is written to the
 * store first and then reloaded, in this process as in every other, so that the memory is what is stored.
 */
export async function openArchiveCache(dependencies: Dependencies) {
  const { store, failover, refreshes, catalogue, clock, log, line = MARKET_SOURCES } = dependencies;
  const starting = startingState(line[0] as MarketSourceName);
  const cached = new Map<string, CachedSeries>();
  const latest = createLatestPrices(line);
  let state = starting;
  let summary: Promise<SeriesSummary[]> | undefined;
  let generation = 0;

  const oldest = (interval: Interval) => oldestInMemory(interval, clock.now());
  function of(token: TokenName, interval: Interval): CachedSeries {
    const key = `${token}:${interval}`;
    const known = cached.get(key) ?? {
      series: createSeries(),
      coverage: [],
      bySource: new Map(),
      loadedAt: 0,
    };
    cached.set(key, known);
    return known;
  }

  /** The plausible samples from an instant on. */
  function samples(token: TokenName, interval: Interval, from: number, most?: number) {
    const times = plausibleTimes(clock.now());
    return store.samples(token, interval, { ...times, from: Math.max(times.from, from) }, most);
  }

  async function loadSeries(token: TokenName, interval: Interval, from: number): Promise<void> {
    const mine = of(token, interval);
    const now = clock.now();
    const since = Math.max(oldest(interval), Math.min(from, mine.loadedAt - LAST_DAY));
    // Where all may have changed, what memory no longer needs goes too.
    mine.series.replaceFrom(
      from === 0 ? Number.NEGATIVE_INFINITY : since,
      await samples(token, interval, since),
    );
    mine.loadedAt = now;
  }

  function setCoverage(rows: readonly Coverage[]): void {
    const now = clock.now();
    for (const series of cached.values()) Object.assign(series, { coverage: [], bySource: new Map() });
    for (const [token, ofToken] of Map.groupBy(rows, (row) => row.token)) {
      for (const [interval, mine] of Map.groupBy(ofToken, (row) => row.interval)) {
        const told = [...Map.groupBy(mine, ({ source }) => source)];
        const spans = told.map(([source, rows]) => [source, coveredSpans(rows, interval, now)] as const);
        const coverage = coveredSpans(mine, interval, now);
        Object.assign(of(token, interval), { coverage, bySource: new Map(spans) });
      }
    }
  }

  async function reload(changed: readonly Fetch[]): Promise<void> {
    const rows = new Map<string, Touched>();
    const names = catalogue.all().map(({ name }) => name);
    for (const row of changed.flatMap((what) => touched(what, clock.now(), names))) {
      const key = `${row.token}:${row.interval}`;
      rows.set(key, { ...row, from: Math.min(row.from, rows.get(key)?.from ?? row.from) });
    }
    await load([...rows.values()], changed.includes('failover'));
  }

  /** The coverage is read before the samples and set after them: it must not cover samples that are not loaded. */
  async function load(rows: readonly Touched[], isToldChanged: boolean): Promise<void> {
    const coverage = await store.coverage();
    const stored = isToldChanged ? await failover.read() : state;
    await Promise.all(rows.map(({ token, interval, from }) => loadSeries(token, interval, from)));
    setCoverage(coverage);
    const prices = await store.latest(plausibleTimes(clock.now()));
    // One that is not in the line any more is not told.
    state = stored && line.includes(stored.told) ? stored : starting;
    latest.set(prices, state);
    summary = undefined;
    generation += 1;
  }

  // No version is known yet, so the first poll loads everything.
  const { sync, version, fetchedAt } = createPoll({ refreshes, concerns: isFetch, reload });
  await sync();
  for (const row of await store.leftAside(plausibleTimes(clock.now()))) {
    log.warn(row, 'rows that cannot be true are left aside');
  }

  return {
    sync,
    version,
    fetchedAt,
    series: (token: TokenName, interval: Interval) => of(token, interval).series,

    /** The spans that are complete: with what one source has told, or with what any has. */
    coverage(token: TokenName, interval: Interval, source?: MarketSourceName): readonly Span[] {
      const { coverage, bySource } = of(token, interval);
      return source === undefined ? coverage : (bySource.get(source) ?? []);
    },

    /** The latest price of a token as it is told, or as one source has told it last. */
    latest: latest.told,
    latestOf: latest.of,

    /** Which source of latest prices is told, as far as this process knows: it reads it with what is stored. */
    failover: (): FailoverState => state,

    /** Rises with each reload. */
    generation: () => generation,

    /** The first instant of which anything is known: the listing, or a stored day of before it. */
    beginning: (token: TokenName): number =>
      knownSince(catalogue.named(token), of(token, 'day').series.firstFrom(0)?.at),

    /** The series from an instant on: read from the store where the memory does not go back so far. */
    async reaching(token: TokenName, interval: Interval, from: number): Promise<Series> {
      const { series } = of(token, interval);
      if (from >= oldest(interval)) return series;
      const older = createSeries();
      const read = (next: number, most: number) => samples(token, interval, next, most);
      for await (const page of pagesFrom(from, read)) older.replaceFrom((page[0] as Sample).at, page);
      return older;
    },

    /** The newest sample of a token, whichever fetch brought it. */
    newest: (token: TokenName): ToldSample | undefined => of(token, 'minute').series.last(),

    /** Stores what an answer of a source brought for a token. */
    async record(
      source: MarketSourceName,
      what: Fetch,
      token: TokenName,
      updates: readonly SeriesUpdate[],
      at: number,
    ): Promise<void> {
      await store.record(source, what, token, updates, at);
      await sync();
    },

    /** Stores the latest prices of an answer of a source. */
    async recordLatest(
      source: MarketSourceName,
      what: Fetch,
      rows: Parameters<ArchiveStore['recordLatest']>[2],
      at: number,
    ): Promise<void> {
      await store.recordLatest(source, what, rows, at);
      await sync();
    },

    /** For each series and source its first and last sample and their number, counted by the store once after each change. */
    summary(): Promise<SeriesSummary[]> {
      summary ??= store.summary(plausibleTimes(clock.now())).catch((error) => {
        summary = undefined;
        throw error;
      });
      return summary;
    },
  };
}

export type ArchiveCache = Awaited<ReturnType<typeof openArchiveCache>>;
