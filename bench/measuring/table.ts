/**
 * One measured figure and its target, `bar`. `isReached` is undefined if there is no target. `margin` is the distance of
 * a ratio of two rates from its target, as a share of the target.
 */
export type Figure = { figure: string; measured: string; bar: string; isReached?: boolean; margin?: number };

/** @param measured the rate of one server relative to the rate of another */
export function atLeast(figure: string, measured: number, bar: number): Figure {
  const margin = Math.abs(measured / bar - 1);
  return { figure, measured: measured.toFixed(3), bar: `≥ ${bar}`, isReached: measured >= bar, margin };
}

export function atMost(figure: string, measured: number, bar: number, unit: string): Figure {
  const text = measured >= 100 ? measured.toFixed(0) : measured.toPrecision(3);
  return { figure, measured: `${text} ${unit}`, bar: `≤ ${bar} ${unit}`, isReached: measured <= bar };
}

export function none(figure: string, count: number): Figure {
  return { figure, measured: String(count), bar: '0', isReached: count === 0 };
}

/** A measured value without a target. */
export const seen = (figure: string, measured: string): Figure => ({ figure, measured, bar: '' });

/** A quantile of the numbers. For example, a `share` of 0.99 returns the 99th percentile. */
export function quantile(numbers: readonly number[], share: number): number {
  const ascending = [...numbers].sort((a, b) => a - b);
  return ascending[Math.floor(ascending.length * share)] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export const TABLE_HEAD = '| figure | measured | target | |\n| --- | --- | --- | --- |';

/** @param noise the share by which the rates of two equal servers differ. A smaller margin decides nothing. */
export function printRows(figures: readonly Figure[], noise = 0): void {
  for (const { figure, measured, bar, isReached, margin = Number.POSITIVE_INFINITY } of figures) {
    const verdict = isReached === undefined ? '' : isReached ? 'reached' : 'NOT REACHED';
    console.log(`| ${figure} | ${measured} | ${bar} | ${verdict}${margin < noise ? ', unsure' : ''} |`);
  }
}

export function printTable(figures: readonly Figure[]): void {
  console.log(TABLE_HEAD);
  printRows(figures);
}
