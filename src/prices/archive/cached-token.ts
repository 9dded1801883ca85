import { type Span, union } from '#core/span';
import { INTERVALS, type Interval, knowablePart } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { POINTS, type PointSeries } from '#prices/model/points';
import { createSeries } from '#prices/model/series';
import type { Coverage } from './archive-store.ts';

/** `all`: the spans that any source covers; `bySource`: those that each does. */
type Covered = { all: readonly Span[]; bySource: ReadonlyMap<MarketSourceName, readonly Span[]> };
const NOTHING_COVERED: Covered = { all: [], bySource: new Map() };

/** The spans of a series that are complete, as of now: of stored coverage what can be known yet. */
export const coveredSpans = (rows: readonly Pick<Coverage, 'span'>[], interval: Interval, now: number) =>
  union(rows.flatMap(({ span }) => knowablePart(interval, span, now) ?? []));

const forEach = <T>(make: () => T): Record<Interval, T> => ({ minute: make(), hour: make(), day: make() });

/** What is in memory of one token: its series, and their coverage. */
export function createCachedToken() {
  const series: Readonly<Record<Interval, PointSeries>> = forEach(() => createSeries(POINTS));
  const covered = forEach(() => NOTHING_COVERED);

  return {
    series,
    /** The spans that are complete: with what one source has told, or with what any has. */
    coverage(interval: Interval, source?: MarketSourceName): readonly Span[] {
      const { all, bySource } = covered[interval];
      return source === undefined ? all : (bySource.get(source) ?? []);
    },

    /** @param rows the stored coverage of the token, of all intervals */
    setCoverage(rows: readonly Coverage[], now: number): void {
      for (const interval of INTERVALS) {
        const mine = rows.filter((row) => row.interval === interval);
        const told = [...Map.groupBy(mine, ({ source }) => source)];
        covered[interval] = {
          all: coveredSpans(mine, interval, now),
          bySource: new Map(told.map(([source, rows]) => [source, coveredSpans(rows, interval, now)])),
        };
      }
    },

    /** What the series take of memory. */
    bytes: (): number => INTERVALS.reduce((sum, interval) => sum + series[interval].bytes, 0),
  };
}

export type CachedToken = ReturnType<typeof createCachedToken>;
