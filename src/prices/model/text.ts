import type { Currency } from './currency.ts';

/** How many rows are written as text in one go: a fraction of a millisecond's work. */
export const PIECE_ROWS = 250;

/** Lines in pieces, each made from its place among all. */
export function* inPieces(count: number, line: (place: number) => string): Generator<string> {
  for (let start = 0; start < count; start += PIECE_ROWS) {
    let text = '';
    for (let i = start; i < Math.min(start + PIECE_ROWS, count); i++) text += line(i);
    yield text;
  }
}

/**
 * Rows as CSV (RFC 4180), in pieces, the header first; in the last column the currency, where it is not the dollar, so
 * that nobody imports such figures as dollars.
 *
 * @param fields the fields of a row, without its end; undefined for one that is left out
 */
export function* inCsv(
  header: string,
  count: number,
  fields: (place: number) => string | undefined,
  currency?: Currency,
): Generator<string> {
  const [name, end] = currency === undefined ? ['', '\r\n'] : [',currency', `,${currency}\r\n`];
  yield `${header}${name}\r\n`;
  yield* inPieces(count, (place) => {
    const text = fields(place);
    return text === undefined ? '' : `${text}${end}`;
  });
}
