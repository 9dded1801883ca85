import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, overlap, type Span, subtractSpans } from '#core/clock';
import { traced } from '#core/tracing';
import { INTERVALS, type Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { type Columns, createSeries, type Layout, type Series } from '#prices/model/series';
import { pagesOf } from '#prices/series/series-store';
import { plausibleTimes } from '#upstream/items/plausible';
import type { Resource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import type { Coverage, RowsFrom, SeriesStore } from './series-store.ts';
import type { Evictable, WorkingSet } from './working-set.ts';

/** The maximum age of minutes in memory, in ms. Older minutes are read on request. Hours and days stay in memory. */
const MINUTES_IN_MEMORY = 31 * DAY;

/** The first instant (Unix ms) whose rows are in memory. */
const oldestInMemory = (interval: Interval, now: number): number =>
  interval === 'minute' ? now - MINUTES_IN_MEMORY : 0;

/** Merges all changes of a series into one change, which starts at the earliest changed instant in memory. */
function eachOnce(rows: readonly RowsFrom[], now: number): RowsFrom[] {
  const of = new Map<string, RowsFrom>();
  for (const { token, interval, from } of rows) {
    const key = `${interval}:${token}`;
    of.set(key, { token, interval, from: Math.min(from, of.get(key)?.from ?? from) });
  }
  return [...of.values()].map((row) => ({ ...row, from: Math.max(row.from, oldestInMemory(row.interval, now)) }));
}

/** The spans for which sources have responded: spans with all samples, and spans in which samples are missing. */
type Reported = { complete: readonly Span[]; missing: readonly Span[] };
const NOTHING: Reported = { complete: [], missing: [] };

/** The rows and the reported spans of a series: for all sources together (`all`), and for each source. */
type Cached<C extends Columns, Row> = {
  series: Series<C, Row>;
  all: Reported;
  bySource: ReadonlyMap<MarketSourceName, Reported>;
};
type Group<C extends Columns, Row> = Evictable & { cached: ReadonlyMap<Interval, Cached<C, Row>> };

/** Splits the name of a group: a token, or a token and an interval. */
function seriesIn(group: string): { token: TokenName; interval: Interval }[] {
  const [token = '', only] = group.split(':');
  return INTERVALS.filter((interval) => only === undefined || interval === only).map((interval) => ({
    token,
    interval,
  }));
}

/** Further rows that may have changed, and a function to call when all rows are in memory. */
export type Further = { rows: readonly RowsFrom[]; apply: () => void };

type StoredRow = { at: number; final: boolean };

type Options<C extends Columns, Row, Stored extends Row & StoredRow, What extends Resource> = {
  layout: Layout<C, Row>;
  store: Pick<SeriesStore<Stored>, 'coverage' | 'rowsFrom' | 'record'>;
  versions: Pick<VersionWatcher, 'watch'>;
  clock: Clock;
  workingSet: WorkingSet;
  /** The name of a series' group. The series of a group are loaded and evicted together. */
  groupOf: (token: TokenName, interval: Interval) => string;
  /** The resources that concern only one group, and the resources that concern all groups. */
  namesOf: (group: string) => readonly What[];
  ofAll?: readonly What[];
  touched: (resource: What, since: number) => readonly RowsFrom[];
  /** The reported spans of a series as of now, from its stored coverage. */
  reported: (coverage: readonly Coverage[], interval: Interval, now: number) => readonly Span[];
  /** The parts of a reported span without rows from a source or the sources preferred to it, or from any source. */
  missing: (interval: Interval, span: Span, series: Series<C, Row>, source?: MarketSourceName) => readonly Span[];
  readFurther?: (
    changed: readonly What[],
    tokens: readonly TokenName[],
    loading: readonly string[],
  ) => Promise<Further>;
  dropped?: (group: string) => unknown;
};

/** Stored series in memory. Each process stores data first, then reloads it. Call `load` before using a group. */
export function createSeriesCache<C extends Columns, Row, Stored extends Row & StoredRow, What extends Resource>(
  options: Options<C, Row, Stored, What>,
) {
  const { layout, store, versions, clock, workingSet, groupOf, namesOf, ofAll = [], touched } = options;
  const kept = new Map<string, Group<C, Row>>();
  const wanted = new Set<string>();
  let generation = 0;
  let polledAt = clock.now();

  function emptyGroup(name: string): Group<C, Row> {
    const cached = new Map(
      seriesIn(name).map(({ interval }): [Interval, Cached<C, Row>] => [
        interval,
        { series: createSeries(layout), all: NOTHING, bySource: new Map() },
      ]),
    );
    return {
      cached,
      usedAt: 0,
      bytes: () => cached.values().reduce((sum, { series }) => sum + series.bytes, 0),
      drop(): void {
        kept.delete(name);
        forget(namesOf(name));
        options.dropped?.(name);
      },
    };
  }

  function of(token: TokenName, interval: Interval): Cached<C, Row> {
    const name = groupOf(token, interval);
    const group = kept.get(name);
    const cached = group?.cached.get(interval);
    if (!group || !cached) throw new Error(`${name} is not loaded`);
    group.usedAt = clock.elapsed();
    return cached;
  }

  function reportedBy(token: TokenName, interval: Interval, source?: MarketSourceName): Reported {
    const { all, bySource } = of(token, interval);
    return source === undefined ? all : (bySource.get(source) ?? NOTHING);
  }

  /** Rows that are not in memory do not count as missing. */
  function setCoverage(group: string, coverage: readonly Coverage[], now: number): void {
    for (const [interval, cached] of kept.get(group)?.cached ?? []) {
      const inMemory = { from: oldestInMemory(interval, now), thru: Number.POSITIVE_INFINITY };
      const reportedIn = (rows: readonly Coverage[], source?: MarketSourceName): Reported => {
        const spans = options.reported(rows, interval, now);
        const missing = spans.flatMap((span) => {
          const inside = overlap(span, inMemory);
          return inside ? options.missing(interval, inside, cached.series, source) : [];
        });
        return { complete: spans.flatMap((span) => subtractSpans(span, missing)), missing };
      };
      const ofSeries = coverage.filter((row) => row.interval === interval && groupOf(row.token, interval) === group);
      const bySource = [...Map.groupBy(ofSeries, ({ source }) => source)];
      cached.all = reportedIn(ofSeries);
      cached.bySource = new Map(bySource.map(([source, rows]) => [source, reportedIn(rows, source)]));
    }
  }

  /** Reads the coverage before the rows and sets it after them, so that it never covers rows that are not loaded. */
  async function reload(changed: readonly What[]): Promise<void> {
    const now = clock.now();
    const times = plausibleTimes(now);
    const loading = new Map([...wanted].map((name) => [name, emptyGroup(name)]));
    const groups = [...loading.keys()];
    const rows = [
      ...groups.flatMap(seriesIn).map((series) => ({ ...series, from: 0 })),
      ...changed.flatMap((resource) => touched(resource, polledAt)),
    ];
    const tokens = [...new Set(rows.map(({ token }) => token))];
    const coverage = tokens.length > 0 ? await store.coverage(tokens) : [];
    const further = await options.readFurther?.(changed, tokens, groups);
    const series = eachOnce([...rows, ...(further?.rows ?? [])], now);
    const read = series.map((): Stored[] => []);
    const pages = pagesOf(series, (some, most) => store.rowsFrom(some, times, most));
    for await (const { place, page } of pages) read[place]?.push(...page);

    for (const [name, group] of loading) {
      wanted.delete(name);
      kept.set(name, group);
      workingSet.add(group);
    }
    for (const [place, { token, interval, from }] of series.entries()) {
      // Loading another cache may have evicted the group in the meantime.
      if (!kept.has(groupOf(token, interval))) continue;
      const { series } = of(token, interval);
      series.dropBefore(oldestInMemory(interval, now));
      series.replaceFrom(from, read[place] ?? []);
    }
    for (const name of new Set(rows.map(({ token, interval }) => groupOf(token, interval)))) {
      setCoverage(name, coverage, now);
    }
    further?.apply();
    // Responses contain only loaded data, so changes to other data do not count.
    const news = new Set(changed).difference(new Set(groups.flatMap(namesOf)));
    if (news.size > 0) generation += 1;
    polledAt = now;
    workingSet.trim();
  }

  const names = () => [...ofAll, ...[...kept.keys(), ...wanted].flatMap(namesOf)];
  const listeners: (() => void)[] = [];
  const reloaded = () => listeners.forEach((listen) => void listen());
  const { sync, version, fetchedAt, forget } = versions.watch<What>({ names, reload, reloaded });

  return {
    sync,
    version,
    fetchedAt,
    onChange: (listener: () => void): void => void listeners.push(listener),
    loaded: (): string[] => [...kept.keys()],

    /** Loads a group with the next poll. Returns undefined if it is in memory, where it remains while it is in use. */
    load(name: string): Promise<void> | undefined {
      const group = kept.get(name);
      if (!group) {
        wanted.add(name);
        return sync();
      }
      group.usedAt = clock.elapsed();
      return undefined;
    },

    series: (token: TokenName, interval: Interval): Series<C, Row> => of(token, interval).series,

    /** The spans for which all sources, or one source, have responded: with all samples (`coverage`), and without. */
    coverage: (...series: Parameters<typeof reportedBy>) => reportedBy(...series).complete,
    missing: (...series: Parameters<typeof reportedBy>) => reportedBy(...series).missing,

    /** The time of the first row in memory (Unix ms). Does not mark the group as used. */
    first(token: TokenName, interval: Interval): number | undefined {
      const all = kept.get(groupOf(token, interval))?.cached.get(interval)?.series.all();
      return all && all.start < all.end ? all.columns.at[all.start] : undefined;
    },

    generation: () => generation,

    /** The series from the start of a span on. It is read from the store if the start is not in memory. */
    async reaching(token: TokenName, interval: Interval, { from, thru }: Span): Promise<Series<C, Row>> {
      const now = clock.now();
      const { series } = of(token, interval);
      if (from >= oldestInMemory(interval, now)) return series;
      const times = plausibleTimes(now);
      const span = { ...times, thru: Math.min(times.thru, thru) };
      const older = createSeries(layout);
      const pages = pagesOf([{ token, interval, from }], (some, most) => store.rowsFrom(some, span, most));
      for await (const { page } of pages) older.replaceFrom(page[0]?.at ?? from, page);
      return older;
    },

    async record(...fetched: Parameters<SeriesStore<Stored>['record']>): Promise<void> {
      await traced('store', {}, () => store.record(...fetched));
      await sync();
    },
  };
}
