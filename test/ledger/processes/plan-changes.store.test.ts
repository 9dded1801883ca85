import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '#core/clock';
import { addMonths, type Plan, periodAt } from '#users/plan';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { amount, longTimeout } from '../../support/long.ts';
import { OPERATOR } from '../../support/operator.ts';
import { createUser, handClock, openLeaseHolder, usageRows } from '../allowance-harness.ts';

const RUNS = amount(8, 300);
const START = Date.UTC(2026, 0, 31, 12);

const who = fc.integer({ min: 0, max: 1 });
const small = fc.integer({ min: 0, max: 12 });
const operation = fc.oneof(
  { weight: 12, arbitrary: fc.record({ op: fc.constant('call' as const), who, n: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('settle' as const), who }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('poll' as const), who }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('pass' as const), ms: fc.constantFrom(SECOND, MINUTE, DAY) }) },
  { weight: 1, arbitrary: fc.constant({ op: 'period' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('plan' as const),
      plan: fc.constantFrom<Plan>('monthly', 'yearly'),
      from: fc.constantFrom('now' as const, 'next' as const),
      limit: small,
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('credits' as const), calls: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('limit' as const), limit: small }) },
  { weight: 1, arbitrary: fc.constant({ op: 'start' as const }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer One> ? One : never;

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

/** The expected terms and allowances of one user. */
function createModel(firstLimit: number) {
  let term = { plan: 'monthly' as Plan, anchor: START, limit: firstLimit };
  let next: { plan: Plan; from: number; limit: number } | undefined;
  const own = new Map<number, number>();
  const credits = new Map<number, number>();
  /** The highest limit that a period ever had: calls that were made under it remain. */
  const highest = new Map<number, number>();

  function apply(now: number): void {
    if (!next || next.from > now) return;
    term = { plan: next.plan, anchor: next.from, limit: next.limit };
    next = undefined;
  }
  const startAt = (now: number) => periodAt(term.plan, term.anchor, now).start;
  const limitOf = (start: number) => (own.get(start) ?? term.limit) + (credits.get(start) ?? 0);

  return {
    limitAt(now: number): number {
      apply(now);
      return limitOf(startAt(now));
    },
    startAt(now: number): number {
      apply(now);
      return startAt(now);
    },
    endAt(now: number): number {
      apply(now);
      return periodAt(term.plan, term.anchor, now).end;
    },
    note(now: number): void {
      const start = this.startAt(now);
      highest.set(start, Math.max(highest.get(start) ?? 0, limitOf(start)));
    },
    highest: (start: number) => highest.get(start) ?? 0,
    plan(now: number, change: { plan: Plan; from: 'now' | 'next'; limit: number }): void {
      apply(now);
      const running = periodAt(term.plan, term.anchor, now);
      if (change.from === 'next') {
        next = { plan: change.plan, from: running.end, limit: change.limit };
        own.set(running.end, change.limit);
        return;
      }
      if (next) own.delete(next.from);
      next = undefined;
      own.set(running.start, own.get(running.start) ?? term.limit);
      term = { plan: change.plan, anchor: Math.max(now, running.start + 1), limit: change.limit };
    },
    limit(now: number, limit: number): void {
      apply(now);
      own.delete(startAt(now));
      term.limit = limit;
    },
    credits(now: number, calls: number): void {
      apply(now);
      credits.set(startAt(now), (credits.get(startAt(now)) ?? 0) + calls);
    },
  };
}

async function play(firstLimit: number, operations: readonly Operation[]): Promise<void> {
  const clocks = [handClock(START), handClock(START)] as const;
  const holders = clocks.map((clock) => openLeaseHolder(database, clock)) as [
    ReturnType<typeof openLeaseHolder>,
    ReturnType<typeof openLeaseHolder>,
  ];
  const [first] = holders;
  const { administration } = first;
  const { key, apiKey } = await createUser(database, first, { limit: firstLimit, at: START });
  // The term never ends in this test.
  const extend = () =>
    database.prisma.$executeRaw`
      UPDATE "user" SET valid_until = ${new Date(addMonths(START, 600))}, changed_at = (SELECT clock_timestamp()) WHERE key = ${key}`;
  await extend();
  const model = createModel(firstLimit);
  const calls = new Map<number, number>();
  const now = () => clocks[0].now();

  /** Within a minute, a due plan is started, and every process has read all changes. */
  async function catchUp(): Promise<void> {
    await administration.startDuePlans();
    for (const holder of holders) await holder.poll();
  }

  async function call(n: number): Promise<void> {
    try {
      const receipt = await (holders[n] as typeof first).call(apiKey);
      (holders[n] as typeof first).keep(receipt);
      const { start } = receipt.lease.period;
      calls.set(start, (calls.get(start) ?? 0) + 1);
    } catch (error) {
      expect((error as { code?: string }).code).toBe('quota_exceeded');
    }
  }

  async function step(one: Operation): Promise<void> {
    switch (one.op) {
      case 'call':
        for (let i = 0; i < one.n; i++) await call(one.who);
        return;
      case 'settle':
        return holders[one.who]?.settle();
      case 'poll':
        return holders[one.who]?.poll();
      case 'pass':
        for (const clock of clocks) clock.pass(one.ms);
        if (one.ms > SECOND) await catchUp();
        return;
      case 'period': {
        await catchUp();
        const end = model.endAt(now());
        for (const clock of clocks) clock.passUntil(end);
        for (const holder of holders) await holder.poll();
        return;
      }
      case 'plan':
        model.plan(now(), one);
        await administration.plan(OPERATOR, key, one);
        await extend();
        return;
      case 'credits':
        model.credits(now(), one.calls);
        await administration.credits(OPERATOR, key, { calls: one.calls, reason: 'test' });
        return;
      case 'limit':
        model.limit(now(), one.limit);
        await administration.limit(OPERATOR, key, one.limit);
        return;
      case 'start':
        await administration.startDuePlans();
    }
  }

  for (const one of operations) {
    model.note(now());
    await step(one);
    model.note(now());
    // No period ever has more calls than its limit allowed at some time, whatever each process knows of the changes.
    for (const [start, count] of calls) expect(count).toBeLessThanOrEqual(model.highest(start));
  }

  // In the end, exactly the rest of the current period can be used, and every call is booked in its period.
  await catchUp();
  for (const { close } of holders) await close();
  const last = openLeaseHolder(database, clocks[0]);
  const start = model.startAt(now());
  const left = Math.max(0, model.limitAt(now()) - (calls.get(start) ?? 0));
  const used = await last.callUntilRefused(apiKey, left + 20);
  expect(used).toBe(left);
  calls.set(start, (calls.get(start) ?? 0) + used);
  await last.close();
  const rows = await usageRows(database, key);
  expect(rows.filter((row) => row.used > 0).map((row) => [row.period, row.used])).toEqual(
    [...calls].filter(([, count]) => count > 0).sort(([a], [b]) => a - b),
  );
  expect(rows.map((row) => row.outstanding)).toEqual(rows.map(() => 0));
}

it('the ledger is exact through changes of the plan, the limit and the credits', { timeout: longTimeout }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 10 }), fc.array(operation, { minLength: 5, maxLength: 25 }), play),
    { numRuns: RUNS },
  );
});
