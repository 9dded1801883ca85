import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { openLog } from '#open';
import { openArchiveCache } from '#prices/latest/latest-cache';
import { createArchiveStore, createFailoverStore } from '#prices/latest/latest-store';
import { lastSample, samplesOf } from '#prices/model/series';
import { createWorkingSet } from '#prices/series/working-set';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createVersionWatcher } from '#upstream/version-watcher';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';
import { builtIn } from '../../../fixtures/tokens.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const NOW = Date.parse('2026-05-15T14:00:00Z');
let database: TestDatabase;
let clock: TestClock;
beforeEach(async () => {
  database = await openTestDatabase();
  clock = createTestClock(NOW);
});
afterEach(() => database.close());

/** The archive of a process with no room for unused series. */
async function open() {
  const store = createArchiveStore(database.prisma);
  const requested: string[][] = [];
  const archive = await openArchiveCache({
    store: {
      ...store,
      rowsFrom: (series, ...rest) => {
        requested.push(series.map(({ token, interval }) => `${token} ${interval}`));
        return store.rowsFrom(series, ...rest);
      },
    },
    failover: createFailoverStore(database.prisma),
    versions: createVersionWatcher(createRefreshStore(database.prisma)),
    catalogue: builtIn,
    workingSet: createWorkingSet({ clock, maxBytes: 1 }),
    clock,
    log: openLog('silent'),
  });
  return { archive, requested };
}

const days = (at: number, price: number) => ({
  interval: 'day' as const,
  rows: [{ at, price, marketCap: null, volume: null, final: true }],
  covers: { from: at, thru: at + DAY - 1 },
});
const DAY_BEFORE = Date.parse('2026-05-14T00:00:00Z');

test('only requested tokens are loaded, once for concurrent requests', async () => {
  const first = await open();
  await first.archive.load('bitcoin');
  await first.archive.record('coingecko', 'daily:bitcoin', 'bitcoin', [days(DAY_BEFORE, 1)], NOW);
  const { archive, requested } = await open();
  expect([archive.loaded(), requested]).toEqual([[], []]);
  await Promise.all([archive.load('bitcoin'), archive.load('ethereum'), archive.load('bitcoin')]);
  expect(archive.load('bitcoin')).toBeUndefined();
  expect(archive.loaded().sort()).toEqual(['bitcoin', 'ethereum']);
  expect(requested).toEqual([
    ['bitcoin', 'ethereum'].flatMap((token) => ['minute', 'hour', 'day'].map((one) => `${token} ${one}`)),
  ]);
  expect(lastSample(archive.series('bitcoin', 'day').all())).toMatchObject({ at: DAY_BEFORE, price: 1 });
  expect(archive.coverage('bitcoin', 'day')).toEqual([{ from: DAY_BEFORE, thru: DAY_BEFORE + DAY - 1 }]);
  expect(() => archive.series('solana', 'day')).toThrow('solana is not loaded');
});

test('unused series are evicted, and are loaded again with the data stored in the meantime', async () => {
  const [{ archive }, other] = [await open(), await open()];
  await archive.load('bitcoin');
  await archive.record('coingecko', 'daily:bitcoin', 'bitcoin', [days(DAY_BEFORE, 1)], NOW);
  const record = { ...PRICE, current_price: 7 };
  await archive.recordLatest('coingecko', 'latest', [{ token: 'bitcoin', record, at: NOW, fetchedAt: NOW }], NOW);
  expect(archive.latest('bitcoin')?.record.current_price).toBe(7);
  for (const token of ['ethereum', 'solana']) {
    clock.advance(MINUTE);
    await archive.load(token);
  }
  expect(archive.loaded()).toEqual(['ethereum', 'solana']);
  expect(archive.latest('bitcoin')).toBeUndefined();
  expect(archive.fetchedAt('daily:bitcoin')).toBeUndefined();

  await other.archive.load('bitcoin');
  await other.archive.record('coingecko', 'daily:bitcoin', 'bitcoin', [days(DAY_BEFORE - DAY, 2)], NOW + 1);
  await archive.load('bitcoin');
  const stored = [...samplesOf(archive.series('bitcoin', 'day').all())];
  expect(stored.map(({ price }) => price)).toEqual([2, 1]);
  expect(archive.newest('bitcoin')?.price).toBe(7);
  expect(archive.latest('bitcoin')?.record.current_price).toBe(7);
  expect(archive.fetchedAt('daily:bitcoin')).toBe(NOW + 1);
});

test('a process that rarely polls loads every latest price stored since, including one that arrives late', async () => {
  const [{ archive }, other] = [await open(), await open()];
  await Promise.all([archive.load('bitcoin'), other.archive.load('bitcoin')]);
  const report = (minutes: number, fetched: number) => {
    const [at, fetchedAt] = [NOW + minutes * MINUTE, NOW + fetched * MINUTE];
    const record = { ...PRICE, current_price: minutes + 1 };
    return other.archive.recordLatest('coingecko', 'latest', [{ token: 'bitcoin', record, at, fetchedAt }], fetchedAt);
  };
  const prices = () => {
    const { columns, start, end } = archive.series('bitcoin', 'minute').slice(0, Number.POSITIVE_INFINITY);
    return [...columns.price.slice(start, end)];
  };
  clock.advance(10 * MINUTE);
  await report(0, 0);
  await archive.sync();
  for (const minutes of [2, 4, 6]) await report(minutes, minutes);
  await archive.sync();
  expect(prices()).toEqual([1, 3, 5, 7]);
  await report(5, 8);
  await archive.sync();
  expect(prices()).toEqual([1, 3, 5, 6, 7]);
});

test('used series stay in memory when other series are loaded', async () => {
  const { archive } = await open();
  await archive.load('bitcoin');
  await archive.record('coingecko', 'daily:bitcoin', 'bitcoin', [days(DAY_BEFORE, 1)], NOW);
  for (const token of ['ethereum', 'solana', 'arweave']) {
    clock.advance(20_000);
    expect([...samplesOf(archive.series('bitcoin', 'day').all())]).toHaveLength(1);
    await archive.load(token);
  }
  expect(archive.loaded()).toContain('bitcoin');
});

test('a failed load is retried by the next request', async () => {
  const { archive } = await open();
  await database.prisma.$executeRaw`ALTER TABLE point RENAME TO points`;
  await expect(archive.load('bitcoin')).rejects.toThrow();
  expect(archive.loaded()).toEqual([]);
  await database.prisma.$executeRaw`ALTER TABLE points RENAME TO point`;
  await archive.load('bitcoin');
  expect(archive.loaded()).toEqual(['bitcoin']);
});

const PRICE = {
  current_price: 1,
  ...{ market_cap: null, total_volume: null },
  ...{ circulating_supply: null, total_supply: null, max_supply: null },
  ...{ ath: null, ath_change_percentage: null, ath_date: null },
  ...{ atl: null, atl_change_percentage: null, atl_date: null },
};
