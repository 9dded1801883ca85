import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLedgerStore, type LeaseReport } from '../../../src/stores/ledger.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database.ts';
import { enrol, handClock, openTeller, usageDays, usageRows } from './tellers.ts';

const START = Date.UTC(2026, 4, 10, 12);
const DATE = Date.UTC(2026, 4, 10);

let database: TestDatabase;
let ledger: ReturnType<typeof createLedgerStore>;
let key: number;
beforeAll(async () => {
  database = await openTestDatabase();
  ledger = createLedgerStore(database);
});
afterAll(() => database?.close());
beforeEach(async () => {
  const teller = openTeller(database, handClock(START));
  ({ key } = await enrol(database, teller, { limit: 100, at: START }));
  await teller.close();
  await ledger.open([{ userKey: key, periodStart: START }]);
});

function report(id: string, given: Partial<LeaseReport>): LeaseReport {
  const nothing = { spent: 0, settled: 0, want: 0, seq: 1, close: false };
  return { id, userKey: key, periodStart: START, date: DATE, ...nothing, ...given };
}

it('a report that is sent twice counts once', async () => {
  const id = randomUUID();
  await ledger.settle([report(id, { want: 10 })]);
  for (let n = 0; n < 2; n++) await ledger.settle([report(id, { spent: 4, settled: 0, want: 10, seq: 2 })]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 6 }]);
  expect(await usageDays(database, key)).toEqual([{ date: DATE, calls: 4 }]);
});

it('a report that was held up does not undo a later one', async () => {
  const id = randomUUID();
  await ledger.settle([report(id, { want: 10 })]);
  await ledger.settle([report(id, { spent: 7, seq: 3 })]);
  await ledger.settle([report(id, { spent: 4, seq: 2, close: true })]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 3 }]);
  await ledger.settle([report(id, { spent: 7, seq: 4, close: true })]);
  await ledger.settle([report(id, { spent: 5, seq: 1, want: 10 })]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 7, outstanding: 0 }]);
});

it('two reports of many keys in opposite order do not wait for one another', async () => {
  const others = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const teller = openTeller(database, handClock(START));
      const { key: userKey } = await enrol(database, teller, { limit: 100, at: START });
      await teller.close();
      return userKey;
    }),
  );
  await ledger.open(others.map((userKey) => ({ userKey, periodStart: START })));
  const batch = (keys: number[]) =>
    ledger.settle(keys.map((userKey) => ({ ...report(randomUUID(), { want: 5 }), userKey })));
  for (let n = 0; n < 10; n++) {
    const states = await Promise.all([batch(others), batch([...others].reverse()), batch(others)]);
    expect(states.map(({ length }) => length)).toEqual([20, 20, 20]);
  }
});
