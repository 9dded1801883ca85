import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultyUpstreamService, startWithFaultyUpstream } from '../../support/service/chaos.ts';

let service: FaultyUpstreamService;
beforeAll(async () => {
  service = await startWithFaultyUpstream({ start: '2026-05-15T14:10:06Z' });
});
afterAll(() => service?.close());

const OHLC = '/v1/prices/history/ohlc';
const ohlc = (query: string) => `${OHLC}?tokenName=${query}`;
const SETTLED = ohlc('bitcoin&fromDate=2026-05-01&thruDate=2026-05-03');
type Candle = Record<'open' | 'high' | 'low' | 'close' | 'volume', number> & { date: string };

const used = async () => {
  const response = await service.get('/v1/user/usage', { key: service.key });
  return ((await response.json()) as { used: number }).used;
};

describe('candles', () => {
  test('are daily by default, for both dates of the range, each at its start', async () => {
    const { status, body, header } = await service.ask(SETTLED);
    expect(status).toBe(200);
    const candles = JSON.parse(body) as Candle[];
    expect(candles.map(({ date }) => date)).toEqual([
      'Fri, 01 May 2026 00:00:00 GMT',
      'Sat, 02 May 2026 00:00:00 GMT',
      'Sun, 03 May 2026 00:00:00 GMT',
    ]);
    for (const { open, high, low, close, volume } of candles) {
      expect(low).toBeLessThanOrEqual(Math.min(open, close));
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
      expect(volume).toBeGreaterThan(0);
    }
    expect(header('quotient-source')).toBe('kraken');
    expect(header('quotient-gaps')).toBeUndefined();
    expect(header('cache-control')).toMatch(/immutable/);
    // The end of the newest candle.
    expect(header('last-modified')).toBe('Mon, 04 May 2026 00:00:00 GMT');
  });

  test('of today are the finished ones', async () => {
    const { body, header } = await service.ask(ohlc('bitcoin&fromDate=2026-05-15&thruDate=2026-06-01&interval=hourly'));
    const candles = JSON.parse(body) as Candle[];
    expect(candles).toHaveLength(14);
    expect(candles.at(-1)?.date).toBe('Fri, 15 May 2026 13:00:00 GMT');
    expect(header('cache-control')).toBe('private, max-age=2994, stale-while-revalidate=60, stale-if-error=86400');
  });

  test.each([
    ['in Accept', SETTLED, { accept: 'text/csv' }],
    ['as a parameter', `${SETTLED}&format=csv`, { accept: '*/*' }],
  ])('are returned as CSV when requested %s', async (_where, path, headers) => {
    const { body, header } = await service.ask(path, headers);
    expect(header('content-type')).toBe('text/csv; charset=utf-8');
    const [head, first, ...rest] = body.trimEnd().split('\r\n');
    expect(head).toBe('date,open,high,low,close,volume');
    expect(first).toMatch(/^2026-05-01(,[\d.]+){5}$/);
    expect(rest).toHaveLength(2);
    const minutes = ohlc('solana&fromDate=2026-05-15&thruDate=2026-05-15&interval=minute&format=csv');
    const lines = (await service.ask(minutes)).body.split('\r\n');
    expect(lines[1]).toMatch(/^2026-05-15,/);
    expect(lines[2]).toMatch(/^2026-05-15 00:05:00,/);
  });
});

describe('candles that are not available', () => {
  test('in a part of the window are reported as a gap', async () => {
    const { header, body } = await service.ask(ohlc('bitcoin&fromDate=2024-01-01&thruDate=2024-05-27'));
    expect(header('quotient-gaps')).toBe('2024-01-01/2024-05-24');
    expect(header('cache-control')).not.toMatch(/immutable/);
    expect(JSON.parse(body)).toHaveLength(3);
  });

  test.each([
    ['older than Kraken’s data', 'bitcoin&fromDate=2023-01-01&thruDate=2023-01-02', ['2023-01-01/2023-01-02']],
    ['older than the token', 'solana&fromDate=2015-01-01&thruDate=2015-01-02', undefined],
    ['of the current day', 'bitcoin&fromDate=2026-05-15&thruDate=2026-05-15', undefined],
    ['before Kraken listed the token', 'arweave&fromDate=2025-01-01&thruDate=2025-04-27', undefined],
  ])('%s are no_data, and free', async (_what, query, gaps) => {
    await service.ask(ohlc('arweave&fromDate=2026-05-01&thruDate=2026-05-03'));
    const before = await used();
    const { status, body } = await service.ask(ohlc(query));
    const problem = JSON.parse(body);
    expect([status, problem.code, problem.gaps]).toEqual([404, 'no_data', gaps]);
    expect(await used()).toBe(before);
  });

  test.each([
    ['fromDate=2026-05-02&thruDate=2026-05-01', 'query.fromDate'],
    ['fromDate=2026-05-16&thruDate=2026-05-17', 'query.fromDate'],
    ['fromDate=2026-02-31&thruDate=2026-05-17', 'query.fromDate'],
    ['fromDate=2026-05-01', 'query.thruDate'],
    ['fromDate=2026-05-01&thruDate=2026-05-02&interval=monthly', 'query.interval'],
    ['fromDate=2026-05-01&thruDate=2026-05-02&format=xml', 'query.format'],
  ])('a request with %s is invalid_request', async (query, location) => {
    const { status, body } = await service.ask(ohlc(`bitcoin&${query}`));
    expect([status, JSON.parse(body).errors[0].location]).toEqual([400, location]);
  });
});
