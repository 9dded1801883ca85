import type { RowsFrom } from './series-store.ts';

/** Rows of a series per read. Long series are read page by page, which lets the event loop run. */
const PAGE = 2000;
type Page<Row> = { place: number; page: readonly Row[] };

/** The stored rows of several series in pages; `read` returns the first `most` rows of each, ascending. */
export async function* pagesOf<Row extends { at: number }>(
  series: readonly RowsFrom[],
  read: (series: readonly RowsFrom[], most: number) => Promise<readonly (readonly Row[])[]>,
): AsyncGenerator<Page<Row>> {
  let left = series.map((one, place) => ({ ...one, place }));
  while (left.length > 0) {
    const pages = await read(left, PAGE);
    const next: typeof left = [];
    for (const [i, one] of left.entries()) {
      const page = pages[i] ?? [];
      const last = page.at(-1);
      if (last === undefined) continue;
      yield { place: one.place, page };
      if (page.length === PAGE) next.push({ ...one, from: last.at + 1 });
    }
    left = next;
  }
}
