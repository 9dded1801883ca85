import { DAY, type Span, union } from '#core/clock';
import { INTERVALS, type Interval, knowablePart } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { POINTS, type PointSeries } from '#prices/model/sample';
import { type Columns, createSeries, type Layout, type Series } from '#prices/model/series';
import type { Coverage } from './archive-store.ts';
import type { Evictable, WorkingSet } from './working-set.ts';

type Options<Value> = {
  workingSet: WorkingSet;
  bytesOf: (value: Value) => number;
  /** Called when a value has been evicted. */
  dropped: (name: string) => void;
};

/** Stored values in memory, by name. The poll loads and keeps the values of wanted names. */
export function createLazyCache<Value>({ workingSet, bytesOf, dropped }: Options<Value>) {
  const kept = new Map<string, Evictable & { value: Value }>();
  const wanted = new Set<string>();

  function of(name: string): Value {
    const known = kept.get(name);
    if (!known) throw new Error(`${name} is not loaded`);
    workingSet.use(known);
    return known.value;
  }

  return {
    /** Returns a value and marks it as used. Throws if it is not in memory. */
    of,
    /** Returns a value without marking it as used, or undefined if it is not in memory. */
    peek: (name: string): Value | undefined => kept.get(name)?.value,
    kept: (): string[] => [...kept.keys()],
    wanted: (): string[] => [...wanted],

    /**
     * Loads a missing value with a poll. Returns undefined if the value is already in memory, where it remains as long
     * as it is used.
     */
    load(name: string, sync: () => Promise<void>): Promise<void> | undefined {
      if (kept.has(name)) return void of(name);
      wanted.add(name);
      return sync();
    },

    keep(name: string, value: Value): void {
      wanted.delete(name);
      const known = kept.get(name);
      if (known) {
        known.value = value;
        return;
      }
      const resident = {
        value,
        bytes: () => bytesOf(resident.value),
        drop(): void {
          kept.delete(name);
          dropped(name);
        },
      };
      kept.set(name, resident);
      workingSet.use(resident);
    },
  };
}

/** `all`: the spans that any source covers; `bySource`: those of each source. */
type Covered = { all: readonly Span[]; bySource: ReadonlyMap<MarketSourceName, readonly Span[]> };
const NOTHING_COVERED: Covered = { all: [], bySource: new Map() };

/** The complete spans of a series as of now: stored coverage, limited to data that can exist by now. */
export const coveredSpans = (rows: readonly Pick<Coverage, 'span'>[], interval: Interval, now: number) =>
  union(rows.flatMap(({ span }) => knowablePart(interval, span, now) ?? []));

const forEach = <T>(make: () => T): Record<Interval, T> => ({ minute: make(), hour: make(), day: make() });

export function createCachedToken() {
  const series: Readonly<Record<Interval, PointSeries>> = forEach(() => createSeries(POINTS));
  const covered = forEach(() => NOTHING_COVERED);

  return {
    series,
    /** The complete spans of one source, or of all sources together. */
    coverage(interval: Interval, source?: MarketSourceName): readonly Span[] {
      const { all, bySource } = covered[interval];
      return source === undefined ? all : (bySource.get(source) ?? []);
    },

    /** @param rows the stored coverage of the token, of all intervals */
    setCoverage(rows: readonly Coverage[], now: number): void {
      for (const interval of INTERVALS) {
        const mine = rows.filter((row) => row.interval === interval);
        const reported = [...Map.groupBy(mine, ({ source }) => source)];
        covered[interval] = {
          all: coveredSpans(mine, interval, now),
          bySource: new Map(reported.map(([source, rows]) => [source, coveredSpans(rows, interval, now)])),
        };
      }
    },

    bytes: (): number => INTERVALS.reduce((sum, interval) => sum + series[interval].bytes, 0),
  };
}

export type CachedToken = ReturnType<typeof createCachedToken>;

/** Older minute rows remain in the store and are read on request. All hours and days are in memory. */
const MINUTES_IN_MEMORY = 31 * DAY;
/** Rows per read. A year of minutes is read page by page, which lets the event loop run. */
const PAGE = 2000;

/** The first instant (Unix ms) with rows in memory, as of now. */
export const oldestInMemory = (interval: Interval, now: number): number =>
  interval === 'minute' ? now - MINUTES_IN_MEMORY : 0;

/** The stored rows from an instant on (Unix ms), in pages; `read` returns the first `most` rows, ascending. */
export async function* pagesFrom<Row extends { at: number }>(
  from: number,
  read: (from: number, most: number) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for (let next = from; ; ) {
    const page = await read(next, PAGE);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < PAGE) return;
    next = last.at + 1;
  }
}

/** The stored rows from an instant on (Unix ms) as a new series. */
export async function readSeries<C extends Columns, Row extends { at: number }>(
  layout: Layout<C, Row>,
  from: number,
  read: (from: number, most: number) => Promise<readonly Row[]>,
): Promise<Series<C, Row>> {
  const series = createSeries(layout);
  for await (const page of pagesFrom(from, read)) series.replaceFrom((page[0] as Row).at, page);
  return series;
}
