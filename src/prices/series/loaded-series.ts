import type { TokenName } from '#catalogue/token';
import { type Clock, DAY, overlap, type Span, subtractSpans } from '#core/clock';
import { INTERVALS, type Interval } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { type Columns, createSeries, type Layout, type Series } from '#prices/model/series';
import type { Coverage } from './series-store.ts';
import type { Evictable, WorkingSet } from './working-set.ts';

/** The maximum age of minutes in memory, in ms. Older minutes are read on request. Hours and days stay in memory. */
const MINUTES_IN_MEMORY = 31 * DAY;

/** The first instant (Unix ms) whose rows are in memory. */
export const oldestInMemory = (interval: Interval, now: number): number =>
  interval === 'minute' ? now - MINUTES_IN_MEMORY : 0;

/** The spans for which sources have responded: spans with all samples, and spans in which samples are missing. */
type Reported = { complete: readonly Span[]; missing: readonly Span[] };
const NOTHING: Reported = { complete: [], missing: [] };

/** The rows and the reported spans of a series: for all sources together (`all`), and for each source. */
type Loaded<C extends Columns, Row> = {
  series: Series<C, Row>;
  all: Reported;
  bySource: ReadonlyMap<MarketSourceName, Reported>;
};
type Group<C extends Columns, Row> = Evictable & { loaded: ReadonlyMap<Interval, Loaded<C, Row>> };

/** Splits the name of a group: a token, or a token and an interval. */
export function seriesIn(group: string): { token: TokenName; interval: Interval }[] {
  const [token = '', only] = group.split(':');
  const intervals = INTERVALS.filter((interval) => only === undefined || interval === only);
  return intervals.map((interval) => ({ token, interval }));
}

export type LoadedOptions<C extends Columns, Row> = {
  layout: Layout<C, Row>;
  clock: Clock;
  workingSet: WorkingSet;
  /** The name of a series' group. The series of a group are loaded and evicted together. */
  groupOf: (token: TokenName, interval: Interval) => string;
  /** The reported spans of a series as of now, from its stored coverage. */
  reported: (coverage: readonly Coverage[], interval: Interval, now: number) => readonly Span[];
  /** The parts of a reported span without rows from a source or the sources preferred to it, or from any source. */
  missing: (interval: Interval, span: Span, series: Series<C, Row>, source?: MarketSourceName) => readonly Span[];
};

/** The series in memory, and their reported spans. Calls `dropped` when it evicts a group. */
export function createLoadedSeries<C extends Columns, Row>(
  options: LoadedOptions<C, Row>,
  dropped: (group: string) => void,
) {
  const { layout, clock, workingSet, groupOf } = options;
  const groups = new Map<string, Group<C, Row>>();

  function of(token: TokenName, interval: Interval): Loaded<C, Row> {
    const name = groupOf(token, interval);
    const group = groups.get(name);
    const loaded = group?.loaded.get(interval);
    if (!group || !loaded) throw new Error(`${name} is not loaded`);
    group.usedAt = clock.elapsed();
    return loaded;
  }

  function reportedBy(token: TokenName, interval: Interval, source?: MarketSourceName): Reported {
    const { all, bySource } = of(token, interval);
    return source === undefined ? all : (bySource.get(source) ?? NOTHING);
  }

  return {
    groups: (): string[] => [...groups.keys()],

    /** Marks a group as used, so that it remains in memory. Returns false if it is not in memory. */
    use(name: string): boolean {
      const group = groups.get(name);
      if (group) group.usedAt = clock.elapsed();
      return group !== undefined;
    },

    /** Adds a group whose series have no rows yet. */
    add(name: string): void {
      const empty = (): Loaded<C, Row> => ({ series: createSeries(layout), all: NOTHING, bySource: new Map() });
      const loaded = new Map(seriesIn(name).map(({ interval }) => [interval, empty()]));
      const group = {
        loaded,
        usedAt: 0,
        bytes: () => loaded.values().reduce((sum, { series }) => sum + series.bytes(), 0),
        drop(): void {
          groups.delete(name);
          dropped(name);
        },
      };
      groups.set(name, group);
      workingSet.add(group);
    },

    /** Rows that are not in memory do not count as missing. */
    setCoverage(name: string, coverage: readonly Coverage[], now: number): void {
      for (const [interval, loaded] of groups.get(name)?.loaded ?? []) {
        const inMemory = { from: oldestInMemory(interval, now), thru: Number.POSITIVE_INFINITY };
        const reportedIn = (rows: readonly Coverage[], source?: MarketSourceName): Reported => {
          const spans = options.reported(rows, interval, now);
          const missing = spans.flatMap((span) => {
            const inside = overlap(span, inMemory);
            return inside ? options.missing(interval, inside, loaded.series, source) : [];
          });
          return { complete: spans.flatMap((span) => subtractSpans(span, missing)), missing };
        };
        const ofSeries = coverage.filter((row) => row.interval === interval && groupOf(row.token, interval) === name);
        const bySource = [...Map.groupBy(ofSeries, ({ source }) => source)];
        loaded.all = reportedIn(ofSeries);
        loaded.bySource = new Map(bySource.map(([source, rows]) => [source, reportedIn(rows, source)]));
      }
    },

    series: (token: TokenName, interval: Interval): Series<C, Row> => of(token, interval).series,

    /** The spans for which all sources, or one source, have responded: with all samples (`coverage`), and without. */
    coverage: (...series: Parameters<typeof reportedBy>) => reportedBy(...series).complete,
    missing: (...series: Parameters<typeof reportedBy>) => reportedBy(...series).missing,

    /** The time of the first row in memory (Unix ms). Does not mark the group as used. */
    first(token: TokenName, interval: Interval): number | undefined {
      const all = groups.get(groupOf(token, interval))?.loaded.get(interval)?.series.all();
      return all && all.start < all.end ? all.columns.at[all.start] : undefined;
    },
  };
}
