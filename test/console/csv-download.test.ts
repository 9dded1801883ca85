import { expect, it } from 'vitest';
import { seriesToCsv as consoleCsv } from '#console/history/csv-download';
import { seriesToCsv } from '#domain/market/series-csv';

it('what the console saves is what the service writes', () => {
  const at = Date.parse('2024-01-01T00:00:00Z');
  const point = (price: number) => [{ date: new Date(at), price }];
  expect(consoleCsv({ prices: point(42_280.25), market_cap: [], total_volume: point(7) })).toBe(
    seriesToCsv([{ at, price: 42_280.25, marketCap: null, volume: 7 }]),
  );
});
