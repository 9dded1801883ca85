import { spreadsheetTime } from '#core/clock';
import { httpDate, inCsv, inJson } from '#prices/history/series-text';
import type { CandleColumns } from '#prices/model/candle';
import type { Currency } from '#prices/model/currency';

export const CANDLES_CSV_HEADER = 'date,open,high,low,close,volume';

/** Writes JSON text in pieces: an array of `{date, open, high, low, close, volume}`, where `date` is an HTTP-date. */
export const candlesJson = ({ at, open, high, low, close, volume }: CandleColumns): Generator<string> =>
  inJson(at.length, (i) => ({
    date: httpDate(at[i] as number),
    open: open[i],
    high: high[i],
    low: low[i],
    close: close[i],
    volume: volume[i],
  }));

export const candlesCsv = (columns: CandleColumns, currency?: Currency): Generator<string> => {
  const { at, open, high, low, close, volume } = columns;
  const fields = (i: number) =>
    `${spreadsheetTime(at[i] as number)},${open[i]},${high[i]},${low[i]},${close[i]},${volume[i]}`;
  return inCsv(CANDLES_CSV_HEADER, at.length, fields, currency);
};
