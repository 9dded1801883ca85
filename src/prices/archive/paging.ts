import { DAY } from '#core/clock';
import type { Interval } from '#prices/model/interval';
import { type Columns, createSeries, type Layout, type Series } from '#prices/model/series';

/** Older rows of minutes stay in the store and are read on request; hours and days are all in memory. */
const MINUTES_IN_MEMORY = 31 * DAY;
/** Rows read from the store at once: of a year of minutes, page by page, so that the event loop turns. */
const PAGE = 2000;

/** The first instant (Unix ms) of which rows are in memory, as of now. */
export const oldestInMemory = (interval: Interval, now: number): number =>
  interval === 'minute' ? now - MINUTES_IN_MEMORY : 0;

/**
 * The stored rows from an instant on (Unix ms), page by page; no page is empty.
 * @param read gives so many of the first rows from an instant on, ascending
 */
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

/** The stored rows from an instant on (Unix ms) as a series of their own. */
export async function readSeries<C extends Columns, Row extends { at: number }>(
  layout: Layout<C, Row>,
  from: number,
  read: (from: number, most: number) => Promise<readonly Row[]>,
): Promise<Series<C, Row>> {
  const series = createSeries(layout);
  for await (const page of pagesFrom(from, read)) series.replaceFrom((page[0] as Row).at, page);
  return series;
}
