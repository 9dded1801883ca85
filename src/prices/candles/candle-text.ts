import { spreadsheetTime } from '#core/clock';
import type { Currency } from '#prices/model/currency';
import { PIECE_SAMPLES } from '#prices/model/series';
import type { CandleColumns } from './candle-columns.ts';

export const CANDLES_CSV_HEADER = 'date,open,high,low,close,volume';

/** Pieces of so many candles, each with its place among all. */
function* pieces({ at }: CandleColumns, line: (place: number) => string): Generator<string> {
  for (let start = 0; start < at.length; start += PIECE_SAMPLES) {
    let text = '';
    for (let i = start; i < Math.min(start + PIECE_SAMPLES, at.length); i++) text += line(i);
    yield text;
  }
}

/** Candles as JSON text, in pieces: an array of `{date, open, high, low, close, volume}`, `date` an HTTP-date. */
export function* candlesJson(columns: CandleColumns): Generator<string> {
  const { at, open, high, low, close, volume } = columns;
  yield '[';
  yield* pieces(
    columns,
    (i) =>
      `${i > 0 ? ',' : ''}{"date":"${new Date(at[i] as number).toUTCString()}","open":${open[i]},` +
      `"high":${high[i]},"low":${low[i]},"close":${close[i]},"volume":${volume[i]}}`,
  );
  yield ']';
}

/** Candles as CSV (RFC 4180), in pieces, the header first; in the last column the currency, where it is not the dollar. */
export function* candlesCsv(columns: CandleColumns, currency?: Currency): Generator<string> {
  const { at, open, high, low, close, volume } = columns;
  const [currencyName, ofCurrency] = currency === undefined ? ['', ''] : [',currency', `,${currency}`];
  yield `${CANDLES_CSV_HEADER}${currencyName}\r\n`;
  yield* pieces(
    columns,
    (i) =>
      `${spreadsheetTime(at[i] as number)},${open[i]},${high[i]},${low[i]},${close[i]},${volume[i]}${ofCurrency}\r\n`,
  );
}
