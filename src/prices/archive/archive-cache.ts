import type { Catalogue } from '#catalogue/catalogue';
import { knownSince, type TokenName } from '#catalogue/token';
import type { Clock, Span } from '#core/clock';
import type { Log } from '#core/log';
import {
  type Fetch,
  namesOf,
  OF_ALL_TOKENS,
  type Touched,
  tokenOf,
  touched,
  touchedWhole,
} from '#prices/archive/fetch-names';
import { createLatestPrices } from '#prices/archive/latest-prices';
import type { Interval } from '#prices/model/interval';
import { type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { firstSample, lastSample, POINTS, type PointSeries, type SourcedSample } from '#prices/model/sample';
import { plausibleTimes } from '#upstream/plausible';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { ArchiveStore, LatestRow } from './archive-store.ts';
import { type FailoverState, type FailoverStore, STARTING_STATE } from './latest-store.ts';
import { type CachedToken, createCachedToken, createLazyCache, oldestInMemory, readSeries } from './lazy-cache.ts';
import { createWorkingSet, type WorkingSet } from './working-set.ts';

type Dependencies = {
  store: ArchiveStore;
  failover: Pick<FailoverStore, 'read'>;
  versions: Pick<VersionWatcher, 'watch'>;
  catalogue: Pick<Catalogue, 'named'>;
  clock: Clock;
  log: Log;
  /** Whether the fallback's prices may be served. */
  hasFallback?: boolean;
  workingSet?: WorkingSet;
};

/** Merges the rows of each series into one, which starts at the earliest instant but not before the data in memory. */
function eachOnce(rows: readonly Touched[], now: number): Touched[] {
  const of = new Map<string, Touched>();
  for (const { token, interval, from } of rows) {
    const key = `${interval}:${token}`;
    of.set(key, { token, interval, from: Math.min(from, of.get(key)?.from ?? from) });
  }
  return [...of.values()].map((row) => ({ ...row, from: Math.max(row.from, oldestInMemory(row.interval, now)) }));
}

const firstDayOf = (token: CachedToken | undefined): number | undefined =>
  token && firstSample(token.series.day.all())?.at;

/**
 * The archive in memory. Data is stored first and then reloaded, in every process alike. A token must be loaded
 * (`load`) before use.
 */
export async function openArchiveCache(dependencies: Dependencies) {
  const { store, failover, versions, catalogue, clock, log } = dependencies;
  const { hasFallback = true, workingSet = createWorkingSet({ clock }) } = dependencies;
  const tokens = createLazyCache<CachedToken>({
    workingSet,
    bytesOf: (token) => token.bytes(),
    dropped(token): void {
      latest.forget(token);
      forget(namesOf(token));
    },
  });
  const latest = createLatestPrices();
  let state = STARTING_STATE;
  let generation = 0;
  let polledAt = clock.now();

  /** The instants from which new latest prices may have changed a series. */
  const touchedByLatest = (rows: readonly LatestRow[]): Touched[] =>
    rows.flatMap(({ token, source, at, fetchedAt }) => {
      const before = latest.of(token, source);
      if (before?.fetchedAt === fetchedAt) return [];
      const from = Math.min(at, before?.at ?? at);
      return (['minute', 'hour'] as const).map((interval) => ({ token, interval, from }));
    });

  /**
   * The coverage is read before the samples and set after them, so that it never covers samples that are not loaded.
   */
  async function reload(changed: readonly Fetch[]): Promise<void> {
    const now = clock.now();
    const times = plausibleTimes(now);
    const loading = new Map(tokens.wanted().map((token) => [token, createCachedToken()]));
    const rows = [...[...loading.keys()].flatMap(touchedWhole), ...changed.flatMap((what) => touched(what, polledAt))];
    const affected = new Set(rows.map(({ token }) => token));
    const loaded = tokens.kept();
    const news = changed.map(tokenOf).filter((token) => token === undefined || loaded.includes(token));
    const priced = new Set([...affected, ...(news.includes(undefined) ? loaded : [])]);
    const stored = changed.includes('failover') ? await failover.read() : state;
    const coverage = affected.size > 0 ? await store.coverage([...affected]) : [];
    const prices = priced.size > 0 ? await store.latest([...priced], times) : [];
    const series = eachOnce([...rows, ...touchedByLatest(prices)], now);
    const samples = series.length > 0 ? await store.samplesFrom(series, times) : [];
    const implausibleRows = loading.size > 0 ? await store.implausibleRows(times, [...loading.keys()]) : [];
    for (const row of implausibleRows) log.warn(row, 'implausible rows excluded');

    series.forEach(({ token, interval, from }, i) => {
      const { series } = loading.get(token) ?? tokens.of(token);
      // A full reload also removes data that is no longer needed in memory.
      const isWhole = from <= oldestInMemory(interval, now);
      series[interval].replaceFrom(isWhole ? Number.NEGATIVE_INFINITY : from, samples[i] ?? []);
    });
    for (const [token, cached] of loading) tokens.keep(token, cached);
    const coverageOf = Map.groupBy(coverage, ({ token }) => token);
    for (const token of affected) tokens.of(token).setCoverage(coverageOf.get(token) ?? [], now);
    state = stored && (hasFallback || stored.served === PRIMARY_SOURCE) ? stored : STARTING_STATE;
    latest.set(priced, prices, state);
    // No response contains data that is not loaded, so changes to other data do not count.
    if (news.length > 0) generation += 1;
    polledAt = now;
    workingSet.trim();
  }

  const names = (): readonly Fetch[] => [...OF_ALL_TOKENS, ...[...tokens.kept(), ...tokens.wanted()].flatMap(namesOf)];
  const { sync, version, fetchedAt, forget } = versions.watch<Fetch>({ names, reload });
  await sync();

  return {
    sync,
    version,
    fetchedAt,
    loaded: tokens.kept,
    /** Loads a token. Returns undefined if the token is already in memory, where it remains as long as it is used. */
    load: (token: TokenName): Promise<void> | undefined => tokens.load(token, sync),
    series: (token: TokenName, interval: Interval) => tokens.of(token).series[interval],

    /** The complete spans of one source, or of all sources together. */
    coverage: (token: TokenName, interval: Interval, source?: MarketSourceName): readonly Span[] =>
      tokens.of(token).coverage(interval, source),

    /** The latest price as served, and the latest price of one source. */
    latest: latest.served,
    latestOf: latest.of,
    /** The source of latest prices as of the last reload. */
    failover: (): FailoverState => state,
    /** Rises with each change to the data in memory. */
    generation: () => generation,
    /** The first instant with known data: the listing, or an older day in memory. */
    beginning: (token: TokenName): number => knownSince(catalogue.named(token), firstDayOf(tokens.peek(token))),

    /** The series from an instant on, read from the store if memory does not reach back that far. */
    async reaching(token: TokenName, interval: Interval, from: number): Promise<PointSeries> {
      const series = tokens.of(token).series[interval];
      if (from >= oldestInMemory(interval, clock.now())) return series;
      const times = plausibleTimes(clock.now());
      return readSeries(POINTS, from, (next, most) =>
        store.samples(token, interval, { ...times, from: Math.max(times.from, next) }, most),
      );
    },

    /** The newest sample of a token, from any fetch. */
    newest: (token: TokenName): SourcedSample | undefined => lastSample(tokens.of(token).series.minute.all()),

    async record(...fetched: Parameters<ArchiveStore['record']>): Promise<void> {
      await store.record(...fetched);
      await sync();
    },

    async recordLatest(...fetched: Parameters<ArchiveStore['recordLatest']>): Promise<void> {
      await store.recordLatest(...fetched);
      await sync();
    },
  };
}

export type ArchiveCache = Awaited<ReturnType<typeof openArchiveCache>>;
