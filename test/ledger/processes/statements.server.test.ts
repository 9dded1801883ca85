import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '#core/clock';
import { createAllowance } from '#gate/allowance';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { createLedgerStore } from '#ledger/statements/ledger-store';
import { createUserServices } from '#user-services';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount } from '../../support/long.ts';

const SECONDS = 4;
const MAX_PER_SECOND = 10;
/** The time between two rounds of calls, in ms, and the minimum number of rounds. */
const [PAUSE, ROUNDS] = [amount(100, 20), amount(10, 50)];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

/** Counts the statements that all pools send to the server. */
function countStatements() {
  const original = pg.Client.prototype.query;
  let count = 0;
  pg.Client.prototype.query = function counted(this: pg.Client, ...given: unknown[]) {
    count += 1;
    return (original as (...args: unknown[]) => unknown).apply(this, given);
  } as typeof original;
  return {
    count: () => count,
    stop: () => {
      pg.Client.prototype.query = original;
    },
  };
}

it.each([1, 1_000])('%i active keys: no statement per call, and at most 10 a second', async (keys) => {
  const keyCache = createKeyCache({ store: createKeyHolderStore(database.prisma), clock: systemClock });
  const ledger = createLedgerStore(database);
  const failures = { failed: (_work: string, fault: unknown) => expect(fault).toBeUndefined() };
  let waits = 0;
  const observeWait = () => {
    waits += 1;
  };
  const allowance = createAllowance({ keyCache, ledger, clock: systemClock, failures, observeWait });
  const { users } = createUserServices(database.prisma);
  const person = { name: 'Ada Lovelace', email: 'ada@example.org', plan: 'monthly' as const };
  const apiKeys: string[] = [];
  for (let n = 0; n < keys; n++) apiKeys.push((await users.create(person, 10_000_000)).apiKey);

  let calls = 0;
  const everyKey = async () => {
    for (const apiKey of apiKeys) {
      allowance.keep(await allowance.spend(await allowance.holderOf(apiKey), 1));
      calls += 1;
    }
  };
  // The first calls wait for the ledger together.
  const first = apiKeys.map(async (apiKey) => allowance.spend(await allowance.holderOf(apiKey), 1));
  for (const receipt of await Promise.all(first)) allowance.keep(receipt);
  await allowance.settle();

  const statements = countStatements();
  const before = calls;
  waits = 0;
  const since = performance.now();
  while (performance.now() < since + SECONDS * 1_000) {
    await everyKey();
    await wait(PAUSE);
  }
  statements.stop();
  const seconds = (performance.now() - since) / 1_000;
  await allowance.close(10_000);
  expect(calls - before).toBeGreaterThan(ROUNDS * keys);
  expect(statements.count()).toBeGreaterThanOrEqual(SECONDS - 1);
  // A call that waited, on a busy machine, needed a statement.
  expect(statements.count()).toBeLessThanOrEqual(seconds * MAX_PER_SECOND + waits);
});
