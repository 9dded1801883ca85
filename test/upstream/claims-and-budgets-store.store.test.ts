import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRefreshStore, type RefreshStore } from '#upstream/claims-and-budgets-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
let store: RefreshStore;
beforeAll(async () => {
  database = await openTestDatabase();
  store = createRefreshStore(database.prisma);
});
afterAll(() => database?.close());
beforeEach(() => database.prisma.$executeRaw`TRUNCATE refresh, budget`);

const [mine, theirs] = [randomUUID(), randomUUID()];
const MINUTES = { first: Date.parse('2026-05-15T14:10:00Z'), second: Date.parse('2026-05-15T14:11:00Z') };
const MAY = Date.parse('2026-05-01T00:00:00Z');
const JUNE = Date.parse('2026-06-01T00:00:00Z');

describe('a claim', () => {
  test('is granted to one process, of any number that request it concurrently', async () => {
    const holders = Array.from({ length: 20 }, () => randomUUID());
    const claims = await Promise.all(holders.map((holder) => store.claim('latest', holder, 10_000, 0)));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  test('for one resource is independent of another', async () => {
    expect(await store.claim('latest', mine, 10_000, 0)).toBe(true);
    expect(await store.claim('chart:bitcoin', theirs, 10_000, 0)).toBe(true);
  });

  test('is free again when its holder releases it', async () => {
    await store.claim('latest', mine, 10_000, 0);
    await store.release('latest', theirs);
    expect(await store.claim('latest', theirs, 10_000, 0)).toBe(false);
    await store.release('latest', mine);
    expect(await store.claim('latest', theirs, 10_000, 0)).toBe(true);
  });

  test('of a dead holder passes on when it expires by the database’s clock', async () => {
    await store.claim('latest', mine, 60_000, 0);
    expect(await store.claim('latest', theirs, 60_000, 0)).toBe(false);
    await database.prisma.$executeRaw`UPDATE refresh SET until = clock_timestamp() - interval '1 ms'`;
    expect(await store.claim('latest', theirs, 60_000, 0)).toBe(true);
    expect(await store.claim('latest', mine, 60_000, 0)).toBe(false);
  });

  test('that began before the database’s clock was set back passes on', async () => {
    await store.claim('latest', mine, 60_000, 0);
    await database.prisma.$executeRaw`UPDATE refresh SET until = until + interval '400 days'`;
    expect(await store.claim('latest', theirs, 60_000, 0)).toBe(true);
    expect(await store.claim('latest', mine, 60_000, 0)).toBe(false);
  });

  test('can be repeated by its holder', async () => {
    await store.claim('latest', mine, 10_000, 0);
    expect(await store.claim('latest', mine, 10_000, 0)).toBe(true);
  });

  test('is rejected if the resource was fetched since it was last read', async () => {
    await store.claim('latest', mine, 10_000, 0);
    await database.prisma.$executeRaw`
      UPDATE refresh SET version = 1, holder = NULL, until = NULL, fetched_at = now()`;
    expect(await store.claim('latest', theirs, 10_000, 0)).toBe(false);
    expect(await store.claim('latest', theirs, 10_000, 1)).toBe(true);
    expect(await store.read(['latest', 'failover'])).toEqual([
      { resource: 'latest', fetchedAt: expect.any(Number), version: 1 },
    ]);
  });
});

describe('a budget', () => {
  const reserve = (minute: number, month: number, perMinute: number, perMonth: number) =>
    store.reserve('coingecko', { minute, month }, { perMinute, perMonth });

  test('counts the month, and is spent with the minute’s last call', async () => {
    const counts: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) counts.push(await reserve(MINUTES.first, MAY, 3, 100));
    expect(counts).toEqual([1, 2, 3, undefined]);
    expect(await reserve(MINUTES.second, MAY, 3, 100)).toBe(4);
    expect(await store.stored('coingecko', MAY)).toMatchObject({ spent: 4 });
  });

  test('is spent with the month’s last call, and starts again with the next month', async () => {
    for (let i = 0; i < 5; i++) await reserve(MINUTES.first, MAY, 100, 5);
    expect(await reserve(MINUTES.second, MAY, 100, 5)).toBeUndefined();
    expect(await reserve(JUNE, JUNE, 100, 5)).toBe(1);
    expect(await store.stored('coingecko', JUNE)).toMatchObject({ spent: 1 });
  });

  test('keeps the minute of the first call, and does not know it for a row of an earlier release', async () => {
    const firstCall = async () => (await store.stored('coingecko', MAY)).firstCall;
    expect(await firstCall()).toBeUndefined();
    await reserve(MINUTES.first, MAY, 100, 5);
    await reserve(JUNE, JUNE, 100, 5);
    expect(await firstCall()).toBe(MINUTES.first);
    await database.prisma.budget.updateMany({ data: { firstCallAt: null } });
    expect(await firstCall()).toBe(0);
  });

  test('grants exactly its last calls to concurrent requests', async () => {
    const counts = await Promise.all(Array.from({ length: 40 }, () => reserve(MINUTES.first, MAY, 100, 7)));
    expect(counts.filter((count) => count !== undefined).sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test('for a month does not restart after the clock was set back', async () => {
    await reserve(JUNE, JUNE, 100, 2);
    expect(await reserve(MINUTES.first, MAY, 100, 2)).toBe(2);
    expect(await reserve(MINUTES.first, MAY, 100, 2)).toBeUndefined();
    expect(await store.stored('coingecko', MAY)).toMatchObject({ spent: 2 });
    expect(await reserve(JUNE, JUNE, 100, 3)).toBe(3);
  });

  test('for a minute does not restart for a process whose clock is slightly behind', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await reserve(MINUTES.second, MAY, 6, 100)).toBeDefined();
      expect(await reserve(MINUTES.first, MAY, 6, 100)).toBeDefined();
    }
    expect(await reserve(MINUTES.second, MAY, 6, 100)).toBeUndefined();
    expect(await reserve(MINUTES.first, MAY, 6, 100)).toBeUndefined();
  });

  test('for a minute does not block a process whose clock was set back by an hour', async () => {
    await reserve(MINUTES.first, MAY, 1, 100);
    expect(await reserve(MINUTES.first - 3_600_000, MAY, 1, 100)).toBe(2);
  });

  test('of zero grants no call', async () => {
    expect(await reserve(MINUTES.first, MAY, 0, 100)).toBeUndefined();
    expect(await reserve(MINUTES.first, MAY, 100, 0)).toBeUndefined();
    expect(await store.stored('coingecko', MAY)).toMatchObject({ spent: 0 });
  });

  test('without a monthly limit is unlimited', async () => {
    expect(await reserve(MINUTES.first, MAY, 10, Number.POSITIVE_INFINITY)).toBe(1);
  });

  test('of one upstream is independent of another', async () => {
    await reserve(MINUTES.first, MAY, 1, 1);
    const other = { minute: MINUTES.first, month: MAY };
    expect(await store.reserve('cryptocompare', other, { perMinute: 1, perMonth: 1 })).toBe(1);
  });
});

test('a turn is granted to one process at a time, and again after its interval', async () => {
  // The interval of a turn is not rounded up. Otherwise the next process could take the turn within the same
  // millisecond.
  for (let round = 0; round < 50; round++) {
    const what = `chart:${round}` as const;
    const turns = await Promise.all(Array.from({ length: 5 }, () => store.takeTurn(what, 60_000)));
    expect(turns.filter(Boolean)).toHaveLength(1);
  }
  const takenAgo = (interval: string) =>
    database.prisma
      .$executeRaw`UPDATE refresh SET fetched_at = now() - ${interval}::interval WHERE resource = 'chart:0'`;
  await takenAgo('50 s');
  expect(await store.takeTurn('chart:0', 60_000)).toBe(false);
  await takenAgo('61 s');
  expect(await store.takeTurn('chart:0', 60_000)).toBe(true);
  await takenAgo('-1 hour');
  expect(await store.takeTurn('chart:0', 60_000), 'after a clock that was ahead').toBe(true);
});
