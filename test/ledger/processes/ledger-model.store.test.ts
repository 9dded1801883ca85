import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, SECOND, startOfDate } from '#core/clock';
import type { Receipt } from '#ledger/leases';
import { byOperator } from '#users/authority';
import { addMonths, periodAt } from '#users/plan';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount, longTimeout } from '../../support/long.ts';
import { OPERATOR } from '../../support/operator.ts';
import {
  age,
  createUser,
  handClock,
  openLeaseHolder,
  storedLeases,
  sweep,
  usageDays,
  usageRows,
} from '../allowance-harness.ts';

const RUNS = amount(6, 300);
/** The part of the remaining calls that idle leases may keep. It is large, because the limits are small. */
const RESTING = { reservePart: 3 };
const UNAVAILABLE = 'database_unavailable';
const START = Date.UTC(2026, 0, 31, 23, 59, 50);

const who = fc.integer({ min: 0, max: 1 });
const outcome = fc.constantFrom('keep' as const, 'refund' as const, 'hold' as const);
const operation = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.record({
      op: fc.constant('call' as const),
      who,
      n: fc.integer({ min: 1, max: 6 }),
      cost: fc.constantFrom(1, 1, 1, 2, 3, 5),
      outcome,
    }),
  },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('answer' as const), who, paid: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('settle' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 25 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('set' as const),
      who,
      ms: fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ op: 'midnight' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'period' as const }) },
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
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('limit' as const), limit: fc.integer({ min: 0, max: 16 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ op: 'rotate' as const }) },
  { weight: 1, arbitrary: fc.constant({ op: 'revoke' as const }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

/** The expected ledger: calls by period and by date. */
function createModel() {
  const count = { period: new Map<number, number>(), date: new Map<number, number>() };
  return {
    book(period: number, date: number, calls: number): void {
      count.period.set(period, (count.period.get(period) ?? 0) + calls);
      count.date.set(date, (count.date.get(date) ?? 0) + calls);
    },
    used: (period: number) => count.period.get(period) ?? 0,
    periods: () => [...count.period].map(([period, used]) => ({ period, used })).filter(({ used }) => used > 0),
    dates: () => [...count.date].map(([date, calls]) => ({ date, calls })).filter(({ calls }) => calls > 0),
  };
}

async function play(firstLimit: number, operations: readonly Operation[]): Promise<void> {
  const clocks = [handClock(START), handClock(START)] as const;
  const holders = clocks.map((clock) => openLeaseHolder(database, clock, RESTING));
  const held: Receipt[][] = [[], []];
  const model = createModel();
  let limit = firstLimit;
  let highest = limit;
  /** Usage can exceed the limit only after a crash, or if a lease was reclaimed while its holder was disconnected. */
  let isBounded = true;
  let isRevoked = false;
  /** An ended key is reported as revoked for 30 days, minus the difference between the clocks. */
  let mayBeForgottenAt = Number.POSITIVE_INFINITY;
  /** A settlement was or will be lost, and the clock has not advanced since. */
  const isCut = [false, false];
  const { key, apiKey: first } = await createUser(database, holders[0] as never, { limit, at: START });
  let apiKey = first;
  const holder = (n: number) => holders[n] as (typeof holders)[0];

  const endCall = (n: number, receipt: Receipt, paid: boolean) => {
    if (paid) return holder(n).keep(receipt);
    holder(n).refund(receipt);
    model.book(receipt.lease.period.start, receipt.lease.date, -receipt.cost);
  };

  async function call(n: number, cost: number, result: 'keep' | 'refund' | 'hold'): Promise<void> {
    const now = clocks[n as 0 | 1].now();
    await holder(n).poll();
    let receipt: Receipt;
    try {
      receipt = await holder(n).call(apiKey, cost);
    } catch (error) {
      const expected = isRevoked
        ? ['api_key_revoked', ...(now >= mayBeForgottenAt ? ['api_key_invalid'] : [])]
        : ['quota_exceeded', ...(isCut[n] ? [UNAVAILABLE] : [])];
      expect(expected).toContain((error as { code?: string }).code);
      return;
    }
    expect(isRevoked).toBe(false);
    const { period, date } = receipt.lease;
    expect(period).toEqual(periodAt('monthly', START, now));
    expect(date).toBe(startOfDate(now));
    model.book(period.start, date, cost);
    if (isBounded) expect(model.used(period.start)).toBeLessThanOrEqual(highest);
    if (result === 'hold') held[n]?.push(receipt);
    else endCall(n, receipt, result === 'keep');
  }

  async function settle(n: number): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await holder(n).settle();
        return;
      } catch (error) {
        expect([isCut[n], attempt, (error as { code?: string }).code]).toEqual([true, 1, UNAVAILABLE]);
      }
    }
  }

  async function step(one: Operation): Promise<void> {
    switch (one.op) {
      case 'call':
        for (let i = 0; i < one.n; i++) await call(one.who, one.cost, one.outcome);
        return;
      case 'answer': {
        const receipt = held[one.who]?.shift();
        if (receipt) endCall(one.who, receipt, one.paid);
        return;
      }
      case 'settle':
        return settle(one.who);
      case 'lose':
        holder(one.who).loseNext(one.what);
        isCut[one.who] = true;
        return;
      case 'pass':
        for (const clock of clocks) clock.pass(one.seconds * SECOND);
        return;
      case 'set':
        return clocks[one.who as 0 | 1].set(one.ms);
      case 'midnight':
        for (const clock of clocks) clock.passUntil(startOfDate(clock.now()) + DAY);
        return;
      case 'period':
        for (const clock of clocks) clock.passUntil(periodAt('monthly', START, clock.now()).end);
        return;
      case 'crash': {
        // The ledger's state is unknown until a settlement is acknowledged.
        await holder(one.who).answered();
        if (isCut[one.who]) await settle(one.who);
        for (const { period, date, spent, settled } of holder(one.who).leasesOf(key)) {
          model.book(period.start, date, settled - spent);
        }
        holder(one.who).abandon();
        holders[one.who] = openLeaseHolder(database, clocks[one.who as 0 | 1], RESTING);
        held[one.who] = [];
        isBounded = false;
        return;
      }
      case 'reclaim':
        isBounded = false;
        return age(database, key, 31);
      case 'limit':
        limit = one.limit;
        highest = Math.max(highest, limit);
        await holder(0).setLimit(key, limit);
        return;
      case 'rotate':
        if (!isRevoked) ({ apiKey } = await holder(1).keys.rotate(byOperator(key, OPERATOR)));
        return;
      case 'revoke':
        await holder(1).keys.revokeAll(byOperator(key, OPERATOR));
        isRevoked = true;
        mayBeForgottenAt = Math.min(mayBeForgottenAt, clocks[1].now() + 28 * DAY);
    }
  }

  for (const one of operations) await step(one);
  for (const n of [0, 1]) for (const receipt of held[n] ?? []) endCall(n, receipt, n === 0);
  for (const n of [0, 1]) await settle(n);
  for (const { close } of holders) await close();

  // Other processes close the leases of dead processes. A new process then finds all remaining calls.
  await sweep(database, key);
  const ledgerRows = await usageRows(database, key);
  expect(ledgerRows.filter(({ used }) => used > 0)).toEqual(
    model
      .periods()
      .map((one) => ({ ...one, outstanding: 0 }))
      .sort((a, b) => a.period - b.period),
  );
  expect(ledgerRows.map(({ outstanding }) => outstanding)).toEqual(ledgerRows.map(() => 0));
  expect(await storedLeases(database, key)).toEqual([]);
  expect(await usageDays(database, key)).toEqual(model.dates().sort((a, b) => a.date - b.date));
  if (isRevoked) return;
  const last = openLeaseHolder(database, clocks[0]);
  const left = Math.max(0, limit - model.used(periodAt('monthly', START, clocks[0].now()).start));
  expect(await last.callUntilRefused(apiKey, limit + 10)).toBe(left);
  await last.close();
}

it('the ledger is correct and the limit holds after random actions of two processes and their clocks', {
  timeout: longTimeout,
}, async () => {
  expect(addMonths(START, 24)).toBeGreaterThan(START + RUNS * DAY);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 8 }), fc.array(operation, { minLength: 5, maxLength: 30 }), play),
    { numRuns: RUNS },
  );
});
