import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
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

it('a lost user is granted nothing, and the other requests of the statement are granted', async () => {
  const { ledger, key, request, startProcess } = await openLedgerUser(database, START);
  const process = await startProcess();
  const requests = [
    request(process, { want: 10, need: 1 }),
    request(process, { userKey: LOST, spent: 5, want: 10, need: 1 }),
  ];
  await ledger.open(requests, 1);
  expect(await ledger.grant(requests)).toMatchObject([{ granted: 10, limit: 100, left: 90 }, undefined]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 0, outstanding: 10 }]);
  expect(await usageRows(database, LOST)).toEqual([]);
  expect(await usageDays(database, LOST)).toEqual([]);
});
