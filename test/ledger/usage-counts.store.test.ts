import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { createAllowance } from '#gate/allowance';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { createLedgerStore, type LedgerStore } from '#ledger/statements/ledger-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { unlogged } from '../support/unlogged.ts';
import { BY_HAND, createUser, handClock, openLeaseHolder } from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

/**
 * One process with an open lease that has made ten calls. The test can intercept the process's statements to the
 * ledger.
 */
async function open(ledger: (real: LedgerStore) => LedgerStore) {
  const clock = handClock(START);
  const holder = openLeaseHolder(database, clock);
  const { apiKey } = await createUser(database, holder, { limit: 10_000, at: START });
  await holder.close();
  const keyCache = createKeyCache({ store: createKeyHolderStore(database.prisma), clock });
  const real = createLedgerStore(database);
  const allowance = createAllowance({
    keyCache,
    ledger: ledger(real),
    clock,
    failures: unlogged,
    tickMs: BY_HAND,
  });
  const call = async (times: number) => {
    for (let n = 0; n < times; n++) allowance.keep(await allowance.spend(await allowance.holderOf(apiKey), 1));
  };
  await call(10);
  await allowance.settle();
  clock.pass(SECOND);
  return {
    allowance,
    call,
    async used() {
      const { used, daily } = await allowance.usage(await allowance.holderOf(apiKey));
      return [used, daily];
    },
  };
}

const counted = (calls: number) => [calls, [{ date: '2026-05-10', calls }]];

it('a call counts once while the ledger has booked it and the response is still pending', async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let isHeld = false;
  const { allowance, call, used } = await open((real) => ({
    ...real,
    async report(...reports) {
      const recorded = await real.report(...reports);
      if (!isHeld) return recorded;
      arrived.resolve();
      await released.promise;
      return recorded;
    },
  }));
  await call(4);
  isHeld = true;
  const settled = allowance.settle();
  await arrived.promise;
  expect(await used()).toEqual(counted(14));
  await call(2);
  expect(await used()).toEqual(counted(16));
  released.resolve();
  await settled;
  expect(await used()).toEqual(counted(16));
  await allowance.close(10_000);
  expect(await used()).toEqual(counted(16));
});

it("a call counts once if the ledger's response was lost", async () => {
  let isLost = false;
  const { allowance, call, used } = await open((real) => ({
    ...real,
    async report(...reports) {
      const recorded = await real.report(...reports);
      if (isLost) throw new Error('the connection was cut');
      return recorded;
    },
  }));
  await call(3);
  isLost = true;
  await expect(allowance.settle()).rejects.toThrow(expect.objectContaining({ code: 'database_unavailable' }));
  expect(await used()).toEqual(counted(13));
  isLost = false;
  await allowance.settle();
  expect(await used()).toEqual(counted(13));
  await allowance.close(10_000);
});

it('the remaining statements of a settlement are skipped if no call waits for them', async () => {
  const held = Promise.withResolvers<void>();
  const [arrived, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isHeld = false;
  let opened = 0;
  const { allowance, call } = await open((real) => ({
    ...real,
    async report(...reports) {
      if (!isHeld) return real.report(...reports);
      isHeld = false;
      arrived.resolve();
      await held.promise;
      // The response states that the lease has no row, so the process would next store it.
      setImmediate(late.resolve);
      return 0;
    },
    async open(...leases) {
      opened += 1;
      return real.open(...leases);
    },
  }));
  await call(3);
  isHeld = true;
  const before = opened;
  const abandoned = allowance.settle();
  await arrived.promise;
  await expect(abandoned).rejects.toThrow(expect.objectContaining({ code: 'database_unavailable' }));
  held.resolve();
  await late.promise;
  expect(opened).toBe(before);
  await allowance.close(10_000);
});
