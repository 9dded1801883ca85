import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAllowance } from '#accounts/gate/allowance';
import { createKeyCache } from '#accounts/keys/key-cache';
import { createUserStore } from '#accounts/keys/user-store';
import { createLedgerStore } from '#accounts/ledger/ledger-store';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { unlogged } from '../../support/unlogged.ts';
import { BY_HAND, createUser, type HandClock, handClock, openLeaseHolder, usageRows } from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
const PAGE = 16;

let database: TestDatabase;
let clock: HandClock;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(() => {
  clock = handClock(START);
});

/** A process, the key of a user with a limit, and the number of statements made. */
async function open({ limit, page }: { limit: number; page?: number }) {
  const registrar = openLeaseHolder(database, clock);
  const { key, apiKey } = await createUser(database, registrar, { limit, at: START });
  await registrar.close();
  let statements = 0;
  const ledger = createLedgerStore(database, () => {
    statements += 1;
  });
  const keyCache = createKeyCache({ store: createUserStore(database.prisma), clock });
  const waits: number[] = [];
  const allowance = createAllowance({
    keyCache,
    ledger,
    clock,
    failures: unlogged,
    tickMs: BY_HAND,
    firstGrant: page,
    observeWait: (ms) => waits.push(ms),
  });
  const call = async () => {
    const receipt = await allowance.spend(await allowance.holderOf(apiKey), 1);
    allowance.keep(receipt);
    return receipt;
  };
  /** Records `calls` earlier calls. Returns the ledger's rows. */
  async function spent(calls: number) {
    if (calls > 0)
      await database.prisma.usage.create({
        data: { userKey: key, periodStart: new Date(START), used: calls, outstanding: 0 },
      });
    return usageRows(database, key);
  }
  return { allowance, call, apiKey, spent, statements: () => statements, waits };
}

it('a page that starts with sixteen calls waits for one statement, which opens the period', async () => {
  const { allowance, call, statements, waits } = await open({ limit: 10_000 });
  await Promise.all(Array.from({ length: PAGE }, call));
  expect(statements()).toBe(1);
  expect(waits).toHaveLength(PAGE);
  await call();
  expect(waits, 'a call that does not wait is not counted').toHaveLength(PAGE);
  await allowance.close(10_000);
});

it.each([
  { limit: 10_000, page: undefined, granted: 50 },
  { limit: 10_000, page: 200, granted: 200 },
  { limit: 40, page: 200, granted: 10 },
])('a first grant with the limit $limit and the page size $page is $granted', async ({ limit, page, granted }) => {
  const { allowance, call } = await open({ limit, ...(page && { page }) });
  expect((await call()).lease.granted).toBe(granted);
  await allowance.close(10_000);
});

it.each([
  { case: 'a new period', limit: 400, used: 0, granted: 50, made: 1 },
  { case: 'a new period with a small limit', limit: 196, used: 0, granted: 49, made: 2 },
  { case: 'a period with many remaining calls', limit: 400, used: 150, granted: 50, made: 1 },
  { case: 'a period with few remaining calls', limit: 400, used: 252, granted: 37, made: 2 },
  { case: 'a period with no remaining calls', limit: 400, used: 400, granted: 0, made: 2 },
])('the first call of a key in $case is granted $granted, with $made statements', async (row) => {
  const { allowance, call, statements, spent } = await open(row);
  await spent(row.used);
  const granted = await call().then(
    ({ lease }) => lease,
    () => ({ granted: 0 }),
  );
  expect(granted.granted).toBe(row.granted);
  expect(statements()).toBe(row.made);
  await allowance.close(10_000);
  expect(await spent(0)).toEqual([{ period: START, used: row.used + (row.granted && 1), outstanding: 0 }]);
});

it("processes that request a user's first lease at the same time are granted at most the remaining calls", async () => {
  const { allowance, apiKey } = await open({ limit: 210 });
  const others = Array.from({ length: 3 }, () => openLeaseHolder(database, clock));
  await allowance.holderOf(apiKey);
  const paid = await Promise.all(others.map((other) => other.callUntilRefused(apiKey, 1_000)));
  expect(paid.reduce((sum, calls) => sum + calls)).toBe(210);
  await Promise.all([allowance, ...others].map((one) => one.close(10_000)));
});

it('statements have a bounded size, whether or not calls wait for them', async () => {
  const KEYS = 8_000;
  const sizes = { grantFirst: [] as number[], heartbeat: [] as number[], groups: [] as number[] };
  const answer = (reports: readonly { want: number }[]) =>
    reports.map(({ want }) => ({
      granted: want || 50,
      closed: false,
      limit: 1e6,
      left: 1e5,
      reclaimableIn: null,
    }));
  const ledger = {
    grantFirst: async (reports: readonly { want: number }[]) => {
      sizes.grantFirst.push(reports.length);
      return answer(reports);
    },
    heartbeat: async (reports: readonly { spent: readonly number[] }[]) => {
      sizes.heartbeat.push(...reports.map(({ spent }) => spent.length));
      sizes.groups.push(reports.length);
      return new Set(reports.keys());
    },
  } as unknown as ReturnType<typeof createLedgerStore>;
  const keyCache = { sync: async () => [] } as unknown as ReturnType<typeof createKeyCache>;
  const allowance = createAllowance({
    keyCache,
    ledger,
    clock,
    failures: unlogged,
    tickMs: BY_HAND,
  });
  const user = { limit: 1e6, plan: 'monthly', anchor: START, validUntil: START * 2 };
  const receipts = await Promise.all(
    Array.from({ length: KEYS }, (_, key) => allowance.spend({ id: key, user: { ...user, key } } as never, 1)),
  );
  expect(sizes.grantFirst).toEqual(Array.from({ length: KEYS / 500 }, () => 500));
  for (const receipt of receipts) allowance.keep(receipt);
  await allowance.settle();
  expect(sizes.groups).toEqual([100, 25]);
  expect(sizes.heartbeat).toEqual(Array<number>(125).fill(64));
  allowance.abandon();
});
