import { DAY, isoDate, SECOND, spreadsheetTime, startOfDate } from '#core/clock';
import type { Currency } from '#prices/model/currency';
import type { Window } from '#prices/model/interval';
import { MARKET_SOURCES, sourcesByFrequency } from '#prices/model/market-sources';
import type { PointColumns } from '#prices/model/series';
import { type Body, bodyOf, longBodyOf } from '#server/responses/response-body';

/** Writes rows as text, in pieces. Requests for the same rows share a response if the form's name is the same. */
export type Form<Columns> = {
  name: string;
  render: (columns: Columns, currency?: Currency) => Iterable<string>;
};

/** The number of rows per piece. Writing a piece takes a fraction of a millisecond. */
const PIECE_ROWS = 250;

/** Yields the rows of each piece. Skips indexes for which `row` returns undefined. */
function* inPieces<Row>(count: number, row: (place: number) => Row | undefined): Generator<Row[]> {
  for (let start = 0; start < count; start += PIECE_ROWS) {
    const rows: Row[] = [];
    for (let i = start; i < Math.min(start + PIECE_ROWS, count); i++) {
      const value = row(i);
      if (value !== undefined) rows.push(value);
    }
    if (rows.length > 0) yield rows;
  }
}

/** Writes a JSON array in pieces: a year of minutes has 300,000 points. `JSON.stringify` is faster than a template. */
export const inJson = (count: number, row: (place: number) => object | undefined): Generator<string> =>
  enclosed(
    ['[', ']'],
    inPieces(count, row).map((rows) => JSON.stringify(rows).slice(1, -1)),
  );

/** Writes texts in pieces, with commas between them, within brackets. */
export function* enclosed([open, close]: readonly [string, string], texts: Iterable<string>): Generator<string> {
  let before = open;
  for (const text of texts) {
    yield before + text;
    before = ',';
  }
  yield before === open ? open + close : close;
}

/** The event loop can run between the records of a list with more records than this. */
const LONG_LIST = 200;

/** Writes a list of records as JSON. `recordOf` converts an item to a record. */
export async function bodyOfList<Item>(
  items: readonly Item[],
  recordOf: (item: Item) => unknown = (item) => item,
): Promise<Body> {
  const pieces = () =>
    enclosed(
      ['[', ']'],
      items.values().map((item) => JSON.stringify(recordOf(item))),
    );
  return items.length > LONG_LIST ? longBodyOf(pieces) : bodyOf([...pieces()].join(''));
}

/** Writes CSV (RFC 4180) in pieces. The currency column prevents confusion with dollars. Skips undefined rows. */
export function* inCsv(
  header: string,
  count: number,
  fields: (place: number) => string | undefined,
  currency?: Currency,
): Generator<string> {
  const [name, end] = currency === undefined ? ['', '\r\n'] : [',currency', `,${currency}\r\n`];
  yield `${header}${name}\r\n`;
  for (const rows of inPieces(count, fields)) yield rows.join(end) + end;
}

const ARRAYS = [
  ['prices', 'price'],
  ['market_cap', 'marketCap'],
  ['total_volume', 'volume'],
] as const;

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TWO_DIGITS = Array.from({ length: 60 }, (_, i) => String(i).padStart(2, '0'));
const twoDigits = (i: number) => TWO_DIGITS[i] as string;

/** The date part of an HTTP-date. `toUTCString` takes several times as long. */
function dateText(instant: number): string {
  const date = new Date(instant);
  const month = MONTHS[date.getUTCMonth()];
  return `${WEEKDAYS[date.getUTCDay()]}, ${twoDigits(date.getUTCDate())} ${month} ${date.getUTCFullYear()} `;
}

function timeText(ms: number): string {
  if (ms === 0) return '00:00:00 GMT';
  const seconds = Math.floor(ms / SECOND);
  const minutes = Math.floor(seconds / 60);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${twoDigits(seconds % 60)} GMT`;
}

export const httpDate = (instant: number): string => dateText(instant) + timeText(instant - startOfDate(instant));

/** Whether a later sample in the same second replaces this sample, because HTTP-dates have whole seconds. */
function isReplaced(at: Float64Array, figures: Float64Array, index: number): boolean {
  const second = Math.floor((at[index] as number) / SECOND);
  for (let i = index + 1; i < at.length; i++) {
    if (Math.floor((at[i] as number) / SECOND) !== second) return false;
    if (!Number.isNaN(figures[i])) return true;
  }
  return false;
}

/** Writes three arrays of `{date, price}` in pieces, where `date` is an HTTP-date. A missing figure is omitted. */
export function* seriesJson(columns: PointColumns): Generator<string> {
  const { at } = columns;
  const midnights = new Map<number, string>();
  function dateAt(instant: number): string {
    if (instant % DAY !== 0) return httpDate(instant);
    const text = midnights.get(instant) ?? httpDate(instant);
    midnights.set(instant, text);
    return text;
  }
  for (const [name, column] of ARRAYS) {
    const figures = columns[column];
    yield `${column === 'price' ? '{' : ','}"${name}":`;
    yield* inJson(at.length, (i) => {
      const price = figures[i] as number;
      return Number.isNaN(price) || isReplaced(at, figures, i) ? undefined : { date: dateAt(at[i] as number), price };
    });
  }
  yield '}';
}

export const CSV_HEADER = 'date,price,market_cap,total_volume';
const CSV_HEADER_WITH_SOURCE = `${CSV_HEADER},source`;

const secondOf = (at: Float64Array, i: number): number => Math.floor((at[i] as number) / SECOND);

/** Whether a row is the last one within its second. Times of points have whole seconds. */
export const isLastOfSecond = (at: Float64Array, i: number): boolean =>
  i + 1 >= at.length || secondOf(at, i + 1) !== secondOf(at, i);

/** The last known figure within a row's second, up to this row. NaN if there is none. */
export function figureAt(at: Float64Array, figures: Float64Array, i: number): number {
  for (let j = i; j >= 0 && secondOf(at, j) === secondOf(at, i); j--)
    if (!Number.isNaN(figures[j])) return figures[j] as number;
  return Number.NaN;
}

/** Writes CSV in pieces. Unknown figures are empty. If points have several sources, a fifth column names them. */
export function seriesCsv(
  { at, price, marketCap, volume, source }: PointColumns,
  currency?: Currency,
): Generator<string> {
  const field = (figures: Float64Array, i: number): number | '' => {
    const figure = figureAt(at, figures, i);
    return Number.isNaN(figure) ? '' : figure;
  };
  const isMixed = sourcesByFrequency(source).length > 1;
  const fields = (i: number) => {
    if (!isLastOfSecond(at, i)) return undefined;
    const reported = isMixed ? `,${MARKET_SOURCES[source[i] as number]}` : '';
    return `${spreadsheetTime(at[i] as number)},${field(price, i)},${field(marketCap, i)},${field(volume, i)}${reported}`;
  };
  return inCsv(isMixed ? CSV_HEADER_WITH_SOURCE : CSV_HEADER, at.length, fields, currency);
}

/** A file name without its extension, such as `bitcoin-2026-01-01-2026-01-31-eur`. */
export function fileName(
  about: readonly string[],
  { interval, span: { from, thru } }: Pick<Window, 'interval' | 'span'>,
  currency?: Currency,
): string {
  const dates = new Set([isoDate(from), isoDate(thru)]);
  const parts = [...about, interval === 'day' ? [] : interval, ...dates, currency ?? []].flat();
  // These characters are allowed in a header field and in file names on any system.
  return parts.join('-').replace(/[^\w.-]/g, '_');
}

/**
 * Rewrites CSV for spreadsheets in locales with a decimal comma. Semicolons separate the fields. Numbers with a decimal
 * comma are quoted, because LibreOffice separates fields at semicolons and commas unless the user changes its options.
 * The fields must contain no comma and no quotation mark, and no point other than the decimal point.
 */
export const withSemicolons = (csv: string): string =>
  csv.replace(/[^,\r\n]*\.[^,\r\n]*|,/g, (found) => (found === ',' ? ';' : `"${found.replace('.', ',')}"`));
