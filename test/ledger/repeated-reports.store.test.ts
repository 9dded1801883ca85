import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { usageRows } from './allowance-harness.ts';
import { type LedgerUser, openLedgerUser } from './ledger-user.ts';

const START = Date.UTC(2026, 4, 10, 12);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

it('grants for many users in opposite order, from two processes, do not wait for each other', async () => {
  const users = await Promise.all(Array.from({ length: 20 }, () => openLedgerUser(database, START)));
  const [first] = users as [LedgerUser];
  const processes = [await first.startProcess(), await first.startProcess()] as const;
  const batch = (ordered: LedgerUser[], process: string, want: number) =>
    first.ledger.grant(ordered.map(({ request }) => request(process, { want, need: 1 })));
  for (const process of processes)
    await first.ledger.open(
      users.map(({ request }) => request(process, {})),
      1,
    );
  for (let n = 1; n <= 10; n++) {
    const states = await Promise.all([batch(users, processes[0], n), batch(users.toReversed(), processes[1], n)]);
    for (const ofProcess of states) for (const state of ofProcess) expect(state?.granted).toBe(n);
  }
  for (const { key } of users) expect(await usageRows(database, key)).toMatchObject([{ outstanding: 20 }]);
});

it('a grant, a return, a report and a closing that are sent twice count once', async () => {
  const { key, grant, report, close, startProcess } = await openLedgerUser(database, START);
  const process = await startProcess();
  for (let n = 0; n < 2; n++) await grant(process, { want: 10, need: 1 });
  for (let n = 0; n < 2; n++) await report(process, 4);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 6 }]);
  for (let n = 0; n < 2; n++) await grant(process, { spent: 4, want: 5 });
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 1 }]);
  for (let n = 0; n < 2; n++) await close(process);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 4, outstanding: 0 }]);
});
