import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAllowance } from '#accounts/gate/allowance';
import { createKeyCache } from '#accounts/keys/key-cache';
import { createUserStore } from '#accounts/keys/user-store';
import { createLedgerStore, type LedgerStore } from '#accounts/ledger/ledger-store';
import { SECOND } from '#core/clock';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { unlogged } from '../../support/unlogged.ts';
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
  const keyCache = createKeyCache({ store: createUserStore(database.prisma), clock });
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
  const { allowance, call, used } = await open((real) => ({
    ...real,
    async heartbeat(reports) {
      const open = await real.heartbeat(reports);
      arrived.resolve();
      await released.promise;
      return open;
    },
  }));
  await call(4);
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
    async heartbeat(reports) {
      const open = await real.heartbeat(reports);
      if (isLost) throw new Error('the connection was cut');
      return open;
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
  let isHeld = true;
  let settlements = 0;
  const { allowance, call } = await open((real) => ({
    ...real,
    async heartbeat(reports) {
      if (!isHeld) return real.heartbeat(reports);
      isHeld = false;
      arrived.resolve();
      await held.promise;
      // The response states that no lease is open, so the process would next settle all leases.
      setImmediate(late.resolve);
      return new Set();
    },
    async settle(reports) {
      settlements += 1;
      return real.settle(reports);
    },
  }));
  await call(3);
  const before = settlements;
  const abandoned = allowance.settle();
  await arrived.promise;
  await expect(abandoned).rejects.toThrow(expect.objectContaining({ code: 'database_unavailable' }));
  held.resolve();
  await late.promise;
  expect(settlements).toBe(before);
  await allowance.close(10_000);
});
