import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR, isoDate } from '#core/clock';
import { seriesJson } from '#prices/history/series-text';
import { columnsOf, POINTS } from '#prices/model/series';
import { createTestClock } from '../../../fixtures/clock.ts';
import { seriesToCsv } from '../../prices/history/series-to-csv.ts';
import { startService } from '../../support/service/service.ts';
import { openConnection } from '../../support/service/socket.ts';

const NOW = Date.parse('2026-05-15T14:00:00Z');
const HOURS = 12_000;
const clock = createTestClock(NOW);
let service: Awaited<ReturnType<typeof startService>>;
beforeAll(async () => {
  const first = await startService({ clock });
  const { database } = first;
  await database.prisma.$executeRaw`
    INSERT INTO point SELECT 'bitcoin', 'hour', ${new Date(NOW - 2 * DAY)}::timestamptz - i * interval '1 hour',
      50000 + i::float8 / 4, 1e12 + i, CASE WHEN i % 7 = 0 THEN NULL ELSE 3e10 + i END, true, 'coingecko', false
    FROM generate_series(0, ${HOURS}::int) i`;
  await database.prisma.$executeRaw`
    INSERT INTO point_coverage VALUES ('bitcoin', 'hour', 'coingecko', '2013-01-01Z', ${new Date(NOW - 2 * DAY)}::timestamptz)`;
  await database.prisma.$executeRaw`INSERT INTO refresh (resource, version) VALUES ('hours:bitcoin', 1)`;
  service = await startService({ clock, database, settings: { BURST_PER_SECOND: '0' } });
}, 60_000);
afterAll(() => service?.close());

const date = (daysAgo: number) => isoDate(NOW - daysAgo * DAY);
const range = (from: number, thru = 3) =>
  `/v1/prices/history/date/range?tokenName=bitcoin&interval=hourly&fromDate=${date(from)}&thruDate=${date(thru)}`;

function rowsOf(from: number, thru = 3) {
  const [first, last] = [Date.parse(date(from)), Date.parse(date(thru)) + DAY - 1];
  return Array.from({ length: HOURS + 1 }, (_, i) => ({
    i: HOURS - i,
    at: NOW - 2 * DAY - (HOURS - i) * HOUR,
  }))
    .filter(({ at }) => at >= first && at <= last)
    .map(({ i, at }) => ({
      at,
      price: 50000 + i / 4,
      marketCap: 1e12 + i,
      volume: i % 7 === 0 ? null : 3e10 + i,
    }));
}

test('a long window has the same text as a short one, in either format and coding', async () => {
  const key = await service.createUser();
  const rows = rowsOf(480);
  expect(rows.length).toBeGreaterThan(6000);
  const json = await service.get(range(480), { key });
  expect((await json.text()) === [...seriesJson(columnsOf(POINTS, rows))].join('')).toBe(true);
  const csv = await service.get(range(480), {
    key,
    headers: { accept: 'text/csv', 'accept-encoding': 'br' },
  });
  expect(csv.headers.get('content-encoding')).toBe('br');
  expect((await csv.text()) === seriesToCsv(rows)).toBe(true);
  const again = await service.get(range(480), {
    key,
    headers: { 'if-none-match': json.headers.get('etag') ?? '' },
  });
  expect(again.status).toBe(304);
});

test('a few long responses of a user wait for each other; other users do not wait', async () => {
  const [greedy, other] = [await service.createUser(), await service.createUser()];
  const many = Array.from({ length: 10 }, (_, i) => service.get(range(470 - i), { key: greedy }));
  const [long, short] = await Promise.all([
    service.get(range(455), { key: other }),
    service.get('/v1/prices/latest/token?tokenName=bitcoin', { key: greedy }),
  ]);
  expect([long.status, short.status]).toEqual([200, 200]);
  const responses = await Promise.all(many);
  expect(responses.map(({ status }) => status).sort()).toEqual([...Array(4).fill(200), ...Array(6).fill(503)]);
  const refused = responses.filter(({ status }) => status === 503);
  for (const response of refused) {
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'overloaded' });
  }
  expect((await service.get(range(454), { key: greedy })).status).toBe(200);
  const usage = (await (await service.get('/v1/user/usage', { key: greedy })).json()) as { used: number };
  expect(usage.used).toBe(6);
});

test('a client that disconnects while waiting loses its turn, and is not charged', async () => {
  const key = await service.createUser();
  const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\n\r\n`;
  const connections = Array.from({ length: 4 }, () => openConnection(service.url));
  const requests = connections.map((connection, i) => connection.send([head(range(440 - i))]).catch(() => 'gone'));
  await new Promise((sent) => setImmediate(sent));
  for (const connection of connections) connection.close();
  await Promise.all(requests);
  await expect.poll(async () => (await service.get(range(430), { key })).status).toBe(200);
});
