import { DAY, MINUTE } from '#core/clock';
import { memberNames } from '#core/names';
import { FIGURES, type Figure, type NullReason, type StoredStatistics } from './statistics-records.ts';
import { type ChainSample, figuresOf, type StatisticsSymbol } from './statistics-sources.ts';

/* Computes daily figures that a source does not report, as the current counter minus the counter a day before. */

/** Each daily figure, and the counter from which it is computed. */
const COUNTERS = {
  new_addresses: 'unique_addresses_all_time',
  transaction_count: 'transaction_count_all_time',
} as const satisfies Partial<Record<Figure, Figure>>;

type DayFigure = keyof typeof COUNTERS;
export type Counter = (typeof COUNTERS)[DayFigure];
const DAY_FIGURES = memberNames(COUNTERS);

/** A source's counters for a chain (`at` in Unix ms). A counter that the source did not report is missing. */
export type CounterSample = { at: number } & Partial<Record<Counter, number>>;

/** In ms. An hourly sample is within half an hour of 24 hours ago. Scaling the difference would make it an estimate. */
export const DAY_TOLERANCE = 30 * MINUTE;

export function countersOf({ at, figures }: ChainSample): CounterSample | undefined {
  const reported = Object.values(COUNTERS).flatMap((counter) =>
    figures[counter] === undefined ? [] : [[counter, figures[counter]]],
  );
  return reported.length > 0 ? { at, ...Object.fromEntries(reported) } : undefined;
}

/** The daily figures that a source does not report but that can be computed from its counters. */
export const countedFigures = (reported: readonly Figure[]): DayFigure[] =>
  DAY_FIGURES.filter((figure) => !reported.includes(figure) && reported.includes(COUNTERS[figure]));

/** The differences to the earlier sample closest to 24 hours ago. A counter that has decreased yields no figure. */
export function dayFigures(
  { at, figures }: Pick<ChainSample, 'at' | 'figures'>,
  earlier: readonly CounterSample[],
): Partial<Record<DayFigure, number>> {
  const found: Partial<Record<DayFigure, number>> = {};
  const offDay = (sample: CounterSample) => Math.abs(at - DAY - sample.at);
  const usable = earlier
    .filter((sample) => offDay(sample) <= DAY_TOLERANCE)
    .sort((a, b) => offDay(a) - offDay(b) || a.at - b.at);
  for (const figure of DAY_FIGURES) {
    const counter = COUNTERS[figure];
    const stands = figures[counter];
    const stood = usable.find((sample) => sample[counter] !== undefined)?.[counter];
    if (figures[figure] !== undefined || stands === undefined || stood === undefined) continue;
    if (stands >= stood) found[figure] = stands - stood;
  }
  return found;
}

/** Why each null member of a record is null. `reported` are the figures that its source provides for the chain. */
export function nullReasons(
  record: StoredStatistics,
  symbol: StatisticsSymbol,
  reported: readonly Figure[],
): Record<string, NullReason> {
  const applicable = figuresOf(symbol);
  const counted: readonly Figure[] = countedFigures(reported);
  function reasonOf(figure: Figure): NullReason {
    if (!applicable.includes(figure)) return 'not_applicable';
    if (counted.includes(figure)) return 'pending';
    return reported.includes(figure) ? 'missing' : 'not_reported';
  }
  const figures = FIGURES.filter((figure) => record[figure] === null).map((figure) => [figure, reasonOf(figure)]);
  return Object.fromEntries([...(record.id === null ? [['id', 'not_reported']] : []), ...figures]);
}
