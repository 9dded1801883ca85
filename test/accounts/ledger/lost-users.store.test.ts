import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { usageDays, usageRows } from './allowance-harness.ts';
import { openLedgerUser } from './ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
/** The record number of a registration that the database has lost. */
const LOST = 2 ** 31 - 1;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

it('a lost user is granted nothing, and the other reports of the statement are settled', async () => {
  const { ledger, key, report } = await openLedgerUser(database, START);
  const own = randomUUID();
  await ledger.settle([report(own, { want: 10 })]);
  const states = await ledger.settle([
    report(randomUUID(), { userKey: LOST, spent: 5, settled: 2, want: 10, need: 1, seq: 3 }),
    report(own, { spent: 4, want: 10, seq: 2 }),
    report(randomUUID(), { userKey: LOST, want: 10, need: 1 }),
  ]);
  expect(states).toEqual([
    { granted: 0, closed: true, limit: 0, left: 0, reclaimableIn: null },
    expect.objectContaining({ granted: 10, closed: false }),
    { granted: 0, closed: false, limit: 0, left: 0, reclaimableIn: null },
  ]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 6 }]);
  expect(await usageRows(database, LOST)).toEqual([]);
  expect(await usageDays(database, LOST)).toEqual([]);
  expect(await ledger.grantFirst([report(randomUUID(), { userKey: LOST, want: 10 })])).toEqual([undefined]);
});
