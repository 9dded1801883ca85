import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '#core/clock';
import { createAllowance } from '#gate/allowance';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { createLedgerStore } from '#ledger/statements/ledger-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { unlogged } from '../support/unlogged.ts';
import {
  age,
  BY_HAND,
  createUser,
  type HandClock,
  handClock,
  openLeaseHolder,
  storedLeases,
  usageRows,
} from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
/** A thousandth of the remaining calls is 24. */
const LIMIT = 25_000;
const MOST = 20;

let database: TestDatabase;
let clock: HandClock;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(() => {
  clock = handClock(START);
});

/** Processes that have each made one call with the same key. */
async function open(count: number, limit = LIMIT) {
  const holders = Array.from({ length: count }, () => openLeaseHolder(database, clock));
  const [first] = holders;
  if (!first) throw new Error('no process was started');
  const { key, apiKey } = await createUser(database, first, { limit, at: START });
  for (const holder of holders) {
    await holder.poll();
    holder.keep(await holder.call(apiKey));
  }
  const close = () => Promise.all(holders.map((holder) => holder.close()));
  return { holders, key, apiKey, close };
}

type Open = Awaited<ReturnType<typeof open>>;

/** Makes the key idle in all processes. Each process then settles. */
async function rest({ holders }: Open): Promise<void> {
  clock.pass(5 * SECOND);
  for (const holder of holders) await holder.settle();
}

const ledgerRows = async ({ key }: Open) => (await usageRows(database, key))[0];

it("an idle lease keeps a few calls, and the key's next call needs no statement", async () => {
  const opened = await open(1);
  const { holders, key, apiKey, close } = opened;
  await rest(opened);
  expect(await ledgerRows(opened)).toMatchObject({ used: 1, outstanding: MOST });
  const [lease] = holders[0]?.leasesOf(key) ?? [];
  const granted = lease?.granted;
  holders[0]?.keep((await holders[0]?.call(apiKey)) as never);
  expect(lease).toMatchObject({ granted, spent: 2 });
  await close();
  expect(await ledgerRows(opened)).toMatchObject({ used: 2, outstanding: 0 });
});

it('each idle lease keeps at most a thousandth of the remaining calls', async () => {
  const opened = await open(3, 9_000);
  await rest(opened);
  expect(await ledgerRows(opened)).toMatchObject({ used: 3, outstanding: 3 * 8 });
  await opened.close();
});

it('a lease becomes idle once; later calls only require a report', async () => {
  const opened = await open(1);
  const { holders, key, apiKey, close } = opened;
  await rest(opened);
  const [holder] = holders;
  for (let n = 0; n < 5; n++) {
    await holder?.poll();
    holder?.keep((await holder.call(apiKey)) as never);
    clock.pass(5 * SECOND);
    await holder?.settle();
  }
  expect(await storedLeases(database, key)).toMatchObject([{ granted: MOST + 1, spent: 6 }]);
  await close();
});

it('an idle lease becomes an ordinary lease when it runs out', async () => {
  const opened = await open(1);
  const { holders, apiKey, close } = opened;
  await rest(opened);
  for (let n = 0; n < MOST; n++) holders[0]?.keep((await holders[0]?.call(apiKey)) as never);
  await holders[0]?.settle();
  expect((await ledgerRows(opened))?.outstanding).toBeGreaterThan(MOST);
  await close();
});

it('an idle lease stays open, and is returned ten minutes after the last call', async () => {
  const opened = await open(1);
  const [holder] = opened.holders;
  await rest(opened);
  for (let seconds = 10; seconds < 600; seconds += 10) {
    await age(database, opened.key, 10);
    await holder?.settle();
    expect(await ledgerRows(opened)).toMatchObject({ outstanding: MOST });
    const { expiresAt } = await database.prisma.process.findUniqueOrThrow({ where: { id: holder?.processId() ?? '' } });
    expect(expiresAt.getTime()).toBeGreaterThan(Date.now());
    clock.pass(10 * SECOND);
  }
  clock.pass(5 * SECOND);
  await holder?.settle();
  expect(await ledgerRows(opened)).toMatchObject({ used: 1, outstanding: 0 });
  await opened.close();
});

it('an idle lease is returned when its date ends', async () => {
  const opened = await open(1);
  await rest(opened);
  clock.passUntil(START + DAY / 2 - 1);
  await opened.holders[0]?.settle();
  await opened.holders[0]?.poll();
  opened.holders[0]?.keep((await opened.holders[0]?.call(opened.apiKey)) as never);
  await rest(opened);
  expect(await ledgerRows(opened)).toMatchObject({ used: 2, outstanding: 0 });
  await opened.close();
});

it('calls that an idle lease of a dead process keeps are returned like any others', async () => {
  const opened = await open(2);
  const { holders, key, apiKey, close } = opened;
  await rest(opened);
  expect(await ledgerRows(opened)).toMatchObject({ used: 2, outstanding: 2 * MOST });
  holders[0]?.abandon();
  await age(database, key, 31);
  clock.pass(MINUTE);
  await holders[1]?.poll();
  holders[1]?.keep((await holders[1]?.call(apiKey)) as never);
  await holders[1]?.settle();
  await close();
  expect(await ledgerRows(opened)).toMatchObject({ used: 3, outstanding: 0 });
});

it('if the allowance is spent, a call is granted the calls of idle leases in other processes, to the last one', async () => {
  const opened = await open(4, 200_000);
  const { holders, key, apiKey, close } = opened;
  await rest(opened);
  expect((await ledgerRows(opened))?.outstanding).toBe(4 * MOST);
  // Another process spends nearly all other calls.
  const left = 7;
  await database.prisma.usage.updateMany({
    where: { userKey: key },
    data: { used: 200_000 - left },
  });
  const [caller, ...others] = holders;
  const first = await caller?.callUntilRefused(apiKey);
  expect(first).toBe(MOST + left);
  await expect(caller?.call(apiKey)).rejects.toMatchObject({ headers: { 'retry-after': '2' } });
  for (const other of others) {
    await other.poll();
    await other.answered();
  }
  clock.pass(SECOND);
  expect(await caller?.callUntilRefused(apiKey)).toBe(3 * MOST);
  await close();
  expect(await ledgerRows(opened)).toMatchObject({ used: 200_000, outstanding: 0 });
});

it('a call that arrives while its lease becomes idle spends no returned calls', async () => {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const real = createLedgerStore(database);
  const ledger: typeof real = {
    ...real,
    async close(leases) {
      await real.close(leases);
      arrived.resolve();
      await released.promise;
    },
  };
  const keyCache = createKeyCache({ store: createKeyHolderStore(database.prisma), clock });
  const allowance = createAllowance({ keyCache, ledger, clock, failures: unlogged, tickMs: BY_HAND });
  const other = openLeaseHolder(database, clock);
  const { key, apiKey } = await createUser(database, other, { limit: 40, at: START });
  const call = async () => allowance.keep(await allowance.spend(await allowance.holderOf(apiKey), 1));
  await call();
  clock.pass(5 * SECOND);
  const settled = allowance.settle();
  await arrived.promise;
  const late = call();
  expect(await other.callUntilRefused(apiKey)).toBe(39);
  released.resolve();
  await settled;
  await expect(late).rejects.toMatchObject({ code: 'quota_exceeded' });
  await Promise.all([allowance.close(10_000), other.close()]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 40, outstanding: 0 }]);
});
