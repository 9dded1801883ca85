import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, iso, MINUTE } from '#core/clock';
import { createArchiveStore } from '#prices/latest/latest-store';
import { createStatisticsStore } from '#statistics/statistics-store';
import { plausibleTimes } from '#upstream/items/plausible';
import { createTestClock } from '../../../fixtures/clock.ts';
import { startService } from '../../support/service/service.ts';

const NOW = Date.parse('2026-05-15T14:00:00Z');
const SOON = NOW + 3 * DAY;
const clock = createTestClock(NOW);
let service: Awaited<ReturnType<typeof startService>>;
let key: string;
beforeEach(async () => {
  service = await startService({ clock });
  key = await service.createUser();
  // Plausible prices from the upstreams. The implausible rows are stored in addition.
  for (const token of ['bitcoin', 'ethereum', 'solana']) {
    await service.get(`/v1/prices/latest/token?tokenName=${token}`, { key });
  }
  await service.get('/v1/prices/history/days?tokenName=bitcoin&days=1', { key });
  await service.get('/v1/prices/latest/stats?token=btc', { key });
});
afterEach(() => service?.close());

const WRONG_POINTS = [
  ['minute', iso(SOON), '1'],
  ['minute', '9999-12-31T00:00:00Z', '1'],
  ['minute', 'infinity', '1'],
  ['minute', '1970-01-01T00:00:00Z', '1'],
  ['minute', iso(NOW - 90 * MINUTE), '0'],
  ['minute', iso(NOW - 91 * MINUTE), '-1'],
  ['minute', iso(NOW - 92 * MINUTE), 'NaN'],
  ['hour', iso(NOW - 93 * MINUTE), 'Infinity'],
  ['day', '1970-01-01T00:00:00Z', '1'],
] as const;

async function storeImplausibleRows(): Promise<void> {
  const { prisma } = service.database;
  for (const [interval, at, price] of WRONG_POINTS) {
    await prisma.$executeRaw`
      INSERT INTO point (token, "interval", at, price, market_cap, volume, final, source, provisional)
      VALUES ('bitcoin', ${interval}::series_interval, ${at}::timestamptz, ${price}::text::float8, 1, 1, true, 'coingecko', false)`;
  }
  await prisma.$executeRaw`
    INSERT INTO point VALUES ('bitcoin', 'hour', ${iso(NOW - 94 * MINUTE)}::timestamptz, 1, 'NaN', 1, true, 'coingecko', false),
      ('bitcoin', 'hour', ${iso(NOW - 95 * MINUTE)}::timestamptz, 1, 1, '-Infinity', true, 'coingecko', false)`;
  await prisma.$executeRaw`
    UPDATE point_coverage SET thru = '9999-01-01Z' WHERE token = 'bitcoin' AND "interval" = 'minute'`;
  await prisma.$executeRaw`UPDATE latest_price SET at = ${iso(SOON)}::timestamptz WHERE token = 'bitcoin'`;
  await prisma.$executeRaw`UPDATE latest_price SET record = '{"current_price":"much"}' WHERE token = 'ethereum'`;
  await prisma.$executeRaw`UPDATE latest_price SET at = 'infinity' WHERE token = 'solana'`;
  await prisma.$executeRaw`UPDATE latest_statistics SET at = ${iso(SOON)}::timestamptz`;
}

test('implausible rows do not prevent a start, are not served, and are logged', async () => {
  await storeImplausibleRows();
  const again = await startService({ clock, database: service.database });
  try {
    const get = (path: string) => again.get(path, { key });
    // Sent together, because the first response would correct the latest prices of all tokens.
    await Promise.all(
      ['bitcoin', 'ethereum', 'solana'].map((token) => get(`/v1/prices/latest/token?tokenName=${token}`)),
    );
    const minutes = await get('/v1/prices/history/days?tokenName=bitcoin&days=1');
    expect(minutes.status).toBe(200);
    const [series] = (await minutes.json()) as [{ prices: { date: string; price: number }[] }];
    expect(series.prices.length).toBeGreaterThan(100);
    for (const { date, price } of series.prices) {
      expect(Date.parse(date)).toBeLessThanOrEqual(NOW + 2 * MINUTE);
      expect(price).toBeGreaterThan(1);
    }
    const tokens = (await (await get('/v1/tokens')).json()) as { tokenName: string }[];
    expect(JSON.stringify(tokens)).not.toMatch(/9999|1970|2026-05-18/);
    for (const path of [
      '/v1/prices/latest/token?tokenName=bitcoin',
      '/v1/prices/latest/token?tokenName=ethereum',
      '/v1/prices/latest/token?tokenName=solana',
      '/v1/prices/latest/stats?token=btc',
      '/v1/prices/history/days?tokenName=bitcoin&days=10',
      '/v1/prices/history/days?tokenName=bitcoin&days=36500',
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2010-01-01&thruDate=2026-05-15&interval=minute',
    ]) {
      const response = await get(path);
      expect({ path, status: response.status }).not.toMatchObject({ status: 500 });
      expect(response.headers.get('last-modified') ?? '').not.toMatch(/9999|18 May 2026/);
    }
    const received = again.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => /implausible rows/.test(msg));
    expect(received.map(({ token, what, count }) => [token, what, count]).sort()).toEqual([
      ['bitcoin', 'coverage', 1],
      ['bitcoin', 'day', 1],
      ['bitcoin', 'hour', 3],
      ['bitcoin', 'latest', 1],
      ['bitcoin', 'minute', 7],
      ['btc', 'statistics', 1],
      ['ethereum', 'latest', 1],
      ['solana', 'latest', 1],
    ]);
  } finally {
    await again.close();
  }
});

test('lists the implausible rows for the operator', async () => {
  await storeImplausibleRows();
  const times = plausibleTimes(NOW);
  const archive = await createArchiveStore(service.database.prisma).implausibleRows(times);
  expect(archive.find(({ what }) => what === 'day')).toEqual({
    token: 'bitcoin',
    what: 'day',
    count: 1,
    instants: ['1970-01-01T00:00:00Z'],
  });
  expect(archive.find(({ token }) => token === 'solana')?.instants).toEqual(['infinity']);
  const statistics = await createStatisticsStore(service.database.prisma).implausibleRows(times);
  expect(statistics).toEqual([{ token: 'btc', what: 'statistics', count: 1, instants: [iso(SOON)] }]);
});

test('a latest price from the future is replaced by the next fetched price', async () => {
  await storeImplausibleRows();
  const again = await startService({ clock, database: service.database });
  try {
    clock.advance(DAY / 24);
    const response = await again.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
    expect(response.status).toBe(200);
    expect(Date.parse(response.headers.get('last-modified') ?? '')).toBeLessThanOrEqual(clock.now());
  } finally {
    await again.close();
  }
});
