import { DAY, MINUTE } from '#core/clock';
import type { Figure } from './figures.ts';
import type { ChainSample } from './statistics-sources.ts';

/*
 * Figures of the last day that a source does not tell, and that follow from a counter which it does tell: what the
 * counter says now, less what it said a day before. Both were counted by the chain, so the difference was too.
 */

/** The figures of a day, and the counter of which each is a day's growth. */
const COUNTERS = {
  new_addresses: 'unique_addresses_all_time',
  transaction_count: 'transaction_count_all_time',
} as const satisfies Partial<Record<Figure, Figure>>;

type DayFigure = keyof typeof COUNTERS;
export type Counter = (typeof COUNTERS)[DayFigure];
const DAY_FIGURES = Object.keys(COUNTERS) as DayFigure[];

/** Where a source's counters of a chain stood (`at` in Unix ms); one that it did not tell is left out. */
export type CounterSample = { at: number } & Partial<Record<Counter, number>>;

/**
 * How far from a day two samples may lie apart, in ms: samples are taken hourly, so one of them lies within half an
 * hour of the day before. The difference is not scaled to a day: that would be an estimate.
 */
export const DAY_TOLERANCE = 30 * MINUTE;

/** The counters of a sample; undefined when it has none. */
export function countersOf({ at, figures }: ChainSample): CounterSample | undefined {
  const told = Object.values(COUNTERS).flatMap((counter) =>
    figures[counter] === undefined ? [] : [[counter, figures[counter]]],
  );
  return told.length > 0 ? { at, ...Object.fromEntries(told) } : undefined;
}

/** The figures of a day that a source does not tell and that samples of its counters do, a day apart. */
export const countedFigures = (told: readonly Figure[]): DayFigure[] =>
  DAY_FIGURES.filter((figure) => !told.includes(figure) && told.includes(COUNTERS[figure]));

/**
 * The day's figures that a sample does not have of its own, from earlier samples of the same source: the one that
 * lies nearest to a day before it, if there is one within the tolerance. A counter that went back tells nothing.
 */
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
