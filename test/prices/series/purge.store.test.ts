import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createArchiveStore } from '#prices/latest/latest-store';
import type { MarketSourceName } from '#prices/model/market-sources';
import { createPurge } from '#prices/retention';
import { createPurgeStore } from '#prices/series/purge-store';
import { plausibleTimes } from '#upstream/items/plausible';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';
import { storedRows } from '../../support/service/stored-rows.ts';

let opened: TestMarket;
afterEach(() => opened.close());

const NOW = '2026-05-15T14:10:06Z';

async function openAt(env: Record<string, string> = {}) {
  const clock = createTestClock(NOW);
  opened = await openTestMarket(clock, { env });
  const { database, market, poll } = opened;
  const store = createArchiveStore(database.prisma);

  /** Deletes a source's data. Returns the number of deleted rows per token. */
  async function purge(source: MarketSourceName, before?: number) {
    const all = [];
    const run = createPurge({ store: createPurgeStore(database.prisma), clock });
    for await (const purged of run({ source, before })) all.push(purged);
    await poll();
    return all;
  }
  return { clock, database, market, poll, store, purge };
}

/** The number of daily rows of a token in the database. */
const daysOf = (store: ReturnType<typeof createArchiveStore>, now: number) =>
  storedRows(store, 'bitcoin', 'day', plausibleTimes(now));

test('deletes all data of a source on every process, and the data is fetched again', async () => {
  const { clock, market, purge, store, database } = await openAt();
  const other = await opened.openAnother();
  await market.days('bitcoin', 30, 'json');
  await market.days('ethereum', 1, 'json');
  for (const { token } of await market.tokens()) await market.latest(token.name);
  await market.idle();
  await other.poll();
  const before = await market.tokens();

  const purged = await purge('coingecko');
  await other.poll();
  for (const { token, held } of before) {
    const points = held.reduce((sum, one) => sum + one.points, 0);
    expect(purged.find((one) => one.token === token.name)?.points ?? 0).toBe(points);
  }
  expect(purged.map(({ latest }) => latest)).toEqual([1, 1, 1, 1, 1]);
  expect(await database.prisma.point.count()).toBe(0);
  expect(await store.coverage()).toEqual([]);
  for (const one of [market, other.market]) {
    expect((await one.tokens()).flatMap(({ held }) => held)).toEqual([]);
    expect(one.staleness().every(({ age }) => age === Number.POSITIVE_INFINITY)).toBe(true);
  }

  const calls = opened.sandbox.calls.length;
  expect((await other.market.latest('bitcoin')).source).toBe('coingecko');
  expect((await market.days('bitcoin', 30, 'json')).gaps).toEqual([]);
  expect((await market.days('ethereum', 1, 'json')).gaps).toEqual([]);
  expect(opened.sandbox.calls.length).toBeGreaterThanOrEqual(calls + 3);
  expect(clock.now()).toBe(Date.parse(NOW));
});

test('deletes the data before an instant in several batches, and later data stays covered', async () => {
  const { clock, market, purge, store } = await openAt();
  await market.days('bitcoin', 365, 'json');
  await market.idle();
  const minutes = Array.from({ length: 12_001 }, (_, i) => ({
    at: clock.now() - (i + 1) * 5 * 60_000,
    price: 1 + i,
    marketCap: null,
    volume: null,
    final: true,
  })).reverse();
  const from = minutes[0]?.at as number;
  const covers = { from, thru: clock.now() };
  await store.record('kraken', 'x', 'bitcoin', [{ interval: 'minute', rows: minutes, covers }], clock.now());
  const limit = Date.parse('2026-05-10T00:00:00Z');
  const days = (await daysOf(store, clock.now())).length;

  const [kraken] = await purge('kraken', limit);
  expect(kraken?.points).toBe(minutes.filter(({ at }) => at < limit).length);
  expect(kraken?.points).toBeGreaterThan(5000);
  expect((await daysOf(store, clock.now())).length).toBe(days);
  const [coingecko] = await purge('coingecko', limit);
  expect(coingecko?.points).toBe(days - 6);
  const coverage = (await store.coverage()).filter(({ interval }) => interval !== 'hour');
  expect(coverage.map(({ source, interval, span }) => [source, interval, span.from])).toEqual(
    expect.arrayContaining([
      ['kraken', 'minute', limit],
      ['coingecko', 'day', limit],
    ]),
  );
  expect(Math.min(...coverage.map(({ span }) => span.from))).toBe(limit);
});

test('a window that lost samples has gaps, which are fetched from a source within the hour', async () => {
  const { clock, market, purge } = await openAt();
  await market.days('bitcoin', 30, 'json');
  await market.idle();
  await purge('coingecko', Date.parse('2026-05-10T00:00:00Z'));
  expect((await market.days('bitcoin', 30, 'json')).gaps).toEqual(['2026-04-16/2026-05-09']);
  clock.advance(HOUR);
  expect((await market.days('bitcoin', 30, 'json')).gaps).toEqual([]);
});

test('a source without data has nothing to delete', async () => {
  const { market, purge, database } = await openAt();
  await market.days('bitcoin', 30, 'json');
  await market.idle();
  // Excludes rows that represent a whole table, which exist as soon as the table is locked, and those of other jobs.
  const where = { resource: { contains: ':' }, NOT: { resource: { startsWith: 'writes:' } } };
  const query = { where, orderBy: { resource: 'asc' } } as const;
  const versions = await database.prisma.refresh.findMany(query);
  expect(await purge('kraken')).toEqual(
    [
      ...(await market.tokens()).flatMap(({ token, held }) =>
        held.length > 0 ? [{ token: token.name, points: 0, candles: 0, latest: 0, spans: 0 }] : [],
      ),
    ].sort((a, b) => (a.token < b.token ? -1 : 1)),
  );
  expect(await database.prisma.refresh.findMany(query)).toEqual(versions);
});

test('data in a response that is older than the retention period is not stored', async () => {
  const { clock, market, database } = await openAt({ MARKET_RETENTION: 'coingecko=3d' });
  const { gaps } = await market.days('bitcoin', 10, 'json');
  await market.idle();
  expect(gaps).toHaveLength(1);
  const { _min } = await database.prisma.point.aggregate({ _min: { at: true }, where: { interval: 'hour' } });
  const hours = (clock.now() - (_min.at as Date).getTime()) / HOUR;
  expect(hours).toBeLessThanOrEqual(72);
  expect(hours).toBeGreaterThan(70);
  const calls = opened.sandbox.calls.length;
  await market.days('bitcoin', 10, 'json');
  await market.idle();
  expect(opened.sandbox.calls.length).toBe(calls);
});

test('the retention deletes data by age once an hour, from memory as well, and the data is not fetched again', async () => {
  const { clock, market, database } = await openAt({ MARKET_RETENTION: 'coingecko=24h' });
  const other = await opened.openAnother();
  const oldest = async () => {
    const { _min } = await database.prisma.point.aggregate({ _min: { at: true } });
    return _min.at?.getTime() ?? Number.POSITIVE_INFINITY;
  };
  const request = async () => {
    const before = opened.sandbox.calls.length;
    const days = await market.days('bitcoin', 365, 'csv');
    const hours = await market.days('bitcoin', 10, 'csv');
    await market.days('bitcoin', 1, 'csv');
    await market.idle();
    return { days, hours, calls: opened.sandbox.calls.length - before };
  };

  const first = await request();
  expect(await oldest()).toBeGreaterThanOrEqual(clock.now() - DAY);
  expect(String(first.days.body.identity.payload).split('\r\n')[1]).toMatch(/^2026-05-15,/);
  expect(first.days.gaps).toEqual(['2025-05-16/2026-05-14']);
  expect([first.days.isImmutable, first.hours.gaps.length > 0]).toEqual([false, true]);
  expect((await request()).calls).toBe(0);

  await opened.enforceRetention();
  clock.advance(3 * HOUR);
  await Promise.all([opened.enforceRetention(), other.enforceRetention()]);
  expect(await oldest()).toBeGreaterThanOrEqual(clock.now() - DAY);
  const enforced = () => database.prisma.refresh.findUnique({ where: { resource: 'retention' } });
  expect(await enforced()).toMatchObject({ version: 2, holder: null, fetchedAt: new Date(clock.now()) });
  await other.poll();
  for (const one of [market, other.market]) {
    const [{ held } = { held: [] }] = (await one.tokens()).filter(({ token }) => token.name === 'bitcoin');
    for (const { from } of held) expect(from).toBeGreaterThanOrEqual(clock.now() - DAY);
  }

  clock.advance(HOUR - 1);
  await opened.enforceRetention();
  expect(await enforced()).toMatchObject({ version: 2 });
  await request();
  expect((await request()).calls).toBe(0);
});
