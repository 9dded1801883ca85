import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, isoDate, MINUTE } from '#core/clock';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { openProcess } from '../support/service/market.ts';

const NOW = '2026-05-15T14:10:06Z';

let database: TestDatabase;
let clock: TestClock;
let close: (() => Promise<void>)[];
beforeEach(async () => {
  clock = createTestClock(NOW);
  database = await openTestDatabase();
  close = [];
  await database.prisma.$executeRaw`
    INSERT INTO "user" (key, plan, "limit", anchor, created_at, valid_until, updated_at)
    VALUES (1, 'yearly', 1000, ${new Date(NOW)}, ${new Date(NOW)}, ${new Date(NOW)}, ${new Date(NOW)})`;
  await database.prisma.$executeRaw`
    INSERT INTO usage_day (user_key, date, calls)
    SELECT 1, ${isoDate(clock.now())}::date - day, 1 FROM generate_series(0, 999) AS d(day)`;
});
afterEach(async () => {
  for (const one of close) await one();
  await database.close();
});

async function open(env: Record<string, string> = {}) {
  const process = await openProcess(database, clock, env);
  close.push(process.close);
  return process;
}

/** The number of dates that are kept before today. */
async function kept() {
  const { _count, _min } = await database.prisma.usageDay.aggregate({ _count: true, _min: { date: true } });
  const days = (Date.parse(isoDate(clock.now())) - (_min.date as Date).getTime()) / DAY;
  return { rows: _count, days };
}
const round = () => database.prisma.refresh.findUnique({ where: { resource: 'usage-retention' } });

test("calls of a date are deleted 400 days after its end, at a process's start and once a date", async () => {
  const one = await open();
  await one.enforceRetention();
  expect(await kept()).toEqual({ rows: 401, days: 400 });
  const other = await open();
  await other.enforceRetention();
  expect(await round()).toMatchObject({ version: 1, holder: null, fetchedAt: new Date(NOW) });

  clock.advance(9 * HOUR);
  await Promise.all([one.enforceRetention(), other.enforceRetention()]);
  expect(await round()).toMatchObject({ version: 1 });
  clock.advance(HOUR);
  await Promise.all([one.enforceRetention(), other.enforceRetention()]);
  expect(await round()).toMatchObject({ version: 2 });
  expect(await kept()).toEqual({ rows: 400, days: 400 });
});

test('a start with another retention deletes immediately', async () => {
  await (await open()).enforceRetention();
  clock.advance(MINUTE);
  await (await open({ USAGE_RETENTION: '31d' })).enforceRetention();
  expect(await kept()).toEqual({ rows: 32, days: 31 });
});

test('a process that holds the claim prevents rounds of other processes', async () => {
  await database.prisma.$executeRaw`
    INSERT INTO refresh (resource, holder, until)
    VALUES ('usage-retention', gen_random_uuid(), clock_timestamp() + interval '10 minutes')`;
  const one = await open();
  await one.enforceRetention();
  expect(await kept()).toMatchObject({ rows: 1000 });
  await database.prisma.$executeRaw`UPDATE refresh SET until = clock_timestamp() WHERE resource = 'usage-retention'`;
  await one.enforceRetention();
  expect(await kept()).toMatchObject({ rows: 401 });
});
