import { expect, it } from 'vitest';
import type { RowsFrom } from '#prices/archive/series-store';
import { pagesOf } from '#prices/archive/series-store';

const seriesOf = (token: string, from: number) => ({ token, interval: 'day', from }) as const;

/** Reads series of `counts` rows each, from an instant on; returns the rows by place, and the sizes of the reads. */
async function readAll(counts: readonly number[], from: number) {
  const stored = counts.map((count) => Array.from({ length: count }, (_, i) => ({ at: 1_000 + 5 * i })));
  const reads: number[] = [];
  const read = async (series: readonly RowsFrom[], most: number) => {
    reads.push(series.length);
    return series.map((one) => (stored[Number(one.token)] ?? []).filter(({ at }) => at >= one.from).slice(0, most));
  };
  const rows = counts.map((): { at: number }[] => []);
  const series = counts.map((_, place) => seriesOf(String(place), from));
  for await (const { place, page } of pagesOf(series, read)) {
    expect(page.length).toBeGreaterThan(0);
    rows[place]?.push(...page);
  }
  return { stored, rows, reads };
}

it.each([0, 1, 1999, 2000, 2001, 4000])('%i stored rows come once each, in pages that are not empty', async (count) => {
  const { stored, rows } = await readAll([count], 1_000);
  expect(rows).toEqual(stored);
});

it('reads several series together until each has ended', async () => {
  const { stored, rows, reads } = await readAll([4001, 0, 10, 2000], 1_000);
  expect(rows).toEqual(stored);
  expect(reads).toEqual([4, 2, 1]);
});

it('starts at the requested instant', async () => {
  const { rows } = await readAll([3], 1_001);
  expect(rows).toEqual([[{ at: 1_005 }, { at: 1_010 }]]);
});
