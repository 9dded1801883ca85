import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LeaseReport, LedgerStore } from '#accounts/ledger/ledger-store';
import { DAY, HOUR, SECOND } from '#core/clock';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { age, usageDays, usageRows } from './allowance-harness.ts';
import { type LedgerUser, openLedgerUser } from './ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
const DATE = Date.UTC(2026, 4, 10);

let database: TestDatabase;
let user: LedgerUser;
let ledger: LedgerUser['ledger'];
let key: number;
let [lease, other]: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(async () => {
  user = await openLedgerUser(database, START);
  ({ ledger, key } = user);
  [lease, other] = [randomUUID(), randomUUID()];
});

const report = (given: Partial<LeaseReport>, id = lease as string) => user.report(id, given);
const reportOther = (given: Partial<LeaseReport>) => report(given, other);

/** The reported calls by lease. */
const spentIn = ({ leases }: Awaited<ReturnType<LedgerStore['counts']>>) =>
  Object.fromEntries(leases.map(({ id, spent }) => [id, spent]));

describe('a settlement', () => {
  test('that requests no calls leaves the lease its calls', async () => {
    await ledger.settle([report({ want: 10 })]);
    const states = await ledger.settle([report({ spent: 4, seq: 2 })]);
    expect(states).toMatchObject([{ granted: 10, closed: false, left: 90 }]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 6 }]);
  });

  test('grants a quarter of the remaining calls, and the last call', async () => {
    expect(await ledger.settle([report({ want: 50 })])).toMatchObject([{ granted: 25, left: 75 }]);
    await database.prisma.user.update({ where: { key }, data: { limit: 26 } });
    expect(await ledger.settle([reportOther({ want: 50 })])).toMatchObject([{ granted: 1, left: 0 }]);
  });

  test('is not overwritten by any number of delayed earlier settlements', async () => {
    await ledger.settle([report({ want: 10 })]);
    await ledger.settle([report({ spent: 7, seq: 4 })]);
    await ledger.settle([report({ spent: 3, seq: 2 })]);
    await ledger.settle([report({ spent: 5, seq: 3 })]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 3 }]);
  });

  test('of a deleted lease books its unbooked calls and opens no new lease', async () => {
    const states = await ledger.settle([report({ spent: 6, settled: 2, want: 20, seq: 9 })]);
    expect(states).toMatchObject([{ granted: 0, closed: true, left: 96 }]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 0 }]);
  });

  test("of a refund after the lease was closed deducts it from the lease's date", async () => {
    await ledger.settle([report({ want: 10 })]);
    await ledger.settle([report({ spent: 3, seq: 2, close: true })]);
    await ledger.settle([report({ spent: 2, seq: 3, close: true })]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 2, outstanding: 0 }]);
    expect(await usageDays(database, key)).toEqual([{ date: DATE, calls: 2 }]);
  });

  test('adds up the leases of a period, in one statement or in two', async () => {
    await ledger.settle([report({ want: 10 }), reportOther({ want: 10 })]);
    await ledger.settle([report({ spent: 3, seq: 2 }), reportOther({ spent: 4, seq: 2 })]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 13 }]);
    await ledger.settle([report({ spent: 5, seq: 3 })]);
    expect(await usageDays(database, key)).toEqual([{ date: DATE, calls: 9 }]);
  });

  test('that grants nothing returns the time until a lease with remaining calls can be reclaimed', async () => {
    await database.prisma.user.update({ where: { key }, data: { limit: 1 } });
    await ledger.settle([report({ want: 1 })]);
    const [refused] = await ledger.settle([reportOther({ want: 1, need: 1 })]);
    expect(refused).toMatchObject({ granted: 0, left: 0 });
    expect(refused?.reclaimableIn).toBeGreaterThan(20);
    expect(refused?.reclaimableIn).toBeLessThanOrEqual(30);
    await ledger.settle([report({ spent: 1, seq: 2 })]);
    const [again] = await ledger.settle([reportOther({ want: 1, need: 1, seq: 2 })]);
    expect(again).toMatchObject({ granted: 0, reclaimableIn: null });
  });
});

describe('a heartbeat', () => {
  beforeEach(() => ledger.settle([report({ want: 10, place: user.place(1) })]));

  test('adds to the unbooked calls and does not change the remaining calls', async () => {
    await user.heartbeat(1, 4);
    expect(await user.heartbeat(2, 7)).toBe(true);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 3 }]);
    expect(await ledger.counts(key, START, [], 31)).toMatchObject({
      used: 7,
      days: [{ date: '2026-05-10', calls: 7 }],
    });
  });

  test('is booked once by the next settlement', async () => {
    await user.heartbeat(1, 4);
    for (const seq of [2, 3]) await ledger.settle([report({ spent: 5, seq, place: user.place(1, 1) })]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 5, outstanding: 5 }]);
    expect(await usageDays(database, key)).toEqual([{ date: DATE, calls: 5 }]);
  });

  test('that is delayed does not overwrite a later heartbeat or settlement', async () => {
    await user.heartbeat(2, 4);
    await user.heartbeat(1, 2);
    expect((await ledger.counts(key, START, [], 31)).used).toBe(4);
    await ledger.settle([report({ spent: 6, seq: 2, place: user.place(1, 3) })]);
    await user.heartbeat(3, 5);
    expect((await ledger.counts(key, START, [], 31)).used).toBe(6);
    await user.heartbeat(4, 7);
    expect((await ledger.counts(key, START, [], 31)).used).toBe(7);
  });

  test('does not change a closed lease', async () => {
    await ledger.settle([report({ spent: 4, seq: 2, close: true })]);
    await user.heartbeat(1, 6);
    expect(await ledger.counts(key, START, [lease as string], 31)).toMatchObject({ used: 4 });
  });

  test('reports several groups and leases, each lease in its slot', async () => {
    const third = randomUUID();
    const other2 = await openLedgerUser(database, START);
    await ledger.settle([
      reportOther({ want: 10, place: user.place(2) }),
      report({ want: 10, place: { group: other2.group, slot: 1, seq: 0 } }, third),
    ]);
    const groups = [
      { id: user.group, seq: 1, spent: [1, 2] },
      { id: other2.group, seq: 1, spent: [4] },
    ];
    expect(await ledger.heartbeat(groups)).toEqual(new Set([0, 1]));
    const counts = await ledger.counts(key, START, [], 31);
    const flat = (id: string | undefined) => (id as string).replaceAll('-', '');
    expect(counts.used).toBe(7);
    expect(spentIn(counts)).toEqual({ [flat(lease)]: 1, [flat(other)]: 2, [flat(third)]: 4 });
  });

  test("does not count the calls of a slot's earlier lease for its next lease", async () => {
    await user.heartbeat(1, 9);
    await ledger.settle([report({ spent: 9, seq: 2, close: true })]);
    await ledger.settle([reportOther({ want: 10, place: user.place(1, 1) })]);
    expect(await ledger.counts(key, START, [], 31)).toMatchObject({ used: 9 });
    await user.heartbeat(2, 3);
    expect(await ledger.counts(key, START, [], 31)).toMatchObject({ used: 12 });
  });

  test('follows a lease to another place, unless the settlement that moved it is delayed', async () => {
    await ledger.settle([report({ spent: 2, seq: 3, place: user.place(2) })]);
    await ledger.settle([report({ spent: 1, seq: 2, place: user.place(1) })]);
    await user.heartbeat(1, 8, 3);
    expect(await ledger.counts(key, START, [], 31)).toMatchObject({ used: 3 });
  });
});

describe('first leases', () => {
  const open = (want: number) => ledger.grantFirst([report({ want }, randomUUID())]);

  test('are granted while a quarter of the remaining calls is sufficient', async () => {
    expect(await open(26)).toEqual([undefined]);
    expect(await usageRows(database, key)).toEqual([]);
    expect(await open(20)).toMatchObject([{ granted: 20, limit: 100, left: 80 }]);
    expect(await open(20)).toMatchObject([{ granted: 20, left: 60 }]);
    expect(await open(16)).toEqual([undefined]);
    expect(await open(15)).toMatchObject([{ granted: 15, left: 45 }]);
    expect(await usageRows(database, key)).toEqual([{ period: START, used: 0, outstanding: 55 }]);
  });
});

describe('the counts', () => {
  test('include only the calls of the period', async () => {
    const periodStart = START - 30 * DAY;
    await ledger.settle([
      report({ want: 10, place: user.place(1) }),
      reportOther({ want: 10, periodStart, place: user.place(2) }),
    ]);
    await user.heartbeat(1, 2, 5);
    expect((await ledger.counts(key, START, [], 31)).used).toBe(2);
    expect((await ledger.counts(key, periodStart, [], 31)).used).toBe(5);
  });

  test('include the given number of dates, newest first', async () => {
    const date = DATE - DAY;
    await ledger.settle([report({ want: 10 }), reportOther({ want: 10, date })]);
    await ledger.settle([report({ spent: 2, seq: 2 }), reportOther({ spent: 5, seq: 2, date })]);
    const [today, yesterday] = [
      { date: '2026-05-10', calls: 2 },
      { date: '2026-05-09', calls: 5 },
    ];
    expect((await ledger.counts(key, START, [], 31)).days).toEqual([today, yesterday]);
    expect((await ledger.counts(key, START, [], 1)).days).toEqual([today]);
  });

  test('include the calls of open leases, and of closed leases on request', async () => {
    const id = (lease as string).replaceAll('-', '');
    await ledger.settle([report({ want: 10 })]);
    await ledger.settle([report({ spent: 3, seq: 2 })]);
    expect(spentIn(await ledger.counts(key, START, [], 31))).toEqual({ [id]: 3 });
    await ledger.settle([report({ spent: 4, seq: 3, close: true })]);
    expect(spentIn(await ledger.counts(key, START, [], 31))).toEqual({});
    expect(spentIn(await ledger.counts(key, START, [id], 31))).toEqual({ [id]: 4 });
  });
});

test('a closed lease is deleted a day after its expiry, and not earlier', async () => {
  await ledger.settle([report({ want: 10 }), reportOther({ want: 10 })]);
  await age(database, key, (2 * HOUR) / SECOND);
  await ledger.settle([report({ seq: 2 })], false);
  await age(database, key, (23 * HOUR) / SECOND);
  await ledger.settle([report({ seq: 3, close: true }), reportOther({ seq: 2, close: true })]);
  await ledger.tidy();
  expect(await database.prisma.lease.findMany({ where: { userKey: key } })).toMatchObject([{ id: lease }]);
});

test('a group is deleted a day after its expiry if it has no leases', async () => {
  const groups = () => database.prisma.leaseGroup.count({ where: { id: user.group } });
  await ledger.settle([report({ want: 10, place: user.place(1) })]);
  await user.heartbeat(1, 4);
  await age(database, key, (23 * HOUR) / SECOND);
  await ledger.settle([report({ spent: 4, seq: 2, close: true })]);
  await ledger.tidy();
  expect(await groups()).toBe(1);
  await database.prisma.$executeRaw`UPDATE lease_group SET expires_at = expires_at - interval '2 hours'`;
  await ledger.settle([reportOther({ want: 10, place: user.place(1, 1) })]);
  await ledger.tidy();
  expect(await groups()).toBe(1);
  await ledger.settle([reportOther({ seq: 2, close: true })]);
  await ledger.tidy();
  expect(await groups()).toBe(0);
});
