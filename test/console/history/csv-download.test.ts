import { expect, it } from 'vitest';
import { candlesToCsv, seriesToCsv as consoleCsv } from '#console/api/history-csv';
import { MINUTE } from '#core/clock';
import { candlesCsv } from '#prices/candles/candle-text';
import { withSemicolons } from '#prices/history/series-text';
import { seriesToCsv } from '../../prices/history/series-to-csv.ts';

const MIDNIGHT = Date.parse('2024-01-01T00:00:00Z');

/** The currency as the page and the service name it. Dollars are the service's default. */
const CURRENCIES = [
  ['usd', undefined],
  ['eur', 'eur'],
] as const;

it.each(CURRENCIES)('a saved series in %s equals the CSV of the service', (currency, code) => {
  const point = (price: number) => [{ date: new Date(MIDNIGHT), price }];
  const series = { prices: point(42_280.25), market_cap: [], total_volume: point(7) };
  const csv = seriesToCsv([{ at: MIDNIGHT, price: 42_280.25, marketCap: null, volume: 7 }], code);
  expect(consoleCsv(series, currency, 'comma')).toBe(csv);
  expect(consoleCsv(series, currency, 'semicolon')).toBe(withSemicolons(csv));
});

it.each(CURRENCIES)('saved candles in %s equal the CSV of the service', (currency, code) => {
  const candles = [MIDNIGHT, MIDNIGHT + 5 * MINUTE].map((at, i) => ({
    date: new Date(at),
    open: 1e-9,
    high: 42_280.25 + i,
    low: 0.1,
    close: 2,
    volume: 1e21,
  }));
  const column = (name: 'open' | 'high' | 'low' | 'close' | 'volume') =>
    Float64Array.from(candles, (candle) => candle[name]);
  const columns = {
    at: Float64Array.from(candles, ({ date }) => date.getTime()),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  } as Parameters<typeof candlesCsv>[0];
  const csv = [...candlesCsv(columns, code)].join('');
  expect(candlesToCsv(candles, currency, 'comma')).toBe(csv);
  expect(candlesToCsv(candles, currency, 'semicolon')).toBe(withSemicolons(csv));
});
