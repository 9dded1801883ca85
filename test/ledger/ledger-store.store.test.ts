import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, SECOND } from '#core/clock';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { age, storedLeases, usageDays, usageRows } from './allowance-harness.ts';
import { type LedgerUser, openLedgerUser } from './ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
const DATE = Date.UTC(2026, 4, 10);

let database: TestDatabase;
let user: LedgerUser;
let [one, other]: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(async () => {
  user = await openLedgerUser(database, START);
  one = await user.startProcess();
  other = await user.startProcess();
});

const first = () => one as string;
const second = () => other as string;
const rows = () => usageRows(database, user.key);
const counts = () => user.ledger.counts(user.key, START, 31);
const setLimit = (limit: number) => database.prisma.user.updateMany({ where: { key: user.key }, data: { limit } });

describe('a grant', () => {
  test('contains a quarter of the remaining calls, and the last call', async () => {
    expect(await user.grant(first(), { want: 50, need: 1 })).toMatchObject({ granted: 25, left: 75, limit: 100 });
    await setLimit(26);
    expect(await user.grant(second(), { want: 50, need: 1 })).toMatchObject({ granted: 1, left: 0 });
    expect(await rows()).toEqual([{ period: START, used: 0, outstanding: 26 }]);
  });

  test('contains more than a quarter if a waiting call needs more, and nothing if fewer are left', async () => {
    expect(await user.grant(first(), { want: 50, need: 40 })).toMatchObject({ granted: 40, left: 60 });
    expect(await user.grant(second(), { want: 70, need: 61 })).toMatchObject({ granted: 0, left: 60, held: 40 });
    expect(await rows()).toEqual([{ period: START, used: 0, outstanding: 40 }]);
  });

  test('adds to the lease, and does not change the calls that are reported', async () => {
    await user.grant(first(), { want: 10, need: 1 });
    await user.report(first(), 4);
    expect(await user.grant(first(), { spent: 4, want: 20, need: 1 })).toMatchObject({ granted: 20, left: 80 });
    expect(await rows()).toEqual([{ period: START, used: 4, outstanding: 16 }]);
  });

  test('that wants fewer calls returns the rest, once, and never returns spent calls', async () => {
    await user.grant(first(), { want: 20, need: 1 });
    await user.report(first(), 4);
    for (let n = 0; n < 2; n++)
      expect(await user.grant(first(), { spent: 4, want: 6 })).toMatchObject({ granted: 6, left: 94 });
    expect(await user.grant(first(), { want: 0 })).toMatchObject({ granted: 4, left: 96 });
    expect(await rows()).toEqual([{ period: START, used: 4, outstanding: 0 }]);
  });

  test('that is refused returns the number of unspent calls that others hold', async () => {
    await setLimit(20);
    await user.grant(second(), { want: 20, need: 20 });
    await user.report(second(), 5);
    expect(await user.grant(first(), { want: 1, need: 1 })).toMatchObject({ granted: 0, held: 15 });
    await user.report(second(), 20);
    expect(await user.grant(first(), { want: 1, need: 1 })).toMatchObject({ granted: 0, held: null });
  });

  test('uses the limit of the period, and its credits', async () => {
    const userKey = user.key;
    await database.prisma.usage.createMany({ data: [{ userKey, periodStart: new Date(START), limit: 7, credits: 3 }] });
    expect(await user.grant(first(), { want: 50, need: 11 })).toMatchObject({ granted: 0, limit: 10, left: 10 });
    expect(await user.grant(first(), { want: 50, need: 10 })).toMatchObject({ granted: 10, limit: 10, left: 0 });
  });

  test('reports a negative number of remaining calls after the limit was lowered', async () => {
    await user.grant(first(), { want: 20, need: 1 });
    await setLimit(5);
    expect(await user.grant(first(), { want: 21, need: 1 })).toMatchObject({ granted: 20, left: -15 });
    expect(await user.grant(first(), { want: 0 })).toMatchObject({ granted: 0, left: 5 });
  });
});

describe('a report', () => {
  beforeEach(() => user.grant(first(), { want: 10, need: 1 }));

  test('counts the spent calls, and does not change the remaining calls', async () => {
    expect(await user.report(first(), 4)).toBe(true);
    expect(await user.report(first(), 7)).toBe(true);
    expect(await rows()).toEqual([{ period: START, used: 7, outstanding: 3 }]);
    expect(await counts()).toMatchObject({ used: 7, days: [{ date: '2026-05-10', calls: 7 }] });
  });

  test('is not overwritten by any number of delayed earlier reports', async () => {
    await user.report(first(), 7, { number: 9 });
    for (const number of [7, 8, 9]) expect(await user.report(first(), 5, { number })).toBe(false);
    expect((await counts()).used).toBe(7);
    await user.report(first(), 6, { number: 10 });
    expect((await counts()).used).toBe(6);
  });

  test('of a lease without a row is not recorded', async () => {
    await user.close(first());
    expect(await user.report(first(), 4)).toBe(false);
    expect(await user.report(second(), 4)).toBe(false);
    expect(await rows()).toEqual([{ period: START, used: 0, outstanding: 0 }]);
  });

  test('counts calls beyond the granted ones', async () => {
    await user.report(first(), 12);
    expect(await rows()).toMatchObject([{ used: 12 }]);
    await user.close(first());
    expect(await rows()).toEqual([{ period: START, used: 12, outstanding: 0 }]);
  });
});

describe('a closed lease', () => {
  test('returns its unspent calls, and its spent calls count toward their date, key and path', async () => {
    await user.grant(first(), { want: 20, need: 1, keyId: 3, path: 2 });
    await user.report(first(), 9, { details: '3 4 2 8 2 5' });
    for (let n = 0; n < 2; n++) await user.close(first());
    expect(await rows()).toEqual([{ period: START, used: 9, outstanding: 0 }]);
    expect(await usageDays(database, user.key)).toEqual([{ date: DATE, calls: 9 }]);
    const details = await database.prisma.usageDetail.findMany({
      where: { userKey: user.key },
      orderBy: [{ keyId: 'asc' }, { path: 'asc' }],
    });
    expect(details.map(({ keyId, path, calls }) => [keyId, path, calls])).toEqual([
      [3, 2, 2],
      [3, 4, 2],
      [8, 2, 5],
    ]);
    expect(await storedLeases(database, user.key)).toEqual([]);
  });

  test('adds to the calls of other leases of the date', async () => {
    for (const process of [first(), second()]) {
      await user.grant(process, { want: 10, need: 1 });
      await user.report(process, 4);
      await user.close(process);
    }
    expect(await usageDays(database, user.key)).toEqual([{ date: DATE, calls: 8 }]);
    expect(await counts()).toMatchObject({ used: 8, days: [{ calls: 8 }], leases: [] });
  });
});

describe('a sweep', () => {
  beforeEach(async () => {
    await user.grant(first(), { want: 20, need: 1 });
    await user.report(first(), 4);
  });

  test('returns the calls of a process that expired more than 10 s ago, and not earlier', async () => {
    await age(database, user.key, 29);
    await user.sweep();
    expect(await rows()).toEqual([{ period: START, used: 4, outstanding: 16 }]);
    await age(database, user.key, 2);
    for (let n = 0; n < 2; n++) await user.sweep();
    expect(await rows()).toEqual([{ period: START, used: 4, outstanding: 0 }]);
  });

  test('ends the life of the process, whose late report still counts', async () => {
    await age(database, user.key, 31);
    await user.sweep();
    expect(await user.ledger.live(first(), undefined)).toBe(false);
    expect(await user.report(first(), 6)).toBe(true);
    expect(await rows()).toMatchObject([{ used: 6 }]);
    await user.close(first());
    expect(await rows()).toEqual([{ period: START, used: 6, outstanding: 0 }]);
  });

  test('closes the leases a day later, and not earlier', async () => {
    await age(database, user.key, 31);
    await user.sweep();
    await age(database, user.key, (23 * HOUR) / SECOND);
    await user.sweep();
    expect(await storedLeases(database, user.key)).toHaveLength(1);
    await age(database, user.key, (2 * HOUR) / SECOND);
    await user.sweep();
    expect(await storedLeases(database, user.key)).toEqual([]);
    expect(await rows()).toEqual([{ period: START, used: 4, outstanding: 0 }]);
  });

  test('returns the calls of a process that has left, if a statement stored them after its deadline', async () => {
    await user.ledger.leave(first());
    expect(await user.ledger.sweep(user.key)).toEqual([]);
    await age(database, user.key, 11);
    expect(await user.ledger.sweep(user.key)).toEqual([{ ...user.lease(first()), isOld: false }]);
  });
});

describe('the counts', () => {
  test('include only the calls of the period', async () => {
    const periodStart = START - 30 * DAY;
    await user.grant(first(), { want: 10, need: 1 });
    await user.grant(first(), { want: 10, need: 1, periodStart });
    await user.report(first(), 2);
    await user.report(first(), 5, { periodStart });
    expect((await counts()).used).toBe(2);
    expect((await user.ledger.counts(user.key, periodStart, 31)).used).toBe(5);
  });

  test('include the given number of dates, newest first, whether or not the leases are closed', async () => {
    const date = DATE - DAY;
    await user.grant(first(), { want: 10, need: 1 });
    await user.grant(first(), { want: 10, need: 1, date });
    await user.report(first(), 2);
    await user.report(first(), 5, { date });
    const [today, yesterday] = [
      { date: '2026-05-10', calls: 2 },
      { date: '2026-05-09', calls: 5 },
    ];
    expect((await counts()).days).toEqual([today, yesterday]);
    await user.close(first(), { date });
    expect((await counts()).days).toEqual([today, yesterday]);
    expect((await user.ledger.counts(user.key, START, 1)).days).toEqual([today]);
  });
});
