import type { TokenName } from '#catalogue/token';
import type { Span } from '#core/clock';
import { traced } from '#core/tracing';
import type { Interval } from '#prices/model/interval';
import { type Columns, createSeries, type Series } from '#prices/model/series';
import { plausibleTimes } from '#upstream/items/plausible';
import type { Resource } from '#upstream/resource';
import type { VersionWatcher } from '#upstream/version-watcher';
import { createLoadedSeries, type LoadedOptions, oldestInMemory, seriesIn } from './loaded-series.ts';
import { pagesOf, type RowsFrom, type SeriesStore } from './series-store.ts';

/** Merges all changes of a series into one change, which starts at the earliest changed instant in memory. */
function eachOnce(rows: readonly RowsFrom[], now: number): RowsFrom[] {
  const of = new Map<string, RowsFrom>();
  for (const { token, interval, from } of rows) {
    const key = `${interval}:${token}`;
    of.set(key, { token, interval, from: Math.min(from, of.get(key)?.from ?? from) });
  }
  return [...of.values()].map((row) => ({ ...row, from: Math.max(row.from, oldestInMemory(row.interval, now)) }));
}

/** Further rows that may have changed, and a function to call when all rows are in memory. */
export type Further = { rows: readonly RowsFrom[]; apply: () => void };

type StoredRow = { at: number; final: boolean };

type Options<C extends Columns, Row, Stored extends Row & StoredRow, What extends Resource> = LoadedOptions<C, Row> & {
  store: Pick<SeriesStore<Stored>, 'coverage' | 'rowsFrom' | 'record'>;
  versions: Pick<VersionWatcher, 'watch'>;
  /** The resources that concern only one group, and the resources that concern all groups. */
  namesOf: (group: string) => readonly What[];
  ofAll?: readonly What[];
  touched: (resource: What, since: number) => readonly RowsFrom[];
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
  const loaded = createLoadedSeries(options, (name) => {
    forget(namesOf(name));
    options.dropped?.(name);
  });
  const wanted = new Set<string>();
  let generation = 0;
  let polledAt = clock.now();

  /** Reads the coverage before the rows and sets it after them, so that it never covers rows that are not loaded. */
  async function reload(changed: readonly What[]): Promise<void> {
    const now = clock.now();
    const times = plausibleTimes(now);
    const loading = [...wanted];
    const rows = [
      ...loading.flatMap(seriesIn).map((series) => ({ ...series, from: 0 })),
      ...changed.flatMap((resource) => touched(resource, polledAt)),
    ];
    const tokens = [...new Set(rows.map(({ token }) => token))];
    const coverage = tokens.length > 0 ? await store.coverage(tokens) : [];
    const further = await options.readFurther?.(changed, tokens, loading);
    const series = eachOnce([...rows, ...(further?.rows ?? [])], now);
    const read = series.map((): Stored[] => []);
    const pages = pagesOf(series, (some, most) => store.rowsFrom(some, times, most));
    for await (const { place, page } of pages) read[place]?.push(...page);

    for (const name of loading) {
      wanted.delete(name);
      loaded.add(name);
    }
    for (const [place, { token, interval, from }] of series.entries()) {
      // Loading another cache may have evicted the group in the meantime.
      if (!loaded.use(groupOf(token, interval))) continue;
      const series = loaded.series(token, interval);
      series.dropBefore(oldestInMemory(interval, now));
      series.replaceFrom(from, read[place] ?? []);
    }
    for (const name of new Set(rows.map(({ token, interval }) => groupOf(token, interval)))) {
      loaded.setCoverage(name, coverage, now);
    }
    further?.apply();
    // Responses contain only loaded data, so changes to other data do not count.
    const news = new Set(changed).difference(new Set(loading.flatMap(namesOf)));
    if (news.size > 0) generation += 1;
    polledAt = now;
    workingSet.trim();
  }

  const names = () => [...ofAll, ...[...loaded.groups(), ...wanted].flatMap(namesOf)];
  const listeners: (() => void)[] = [];
  const reloaded = () => listeners.forEach((listen) => void listen());
  const { sync, version, fetchedAt, forget } = versions.watch<What>({ names, reload, reloaded });

  return {
    sync,
    version,
    fetchedAt,
    onChange: (listener: () => void): void => void listeners.push(listener),
    loaded: loaded.groups,

    /** Loads a group with the next poll. Returns undefined if it is in memory, where it remains while it is in use. */
    load(name: string): Promise<void> | undefined {
      if (loaded.use(name)) return undefined;
      wanted.add(name);
      return sync();
    },

    series: loaded.series,
    coverage: loaded.coverage,
    missing: loaded.missing,
    first: loaded.first,
    generation: () => generation,

    /** The series from the start of a span on. It is read from the store if the start is not in memory. */
    async reaching(token: TokenName, interval: Interval, { from, thru }: Span): Promise<Series<C, Row>> {
      const now = clock.now();
      const series = loaded.series(token, interval);
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
