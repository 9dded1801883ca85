import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, isoDate, SECOND, startOfDate } from '#core/clock';
import type { Lease } from '#ledger/lease';
import type { Receipt } from '#ledger/leases';
import { addTotals, rowKey, type Totals, totalsOf } from '#ledger/usage/call-details';
import { pathOf } from '#ledger/usage/usage-paths';
import { byOperator } from '#users/authority';
import type { UsageRecord } from '#users/users-records';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount, longTimeout } from '../../support/long.ts';
import { OPERATOR } from '../../support/operator.ts';
import { age, createUser, handClock, openLeaseHolder, sweep } from '../allowance-harness.ts';

/* The calls by key and path: two processes, faults and crashes, compared with a model and with the calls by date. */

const RUNS = amount(8, 300);
const START = Date.UTC(2026, 0, 31, 23, 59, 50);
const RESTING = { reservePart: 3 };

const who = fc.integer({ min: 0, max: 1 });
const operation = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      op: fc.constant('call' as const),
      who,
      key: fc.integer({ min: 0, max: 2 }),
      path: fc.integer({ min: 1, max: 3 }),
      cost: fc.constantFrom(1, 1, 2, 5),
      outcome: fc.constantFrom('keep' as const, 'refund' as const, 'hold' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('answer' as const), who, paid: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('settle' as const), who }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('read' as const), who }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 25 }) }) },
  { weight: 1, arbitrary: fc.constant({ op: 'midnight' as const }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('crash' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('lose' as const),
      who,
      what: fc.constantFrom('request' as const, 'answer' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ op: 'reclaim' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'rotate' as const }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

/** Calls by date, key and path. */
type Entries = Map<string, number>;
const add = (entries: Entries, date: string, keyId: number, path: number, calls: number) => {
  const name = `${date} ${keyId} ${path}`;
  const sum = (entries.get(name) ?? 0) + calls;
  if (sum === 0) entries.delete(name);
  else entries.set(name, sum);
};

const sumsOf = (entries: Entries, name: (parts: [date: string, keyId: string, path: string]) => string) => {
  const sums: Record<string, number> = {};
  for (const [parts, calls] of entries) {
    const one = name(parts.split(' ') as [string, string, string]);
    sums[one] = (sums[one] ?? 0) + calls;
  }
  return sums;
};

const flat = (parts: { name: unknown; daily: { date: string; calls: number }[] }[]) =>
  Object.fromEntries(parts.flatMap(({ name, daily }) => daily.map(({ date, calls }) => [`${date} ${name}`, calls])));

/** Asserts that the sums over keys and over paths are the calls by date, and that each part adds up. */
function expectSums({ daily, keys, paths }: Pick<UsageRecord, 'daily' | 'keys' | 'paths'>): void {
  for (const parts of [keys, paths]) {
    if (!parts) continue;
    const sums = new Map<string, number>();
    for (const part of parts) {
      for (const { date, calls } of part.daily) sums.set(date, (sums.get(date) ?? 0) + calls);
      expect(part.daily.reduce((sum, { calls }) => sum + calls, 0)).toBe(part.calls);
    }
    expect(Object.fromEntries(sums)).toEqual(Object.fromEntries(daily.map(({ date, calls }) => [date, calls])));
  }
}

/** The totals of each lease that the database has, by its key. */
async function reportedTotals(userKey: number): Promise<Map<string, Totals>> {
  const rows = await database.prisma.lease.findMany({ where: { userKey } });
  return new Map(rows.map((row) => [rowKey(row.process, row.periodStart.getTime(), row.date.getTime()), row]));
}

async function play(operations: readonly Operation[]): Promise<void> {
  const clocks = [handClock(START), handClock(START)] as const;
  const holders = clocks.map((clock) => openLeaseHolder(database, clock, RESTING));
  const holder = (n: number) => holders[n] as (typeof holders)[0];
  const held: Receipt[][] = [[], []];
  const model: Entries = new Map();
  const { key, apiKey: owner } = await createUser(database, holder(0), { limit: 400, at: START });
  const made = await Promise.all(
    ['a', 'b'].map((label) =>
      holder(0).keys.create(byOperator(key, OPERATOR), {
        label,
        scopes: ['prices'],
        expiresAt: null,
        dailyLimit: null,
        allowedOrigins: null,
        url: false,
      }),
    ),
  );
  const apiKeys = [owner, ...made.map(({ apiKey }) => apiKey)];
  const isCut = [false, false];
  const keyOf = new Map<Receipt, { keyId: number; path: number }>();

  function endCall(n: number, receipt: Receipt, paid: boolean): void {
    if (paid) {
      holder(n).keep(receipt);
      return;
    }
    holder(n).refund(receipt);
    const { keyId, path } = keyOf.get(receipt) ?? expect.fail('an unknown receipt');
    add(model, isoDate(receipt.lease.date), keyId, path, -receipt.cost);
  }

  async function settle(n: number): Promise<void> {
    await holder(n)
      .settle()
      .catch(() => expect(isCut[n]).toBe(true));
  }

  /** Ends a process. The calls that the database does not know are lost, and so are their details. */
  async function crash(n: number): Promise<void> {
    await holder(n).answered();
    if (isCut[n]) await settle(n);
    await settle(n);
    const reported = await reportedTotals(key);
    for (const lease of holder(n).leasesOf(key) as Lease[]) {
      const date = isoDate(lease.date);
      addTotals(totalsOf(lease), -1, (keyId, path, calls) => add(model, date, keyId, path, calls));
      const known = reported.get(rowKey(lease.process, lease.period.start, lease.date));
      if (known) addTotals(known, 1, (keyId, path, calls) => add(model, date, keyId, path, calls));
    }
    holder(n).abandon();
    holders[n] = openLeaseHolder(database, clocks[n as 0 | 1], RESTING);
    held[n] = [];
  }

  async function read(n: number) {
    await holder(n).poll();
    const caller = await holder(n).holderOf(apiKeys[0] as string);
    const [byKey, byPath] = [await holder(n).usage(caller, 'key'), await holder(n).usage(caller, 'path')];
    expectSums(byKey);
    expectSums(byPath);
    return { byKey, byPath };
  }

  async function step(one: Operation): Promise<void> {
    switch (one.op) {
      case 'call': {
        await holder(one.who).poll();
        const apiKey = apiKeys[one.key] as string;
        const { id: keyId } = await holder(one.who).holderOf(apiKey);
        const receipt = await holder(one.who)
          .call(apiKey, one.cost, one.path)
          .catch(({ code }) => void expect(['quota_exceeded', 'database_unavailable']).toContain(code));
        if (!receipt) return;
        keyOf.set(receipt, { keyId, path: one.path });
        add(model, isoDate(receipt.lease.date), keyId, one.path, one.cost);
        if (one.outcome === 'hold') held[one.who]?.push(receipt);
        else endCall(one.who, receipt, one.outcome === 'keep');
        return;
      }
      case 'answer': {
        const receipt = held[one.who]?.shift();
        if (receipt) endCall(one.who, receipt, one.paid);
        return;
      }
      case 'settle':
        return settle(one.who);
      case 'read':
        await read(one.who);
        return;
      case 'lose':
        holder(one.who).loseNext(one.what);
        isCut[one.who] = true;
        return;
      case 'pass':
        for (const clock of clocks) clock.pass(one.seconds * SECOND);
        return;
      case 'midnight':
        for (const clock of clocks) clock.passUntil(startOfDate(clock.now()) + DAY);
        return;
      case 'crash':
        return crash(one.who);
      case 'reclaim':
        return age(database, key, 31);
      case 'rotate':
        apiKeys[0] = (await holder(1).keys.rotate(byOperator(key, OPERATOR))).apiKey;
    }
  }

  for (const one of operations) await step(one);
  for (const n of [0, 1]) for (const receipt of held[n] ?? []) endCall(n, receipt, n === 0);
  for (const n of [0, 1]) for (let attempt = 0; attempt < 2; attempt++) await settle(n);
  for (const { close } of holders) await close();
  await sweep(database, key);
  const last = openLeaseHolder(database, clocks[0]);
  last.keep(await last.call(apiKeys[1] as string, 1, 1));
  add(model, isoDate(clocks[0].now()), made[0]?.id as number, 1, 1);
  holders[0] = last;

  const { byKey, byPath } = await read(0);
  expect(flat((byKey.keys ?? []).map(({ id, daily }) => ({ name: id, daily })))).toEqual(
    sumsOf(model, ([date, keyId]) => `${date} ${keyId}`),
  );
  expect(flat((byPath.paths ?? []).map(({ path, daily }) => ({ name: path, daily })))).toEqual(
    sumsOf(model, ([date, , path]) => `${date} ${pathOf(Number(path))}`),
  );
  await last.close();
  // The rows themselves, without the calls in memory.
  const details = await database.prisma.usageDetail.findMany({ where: { userKey: key } });
  expect(
    Object.fromEntries(
      details
        .filter(({ calls }) => calls !== 0)
        .map(({ date, keyId, path, calls }) => [`${isoDate(date.getTime())} ${keyId} ${path}`, calls]),
    ),
  ).toEqual(Object.fromEntries(model));
}

it('whatever happens to two processes, the sums over keys and over paths are the calls by date', {
  timeout: longTimeout,
}, async () => {
  const operations = fc.array(operation, { minLength: 10, maxLength: 60 });
  await fc.assert(fc.asyncProperty(operations, play), { numRuns: RUNS, endOnFailure: true });
});
