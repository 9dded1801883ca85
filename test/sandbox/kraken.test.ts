import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { createKraken } from '#sandbox/kraken';
import { createTestClock } from '../../fixtures/clock.ts';

const clock = createTestClock('2026-05-15T14:42:25.300Z');
const now = clock.now();
const kraken = createKraken({ seed: 1, clock });

function get(target: string) {
  const { pathname, searchParams } = new URL(target, 'http://sandbox');
  const response = kraken.answer({
    ...{ method: 'GET', path: pathname, query: searchParams, headers: {}, body: '' },
  });
  expect(response.status).toBe(200);
  return JSON.parse(response.body);
}
type Row = [number, string, string, string, string, string, string, number];
const rowsOf = (target: string): Row[] => Object.values(get(target).result)[0] as Row[];

describe('OHLC', () => {
  test.each([
    [1, MINUTE],
    [5, 5 * MINUTE],
    [60, HOUR],
    [1440, DAY],
  ])('of %d minutes has 720 complete candles, and then the current one', (minutes, length) => {
    const { result } = get(`/OHLC?pair=XXBTZUSD&interval=${minutes}`);
    const times = result.XXBTZUSD.map(([time]: Row) => time * 1000);
    const running = Math.floor(now / length) * length;
    expect(times).toEqual(Array.from({ length: 721 }, (_, i) => running - (720 - i) * length));
    expect(result.last * 1000).toBe(running - length);
  });

  test('starts after `since`, and always has the current candle', () => {
    const last = get('/OHLC?pair=SOLUSD&interval=60').result.last;
    expect(rowsOf(`/OHLC?pair=SOLUSD&interval=60&since=${last - 3600}`)).toHaveLength(2);
    expect(rowsOf(`/OHLC?pair=SOLUSD&interval=60&since=${last + 99_999}`)).toHaveLength(1);
    expect(rowsOf('/OHLC?pair=SOLUSD&interval=60&since=1')).toHaveLength(721);
    expect(rowsOf('/OHLC?pair=ARUSD&interval=1440')[0]?.[0]).toBe(Date.parse('2025-04-28') / 1000);
  });

  test('has figures as strings in the range of the candle, and opens at the previous close', () => {
    const rows = rowsOf('/OHLC?pair=XETHZUSD&interval=60');
    rows.forEach(([, ...texts], i) => {
      expect(texts.slice(0, 6).every((text) => typeof text === 'string')).toBe(true);
      const [open, high, low, close, , volume] = texts.map(Number) as number[];
      expect(low).toBeLessThanOrEqual(Math.min(open as number, close as number));
      expect(high).toBeGreaterThanOrEqual(Math.max(open as number, close as number));
      expect(volume).toBeGreaterThan(0);
      if (i > 0) expect(texts[0]).toBe(rows[i - 1]?.[4]);
    });
  });

  test('of an illiquid market has candles without trades: the last price and no volume', () => {
    const rows = rowsOf('/OHLC?pair=ARUSD&interval=5');
    const quiet = rows.flatMap((row, i) => (row[7] === 0 ? [[row, rows[i - 1]] as const] : []));
    expect(quiet.length).toBeGreaterThan(20);
    for (const [[, open, high, low, close, vwap, volume], before] of quiet) {
      expect(new Set([open, high, low, close])).toEqual(new Set([before?.[4] ?? open]));
      expect([vwap, volume]).toEqual(['0.000', '0.00000000']);
    }
  });

  test.each([
    ['/OHLC?pair=XBT/USD&interval=60', 'EQuery:Unknown asset pair'],
    ['/OHLC?interval=60', 'EGeneral:Invalid arguments'],
    ['/OHLC?pair=XXBTZUSD&interval=7', 'EGeneral:Invalid arguments'],
    ['/Ticker?pair=XXBTZUSD,NONE', 'EQuery:Unknown asset pair'],
    ['/Nothing', 'EGeneral:Unknown method'],
  ])('%s is rejected with HTTP status 200', (target, error) => {
    expect(get(target)).toEqual({ error: [error] });
  });
});

test('Ticker has the requested pairs by name, with the current day within the last 24 hours', () => {
  const { result } = get('/Ticker?pair=XBTUSD,ARUSD');
  expect(Object.keys(result)).toEqual(['XXBTZUSD', 'ARUSD']);
  const { c, h, l, o, t } = result.XXBTZUSD;
  expect(Number(c[0])).toBeLessThanOrEqual(Number(h[0]));
  expect(Number(c[0])).toBeGreaterThanOrEqual(Number(l[0]));
  expect(Number(o)).toBeGreaterThan(0);
  expect(t[1]).toBeGreaterThanOrEqual(t[0]);
  expect(Object.keys(get('/Ticker').result)).toHaveLength(205);
});

test('AssetPairs has every pair, with status online', () => {
  const { result } = get('/AssetPairs');
  expect(Object.keys(result)).toHaveLength(205);
  expect(Object.keys(result).slice(0, 5)).toEqual(['XXBTZUSD', 'XETHZUSD', 'SOLUSD', 'USDCUSD', 'ARUSD']);
  expect(result.ARUSD).toMatchObject({ wsname: 'AR/USD', quote: 'ZUSD', status: 'online' });
});
