import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseReport } from '#accounts/ledger/ledger-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { age, reportedLeases } from './allowance-harness.ts';
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

const report = (given: Partial<LeaseReport>) => user.report(lease, { place: user.place(1), ...given });

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
  const leases = await reportedLeases(database, key);
  return {
    used: usage?.used,
    outstanding: usage?.outstanding,
    daily: day?.calls ?? 0,
    unbooked: leases.reduce((sum, { unbooked }) => sum + unbooked, 0),
  };
}

it('is reported immediately, and settled with the next grant', async () => {
  expect(await user.heartbeat(1, 4)).toBe(true);
  expect(await received()).toEqual([4, [{ date: TODAY, calls: 4 }]]);
  expect(await rows()).toEqual({ used: 0, outstanding: 10, daily: 0, unbooked: 4 });
  await ledger.settle([report({ spent: 5, settled: 4, want: 15, seq: 2, place: user.place(1, 1) })]);
  expect(await received()).toEqual([5, [{ date: TODAY, calls: 5 }]]);
  expect(await rows()).toEqual({ used: 5, outstanding: 10, daily: 5, unbooked: 0 });
});

it('is booked when the lease is closed', async () => {
  await user.heartbeat(1, 4);
  await ledger.settle([report({ spent: 4, settled: 4, seq: 3, close: true })]);
  expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: 0 });
});

it('counts once, however often it is reported, and is not overwritten by a delayed report', async () => {
  for (let n = 0; n < 2; n++) await user.heartbeat(2, 7);
  await user.heartbeat(1, 4);
  expect(await received()).toEqual([7, [{ date: TODAY, calls: 7 }]]);
});

it('can be refunded like any other call', async () => {
  await user.heartbeat(1, 4);
  await user.heartbeat(2, 3);
  expect(await received()).toEqual([3, [{ date: TODAY, calls: 3 }]]);
  await ledger.settle([report({ spent: 3, settled: 3, seq: 4, close: true })]);
  await ledger.settle([report({ spent: 2, settled: 3, seq: 5, close: true })]);
  expect(await rows()).toEqual({ used: 2, outstanding: 0, daily: 2, unbooked: 0 });
});

it('is settled for its date by the process that reclaims the lease; its holder settles later calls', async () => {
  await user.heartbeat(1, 4);
  await age(database, key, 31);
  const other = { id: randomUUID(), date: DATE + 86_400_000, want: 5, place: null };
  await ledger.settle([report(other)]);
  expect(await rows()).toEqual({ used: 4, outstanding: 5, daily: 4, unbooked: 0 });

  const late = report({ spent: 6, settled: 4, seq: 3 });
  expect(await user.heartbeat(2, 6)).toBe(false);
  expect((await ledger.settle([late]))[0]).toMatchObject({ closed: true });
  expect(await received()).toEqual([6, [{ date: TODAY, calls: 6 }]]);
});

it('is settled eventually without further calls of the key', async () => {
  const ROW_OUTLIVES = 880;
  await user.heartbeat(1, 4);
  await age(database, key, 3600 + ROW_OUTLIVES);
  await ledger.tidy();
  expect(await rows()).toEqual({ used: 0, outstanding: 10, daily: 0, unbooked: 4 });
  await age(database, key, 60);
  await ledger.tidy();
  expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: 0 });
});

describe('a lease that a process of an earlier release closed', () => {
  /** As an earlier release does: the row's calls count, and the others are returned. */
  async function closeByEarlierRelease(): Promise<void> {
    const { prisma } = database;
    await prisma.lease.updateMany({ where: { id: lease }, data: { closed: true, unbooked: 0, resting: 0 } });
    await prisma.usage.updateMany({ where: { userKey: key }, data: { outstanding: { decrement: 10 } } });
  }

  it('is booked with the calls of its group by the next settlement of the user, after the group has expired', async () => {
    await user.heartbeat(1, 4);
    await age(database, key, 31);
    await database.prisma
      .$executeRaw`UPDATE lease_group SET expires_at = clock_timestamp() WHERE id = ${user.group}::uuid`;
    await closeByEarlierRelease();
    const settleOther = () => ledger.settle([user.report(randomUUID(), { want: 5 })]);
    await settleOther();
    expect(await rows()).toMatchObject({ used: 0, outstanding: 5, unbooked: 4 });
    await database.prisma.$executeRaw`
      UPDATE lease_group SET expires_at = expires_at - interval '11 s' WHERE id = ${user.group}::uuid`;
    for (let n = 0; n < 2; n++) await settleOther();
    expect(await rows()).toMatchObject({ used: 4, outstanding: 15, daily: 4, unbooked: 0 });
    expect(await received()).toEqual([4, [{ date: TODAY, calls: 4 }]]);
  });

  it('is booked before the lease is deleted, and its holder books only later calls', async () => {
    await user.heartbeat(1, 4);
    await age(database, key, 100_000);
    await closeByEarlierRelease();
    await ledger.tidy();
    expect(await rows()).toEqual({ used: 4, outstanding: 0, daily: 4, unbooked: 0 });
    expect(await database.prisma.lease.count({ where: { userKey: key } })).toBe(0);
    await ledger.settle([report({ spent: 5, settled: 4, seq: 3, close: true })]);
    expect(await rows()).toEqual({ used: 5, outstanding: 0, daily: 5, unbooked: 0 });
  });
});
