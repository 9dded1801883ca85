import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { createArchiveStore } from '#prices/archive/archive-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { storedRows } from '../../support/service/stored-rows.ts';

/*
 * During an upgrade, processes of the release before market sources run in parallel. The tests write rows as that
 * release does.
 */

const AT = Date.parse('2026-05-15T10:00:00Z');
const SPAN = { from: AT - 3 * HOUR, thru: AT + HOUR };

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(() => database.prisma.$executeRaw`TRUNCATE point, coverage, latest, source_coverage, source_latest`);
afterAll(() => database.close());

const olderUpsert = (price: number) => database.prisma.$executeRaw`
  INSERT INTO point (token, grain, at, price, market_cap, volume, settled)
  VALUES ('bitcoin', 'hour', ${new Date(AT)}, ${price}::float8, 1, 1, true)
  ON CONFLICT (token, grain, at) DO UPDATE SET price = excluded.price, settled = excluded.settled
  WHERE NOT point.settled`;

const record = (source: 'coingecko' | 'kraken', price: number) => {
  const rows = [{ at: AT, price, marketCap: null, volume: null, settled: true }];
  const updates = [{ interval: 'hour' as const, rows, covers: SPAN }];
  return createArchiveStore(database.prisma).record(source, 'hours:bitcoin', 'bitcoin', updates, AT + DAY);
};
const stored = () => storedRows(createArchiveStore(database.prisma), 'bitcoin', 'hour', SPAN);

test('rows of the older release belong to the primary source', async () => {
  await olderUpsert(1);
  expect(await stored()).toEqual([{ at: AT, price: 1, marketCap: 1, volume: 1, settled: true, source: 'coingecko' }]);
});

test('an older release that overwrites a provisional row does not settle it', async () => {
  await record('kraken', 1);
  await olderUpsert(2);
  expect(await stored()).toMatchObject([{ price: 2, settled: false }]);
  await record('coingecko', 3);
  expect(await stored()).toMatchObject([{ price: 3, settled: true, source: 'coingecko' }]);
});

test('the older release’s latest prices and coverage have the keys that it expects', async () => {
  for (let i = 0; i < 2; i++) {
    await database.prisma.$executeRaw`
      INSERT INTO latest (token, record, at, fetched_at) VALUES ('bitcoin', '{}', now(), now())
      ON CONFLICT (token) DO UPDATE SET record = excluded.record`;
    await database.prisma.$executeRaw`
      INSERT INTO coverage (token, grain, "from", thru) VALUES ('bitcoin', 'hour', ${new Date(AT)}, now())
      ON CONFLICT (token, grain, "from") DO UPDATE SET thru = greatest(coverage.thru, excluded.thru)`;
  }
  expect(await createArchiveStore(database.prisma).coverage()).toEqual([]);
});
