import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTokenStore } from '#catalogue/token-store';
import { DAY, SECOND } from '#core/clock';
import type { TokenRecord } from '#prices/model/prices-records';
import { createPurgeStore } from '#prices/series/purge-store';
import { sandboxTokens } from '#sandbox/tokens';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { type Service, startService } from '../support/service/service.ts';

let service: Service;
let key: string;
let clock: TestClock;
beforeEach(async () => {
  clock = createTestClock('2026-05-15T14:42:25.300Z');
  const settings = { COINGECKO_CALLS_PER_MINUTE: '10000' };
  service = await startService({ clock, sandbox: { plan: 'public' }, settings });
  key = await service.createUser({ validUntil: clock.now() + 365 * DAY });
});
afterEach(() => service.close());

async function availableOf(name: string) {
  const tokens = (await (await service.get('/v1/tokens')).json()) as TokenRecord[];
  return tokens.find(({ tokenName }) => tokenName === name)?.available;
}
const candles = (query: string) => service.get(`/v1/prices/history/ohlc?tokenName=${query}`, { key });

test('returns the first date of each interval before anything is stored', async () => {
  expect(await availableOf('bitcoin')).toEqual({
    prices: { minute: '2026-05-14', hour: '2025-05-15', day: '2025-05-16' },
    candles: { minute: '2026-05-13', hour: '2026-04-15', day: '2024-05-28' },
  });
  const dates = [];
  for (const interval of ['minute', 'hourly', 'daily']) {
    const response = await candles(`bitcoin&fromDate=2024-05-26&thruDate=2026-05-15&interval=${interval}`);
    const [oldest] = (await response.json()) as { date: string }[];
    dates.push(new Date(oldest?.date ?? '').toISOString().slice(0, 10));
  }
  // Kraken may drop its two oldest candles before a call for them arrives.
  expect(dates).toEqual(['2026-05-13', '2026-04-15', '2024-05-26']);
});

test('includes stored data, and starts no earlier than Kraken’s first candle', async () => {
  await candles('bitcoin&fromDate=2026-05-01&thruDate=2026-05-02');
  await candles('arweave&fromDate=2026-05-01&thruDate=2026-05-02');
  clock.advance(100 * DAY);
  await service.parts.poll();
  expect((await availableOf('bitcoin'))?.candles).toMatchObject({ hour: '2026-07-24', day: '2024-05-25' });
  expect((await availableOf('arweave'))?.candles?.day).toBe('2025-04-28');
});

test('is updated by a fetch', async () => {
  const day = async () => (await availableOf('bitcoin'))?.candles?.day;
  expect(await day()).toBe('2024-05-28');
  await candles('bitcoin&fromDate=2026-05-01&thruDate=2026-05-02');
  clock.advance(2 * SECOND);
  expect(await day()).toBe('2024-05-25');
});

test('includes deleted data that Kraken still provides', async () => {
  await candles('bitcoin&fromDate=2026-05-01&thruDate=2026-05-02');
  const purges = createPurgeStore(service.database.prisma);
  const before = Date.parse('2026-01-01');
  await purges.series('candles', 'bitcoin', 'day', { source: 'kraken', before }, clock.now());
  await service.parts.poll();
  clock.advance(2 * SECOND);
  expect((await availableOf('bitcoin'))?.candles?.day).toBe('2024-05-28');
});

test('is null for candles of a token without a pair, and never before the first price', async () => {
  const [added] = [...sandboxTokens().values()].filter(({ pair }) => pair === undefined);
  if (!added) throw new Error('every token has a pair');
  const store = createTokenStore(service.database.prisma);
  await store.add({ ...added, listed: '2026-05-01', statistics: false, pairs: {} });
  await service.parts.poll();
  expect(await availableOf(added.name)).toEqual({
    prices: { minute: '2026-05-14', hour: '2026-05-01', day: '2026-05-01' },
    candles: null,
  });
});
