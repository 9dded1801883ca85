import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { usageDays, usageRows } from './allowance-harness.ts';
import { type LedgerUser, openLedgerUser } from './ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);
const DATE = Date.UTC(2026, 4, 10);

let database: TestDatabase;
let ledger: LedgerUser['ledger'];
let key: number;
let report: LedgerUser['report'];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(async () => {
  ({ ledger, key, report } = await openLedgerUser(database, START));
});

it('a report that is sent twice counts once', async () => {
  const id = randomUUID();
  await ledger.settle([report(id, { want: 10 })]);
  for (let n = 0; n < 2; n++) await ledger.settle([report(id, { spent: 4, settled: 0, want: 10, seq: 2 })]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 6 }]);
  expect(await usageDays(database, key)).toEqual([{ date: DATE, calls: 4 }]);
});

it('a delayed report does not overwrite a later report', async () => {
  const id = randomUUID();
  await ledger.settle([report(id, { want: 10 })]);
  await ledger.settle([report(id, { spent: 7, seq: 3 })]);
  await ledger.settle([report(id, { spent: 4, seq: 2, close: true })]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 3 }]);
  await ledger.settle([report(id, { spent: 7, seq: 4, close: true })]);
  await ledger.settle([report(id, { spent: 5, seq: 1, want: 10 })]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 0 }]);
});

it('two reports of many keys in opposite order do not wait for each other', async () => {
  const others = await Promise.all(Array.from({ length: 20 }, () => openLedgerUser(database, START)));
  const batch = (users: LedgerUser[]) => ledger.settle(users.map((user) => user.report(randomUUID(), { want: 5 })));
  for (let n = 0; n < 10; n++) {
    const states = await Promise.all([batch(others), batch([...others].reverse()), batch(others)]);
    expect(states.map(({ length }) => length)).toEqual([20, 20, 20]);
  }
});
