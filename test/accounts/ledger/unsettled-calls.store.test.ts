import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LeaseReport } from '#accounts/ledger/ledger-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { age } from './allowance-harness.ts';
import { type LedgerUser, openLedgerUser } from './ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
const DATE = Date.UTC(2026, 4, 10);
const TODAY = '2026-05-10';

let database: TestDatabase;
let user: LedgerUser;
let ledger: LedgerUser['ledger'];
let key: number;
let lease: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(async () => {
  user = await openLedgerUser(database, START);
  ({ ledger, key } = user);
  lease = randomUUID();
  await ledger.settle([report({ want: 10 })]);
});

const report = (given: Partial<LeaseReport>) => user.report(lease, given);

/** The reported usage. */
async function received() {
  const { used, days } = await ledger.counts(key, START, [], 31);
  return [used, days];
}

/** The ledger's rows. */
async function rows() {
  const { prisma } = database;
  const [usage] = await prisma.usage.findMany({ where: { userKey: key } });
  const [day] = await prisma.usageDay.findMany({ where: { userKey: key } });
  const { _sum } = await prisma.lease.aggregate({ where: { userKey: key }, _sum: { unbooked: true } });
  return {
    used: usage?.used,
    outstanding: usage?.outstanding,
    daily: day?.calls ?? 0,
    unbooked: _sum.unbooked,
  };
}

it('is reported immediately, and settled with the next grant', async () => {
  expect(await ledger.heartbeat([report({ spent: 4, seq: 2 })])).toEqual(new Set([0]));
  expect(await received()).toEqual([4, [{ date: TODAY, calls: 4 }]]);
  expect(await rows()).toEqual({ used: 0, outstanding: 10, daily: 0, unbooked: 4 });
  await ledger.settle([report({ spent: 5, settled: 4, want: 15, seq: 3 })]);
  expect(await received()).toEqual([5, [{ date: TODAY, calls: 5 }]]);
  expect(await rows()).toEqual({ used: 5, outstanding: 10, daily: 5, unbooked: 0 });
});

it('is booked when the lease is closed', async () => {
  await ledger.heartbeat([report({ spent: 4, seq: 2 })]);
  await ledger.settle([report({ spent: 4, settled: 4, seq: 3, close: true })]);
  expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: 0 });
});

it('counts once, however often it is reported, and is not overwritten by a delayed report', async () => {
  for (let n = 0; n < 2; n++) await ledger.heartbeat([report({ spent: 7, seq: 3 })]);
  expect(await ledger.heartbeat([report({ spent: 4, seq: 2 })])).toEqual(new Set());
  expect(await received()).toEqual([7, [{ date: TODAY, calls: 7 }]]);
});

it('can be refunded like any other call', async () => {
  await ledger.heartbeat([report({ spent: 4, seq: 2 })]);
  await ledger.heartbeat([report({ spent: 3, settled: 4, seq: 3 })]);
  expect(await received()).toEqual([3, [{ date: TODAY, calls: 3 }]]);
  await ledger.settle([report({ spent: 3, settled: 3, seq: 4, close: true })]);
  await ledger.settle([report({ spent: 2, settled: 3, seq: 5, close: true })]);
  expect(await rows()).toEqual({ used: 2, outstanding: 0, daily: 2, unbooked: 0 });
});

it('is settled for its date by the process that reclaims the lease; its holder settles later calls', async () => {
  await ledger.heartbeat([report({ spent: 4, seq: 2 })]);
  await age(database, key, 31);
  const other = { id: randomUUID(), date: DATE + 86_400_000, want: 5 };
  await ledger.settle([report(other)]);
  expect(await rows()).toEqual({ used: 4, outstanding: 5, daily: 4, unbooked: 0 });

  const late = report({ spent: 6, settled: 4, seq: 3 });
  expect(await ledger.heartbeat([late])).toEqual(new Set());
  expect((await ledger.settle([late]))[0]).toMatchObject({ closed: true });
  expect(await received()).toEqual([6, [{ date: TODAY, calls: 6 }]]);
});

it('is settled eventually without further calls of the key', async () => {
  await ledger.heartbeat([report({ spent: 4, seq: 2 })]);
  await age(database, key, 3600);
  await ledger.tidy();
  expect(await rows()).toEqual({ used: 0, outstanding: 10, daily: 0, unbooked: 4 });
  await age(database, key, 60);
  await ledger.tidy();
  expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: 0 });
});

it('is booked before a lease that an older release closed is deleted', async () => {
  await ledger.heartbeat([report({ spent: 4, seq: 2 })]);
  await age(database, key, 100_000);
  await database.prisma.lease.updateMany({ where: { id: lease }, data: { closed: true } });
  await database.prisma.usage.updateMany({
    where: { userKey: key },
    data: { outstanding: { decrement: 6 } },
  });
  await ledger.tidy();
  expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: null });
  await ledger.settle([report({ spent: 4, settled: 4, seq: 3, close: true })]);
  expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: null });
});
