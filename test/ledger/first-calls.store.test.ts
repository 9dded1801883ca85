import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAllowance } from '#gate/allowance';
import { createKeyCache } from '#keys/key-cache';
import { createKeyHolderStore } from '#keys/key-holder-store';
import { createLedgerStore } from '#ledger/statements/ledger-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { unlogged } from '../support/unlogged.ts';
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
  const keyCache = createKeyCache({ store: createKeyHolderStore(database.prisma), clock });
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
      await database.prisma.usage.createMany({
        data: [{ userKey: key, periodStart: new Date(START), used: calls }],
      });
    return usageRows(database, key);
  }
  return { allowance, call, apiKey, spent, statements: () => statements, waits };
}

it('a page that starts with sixteen calls waits for three statements, which open the period and the lease, and grant the calls', async () => {
  const { allowance, call, statements, waits } = await open({ limit: 10_000 });
  await Promise.all(Array.from({ length: PAGE }, call));
  expect(statements()).toBe(3);
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
  { case: 'a new period', limit: 400, used: 0, granted: 50 },
  { case: 'a new period with a small limit', limit: 196, used: 0, granted: 49 },
  { case: 'a period with many remaining calls', limit: 400, used: 150, granted: 50 },
  { case: 'a period with few remaining calls', limit: 400, used: 252, granted: 37 },
  { case: 'a period with no remaining calls', limit: 400, used: 400, granted: 0 },
])('the first call of a key in $case is granted $granted, with three statements', async (row) => {
  const { allowance, call, statements, spent } = await open(row);
  await spent(row.used);
  const granted = await call().then(
    ({ lease }) => lease,
    () => ({ granted: 0 }),
  );
  expect(granted.granted).toBe(row.granted);
  expect(statements()).toBe(3);
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

it.each([
  { isDistributed: false, shards: 1, largest: { grant: 500, report: 5_000 } },
  { isDistributed: true, shards: 32, largest: { grant: 250, report: 250 } },
])('statements have a bounded size, and users of one of $shards shards', async ({ isDistributed, shards, largest }) => {
  const KEYS = 8_000;
  const shardOf = (key: number) => key % shards;
  const sizes = { grant: [] as number[], report: [] as number[] };
  const add = (kind: keyof typeof sizes, leases: readonly { userKey: number }[]) => {
    sizes[kind].push(leases.length);
    expect(new Set(leases.map(({ userKey }) => shardOf(userKey))).size).toBe(1);
  };
  const ledger = {
    isDistributed,
    shardsOf: async (userKeys: readonly number[]) => userKeys.map(shardOf),
    live: async () => true,
    sweep: async () => [],
    open: async () => undefined,
    grant: async (requests: readonly { userKey: number; want: number }[]) => {
      add('grant', requests);
      return requests.map(({ want }, i) => ({
        n: i + 1,
        granted: want,
        limit: 1e6,
        left: 1e5,
        held: null,
        lapsed: null,
      }));
    },
    report: async (reports: readonly { userKey: number }[]) => {
      add('report', reports);
      return reports.length;
    },
  } as unknown as ReturnType<typeof createLedgerStore>;
  const keyCache = { sync: async () => [] } as unknown as ReturnType<typeof createKeyCache>;
  const allowance = createAllowance({ keyCache, ledger, clock, failures: unlogged, tickMs: BY_HAND });
  const user = { limit: 1e6, plan: 'monthly', anchor: START, validUntil: START * 2 };
  const receipts = await Promise.all(
    Array.from({ length: KEYS }, (_, key) => allowance.spend({ id: key, user: { ...user, key } } as never, 1)),
  );
  for (const receipt of receipts) allowance.keep(receipt);
  await allowance.settle();
  for (const kind of ['grant', 'report'] as const) {
    expect(Math.max(...sizes[kind])).toBe(largest[kind]);
    expect(sizes[kind].reduce((sum, size) => sum + size)).toBe(KEYS);
  }
  allowance.abandon();
});
