import { expect, it } from 'vitest';
import { z } from 'zod';
import { answerText, EXAMPLES } from '#console/api/answer-text';
import { candlesCall, daysCall, latestPricesCall, rangeCall, statisticsCall, usageCall } from '#console/api/api-call';
import { tokenPrice } from '#prices/latest/latest-records';
import { candle, priceSeries } from '#prices/model/prices-records';
import { tokenStatistics } from '#statistics/statistics-records';
import { usageRecord } from '#users/users-records';

const WINDOW = { from: '2026-01-01', thru: '2026-02-01', interval: 'daily' } as const;
const { path: daysPath } = daysCall('solana', 30, 'usd');
const { path: candlesPath } = candlesCall('solana', WINDOW, 'usd');

it.each([
  [latestPricesCall(['bitcoin'], 'usd').path, EXAMPLES.latest, z.array(tokenPrice)],
  [daysPath, EXAMPLES.chart, z.array(priceSeries)],
  [
    rangeCall('solana', { from: WINDOW.from, thru: WINDOW.thru, interval: 'daily' }, 'usd').path,
    EXAMPLES.chart,
    priceSeries,
  ],
  [candlesPath, EXAMPLES.candles, z.array(candle)],
  [statisticsCall('btc').path, EXAMPLES.statistics, tokenStatistics],
  [usageCall.path, EXAMPLES.usage, usageRecord],
])('the example response of %s matches the schema of the service', (path, example, schema) => {
  for (const language of ['curl', 'python'] as const)
    expect(schema.safeParse(JSON.parse(answerText(path, example, language))).error).toBeUndefined();
});

const series = (length: number) => {
  const points = Array.from({ length }, (_, i) => ({
    date: new Date(Date.UTC(2026, 0, 1 + i)),
    price: i + 0.5,
  }));
  return { prices: points, market_cap: points, total_volume: [] };
};

it('shows the first elements of a list and the number of further ones', () => {
  expect(answerText(daysPath, series(31))).toBe(`[
  {
    "prices": [
      { "date": "Thu, 01 Jan 2026 00:00:00 GMT", "price": 0.5 },
      { "date": "Fri, 02 Jan 2026 00:00:00 GMT", "price": 1.5 },
      … 29 more
    ],
    "market_cap": [
      { "date": "Thu, 01 Jan 2026 00:00:00 GMT", "price": 0.5 },
      { "date": "Fri, 02 Jan 2026 00:00:00 GMT", "price": 1.5 },
      … 29 more
    ],
    "total_volume": []
  }
]`);
});

it('shows objects for the client and lines for CSV', () => {
  expect(answerText(daysPath, series(1), 'client')).toContain(
    '{\n  "prices": [\n    { "date": 2026-01-01T00:00:00.000Z,',
  );
  expect(answerText(`${daysPath}&currency=eur`, series(4), 'csv')).toBe(
    'date,price,market_cap,total_volume,currency\n2026-01-01,0.5,0.5,,eur\n2026-01-02,1.5,1.5,,eur\n… 2 more',
  );
  expect(answerText(candlesPath, EXAMPLES.candles, 'csv')).toMatch(/^date,open.*\n2024-01-01,42280.2,/);
});

it('escapes text', () => {
  expect(answerText('/v1/x', { text: '"</code>\n' })).toBe('{ "text": "\\"</code>\\n" }');
  expect(answerText('/v1/x', [null, [], {}])).toBe('[\n  null,\n  [],\n  … 1 more\n]');
});
