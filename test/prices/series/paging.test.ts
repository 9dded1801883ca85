import { expect, it } from 'vitest';
import { pagesOf, type RowsFrom } from '#prices/series/series-store';

/** Reads series of `counts` rows each, from an instant on. Returns the rows by series, and the series per read. */
async function readAll(counts: readonly number[], from: number) {
  const stored = counts.map((count) => Array.from({ length: count }, (_, i) => ({ at: 1_000 + 5 * i })));
  const reads: string[][] = [];
  const read = async (series: readonly RowsFrom[], most: number) => {
    reads.push(series.map(({ token }) => token));
    return series.map((one) => (stored[Number(one.token)] ?? []).filter(({ at }) => at >= one.from).slice(0, most));
  };
  const rows = counts.map((): { at: number }[] => []);
  const series = counts.map((_, i) => ({ token: String(i), interval: 'day', from }) as const);
  for await (const { place, page } of pagesOf(series, read)) {
    expect(page.length).toBeGreaterThan(0);
    rows[place]?.push(...page);
  }
  return { stored, rows, reads };
}

it('yields every row of several series once, and reads them together until each has ended', async () => {
  const { stored, rows, reads } = await readAll([4001, 0, 10, 2000, 1999], 1_000);
  expect(rows).toEqual(stored);
  expect(reads).toEqual([['0', '1', '2', '3', '4'], ['0', '3'], ['0']]);
});

it('starts at the requested instant', async () => {
  const { rows } = await readAll([3], 1_001);
  expect(rows).toEqual([[{ at: 1_005 }, { at: 1_010 }]]);
});
