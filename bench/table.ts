/** One figure: what was measured, beside the bar it has to reach. `isReached` is undefined where there is no bar. */
export type Figure = { figure: string; measured: string; bar: string; isReached?: boolean };

/** A ratio of a rate to another, which has to be at least so much. */
export function atLeast(figure: string, measured: number, bar: number): Figure {
  return { figure, measured: measured.toFixed(3), bar: `≥ ${bar}`, isReached: measured >= bar };
}

/** A quantity that has to be at most so much. */
export function atMost(figure: string, measured: number, bar: number, unit: string): Figure {
  const text = measured >= 100 ? measured.toFixed(0) : measured.toPrecision(3);
  return { figure, measured: `${text} ${unit}`, bar: `≤ ${bar} ${unit}`, isReached: measured <= bar };
}

/** Something that must not have happened. */
export function none(figure: string, count: number): Figure {
  return { figure, measured: String(count), bar: '0', isReached: count === 0 };
}

/** What was seen, without a bar. */
export const seen = (figure: string, measured: string): Figure => ({ figure, measured, bar: '' });

/** The number that a part of them is not above: 0.99 of them, say. */
export function quantile(numbers: readonly number[], part: number): number {
  const ascending = [...numbers].sort((a, b) => a - b);
  return ascending[Math.floor(ascending.length * part)] ?? Number.NaN;
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map(({ figure, measured, bar, isReached }) => {
    const verdict = isReached === undefined ? '' : isReached ? 'reached' : 'NOT REACHED';
    return `| ${figure} | ${measured} | ${bar} | ${verdict} |`;
  });
  console.log(['| figure | measured | bar | |', '| --- | --- | --- | --- |', ...rows].join('\n'));
}
