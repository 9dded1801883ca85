import { spreadsheetTime } from '#core/clock';
import type { CandleColumns } from '#prices/model/candle';
import type { Currency } from '#prices/model/currency';
import { inCsv, inPieces } from '#prices/model/text';

export const CANDLES_CSV_HEADER = 'date,open,high,low,close,volume';

/** Candles as JSON text, in pieces: an array of `{date, open, high, low, close, volume}`, `date` an HTTP-date. */
export function* candlesJson({ at, open, high, low, close, volume }: CandleColumns): Generator<string> {
  yield '[';
  yield* inPieces(
    at.length,
    (i) =>
      `${i > 0 ? ',' : ''}{"date":"${new Date(at[i] as number).toUTCString()}","open":${open[i]},` +
      `"high":${high[i]},"low":${low[i]},"close":${close[i]},"volume":${volume[i]}}`,
  );
  yield ']';
}

/** Candles as CSV, in pieces. */
export const candlesCsv = (columns: CandleColumns, currency?: Currency): Generator<string> => {
  const { at, open, high, low, close, volume } = columns;
  const fields = (i: number) =>
    `${spreadsheetTime(at[i] as number)},${open[i]},${high[i]},${low[i]},${close[i]},${volume[i]}`;
  return inCsv(CANDLES_CSV_HEADER, at.length, fields, currency);
};
