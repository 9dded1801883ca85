import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { DAY, SECOND } from '#core/clock';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import {
  createUser,
  type HandClock,
  handClock,
  type LeaseHolder,
  openLeaseHolder,
  usageDays,
  usageRows,
} from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
const PERIOD_END = Date.UTC(2026, 5, 10, 12);
/** The cost of the most expensive call. */
const EXPENSIVE = 10;

let database: TestDatabase;
let clock: HandClock;
let holders: LeaseHolder[];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(() => {
  clock = handClock(START);
  holders = [];
});

function open(count: number): LeaseHolder[] {
  holders = Array.from({ length: count }, () => openLeaseHolder(database, clock));
  return holders;
}

async function close(): Promise<void> {
  await Promise.all(holders.map((leaseHolder) => leaseHolder.close()));
}

/** The outcome of a call: its charge, or the rejection's code and waiting time. */
async function outcome(calling: ReturnType<LeaseHolder['call']>, leaseHolder: LeaseHolder) {
  try {
    const receipt = await calling;
    leaseHolder.keep(receipt);
    return { paid: receipt.cost, code: undefined, retryAfter: undefined };
  } catch (error) {
    const { code, headers } = error as { code: string; headers: Record<string, string> };
    return { paid: undefined, code, retryAfter: Number(headers['retry-after']) };
  }
}

const untilPeriodEnds = () => (PERIOD_END - clock.now()) / SECOND;

/** Creates a user whose few calls are all in leases of processes that are not idle. Returns the number of calls. */
async function spread(processes: number, limit: number) {
  const [first] = open(processes);
  const { key, apiKey } = await createUser(database, first as LeaseHolder, { limit, at: START });
  for (const leaseHolder of holders) leaseHolder.refund(await leaseHolder.call(apiKey));
  const [usage] = await usageRows(database, key);
  const held = usage?.outstanding ?? 0;
  await database.prisma.user.updateMany({ where: { key }, data: { limit: held } });
  return { key, apiKey, held };
}

it('charges the whole cost of a call at once, and refunds the whole cost', async () => {
  const [leaseHolder] = open(1) as [LeaseHolder];
  const { key, apiKey } = await createUser(database, leaseHolder, { limit: 100, at: START });
  const kept = await leaseHolder.call(apiKey, EXPENSIVE);
  const refunded = await leaseHolder.call(apiKey, 7);
  expect([kept.cost, kept.remaining, refunded.cost, refunded.remaining]).toEqual([10, 90, 7, 83]);
  leaseHolder.keep(kept);
  leaseHolder.refund(refunded);
  expect((await leaseHolder.usage((await leaseHolder.holderOf(apiKey)) as never)).used).toBe(EXPENSIVE);
  await close();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: EXPENSIVE, outstanding: 0 }]);
  expect(await usageDays(database, key)).toMatchObject([{ calls: EXPENSIVE }]);
});

it('pays an expensive call with the last calls, although a lease is granted only a quarter of the remaining calls', async () => {
  const [leaseHolder] = open(1) as [LeaseHolder];
  const { key, apiKey } = await createUser(database, leaseHolder, { limit: 2 * EXPENSIVE, at: START });
  for (let n = 0; n < 2; n++)
    expect(await outcome(leaseHolder.call(apiKey, EXPENSIVE), leaseHolder)).toMatchObject({ paid: EXPENSIVE });
  expect(await outcome(leaseHolder.call(apiKey), leaseHolder)).toMatchObject({ code: 'quota_exceeded' });
  await close();
  expect(await usageRows(database, key)).toMatchObject([{ used: 2 * EXPENSIVE, outstanding: 0 }]);
});

it('rejects an expensive call until the period ends if too few calls are left; calls of cost 1 can use them', async () => {
  const [first, second] = open(2) as [LeaseHolder, LeaseHolder];
  const { key, apiKey } = await createUser(database, first, { limit: EXPENSIVE - 1, at: START });
  for (let n = 0; n < 3; n++) {
    expect(await outcome(first.call(apiKey, EXPENSIVE), first)).toMatchObject({
      code: 'quota_exceeded',
      retryAfter: untilPeriodEnds(),
    });
    clock.pass(SECOND);
    await first.settle();
  }
  expect(await usageRows(database, key)).toMatchObject([{ used: 0, outstanding: 0 }]);
  expect(await second.callUntilRefused(apiKey)).toBe(EXPENSIVE - 1);
  await close();
});

it('a process that rejects an expensive call immediately returns its calls to the ledger', async () => {
  const [holder, other] = open(2) as [LeaseHolder, LeaseHolder];
  const { apiKey } = await createUser(database, holder, { limit: 4 * EXPENSIVE, at: START });
  // The process holds a fourth of the remaining calls, in addition to the spent calls.
  for (let n = 0; n < 3; n++) holder.keep(await holder.call(apiKey, EXPENSIVE));
  holder.keep(await holder.call(apiKey));
  expect(await outcome(holder.call(apiKey, EXPENSIVE), holder)).toMatchObject({ code: 'quota_exceeded' });
  await holder.answered();
  // The next such call is rejected without a statement.
  holder.loseNext('request');
  expect(await outcome(holder.call(apiKey, EXPENSIVE), holder)).toMatchObject({ code: 'quota_exceeded' });
  expect(await other.callUntilRefused(apiKey)).toBe(EXPENSIVE - 1);
  await close();
});

it('calls of cost 1 that wait with an expensive call succeed although the expensive call is rejected', async () => {
  const [leaseHolder] = open(1) as [LeaseHolder];
  const { key, apiKey } = await createUser(database, leaseHolder, { limit: EXPENSIVE - 1, at: START });
  const costs = [1, 1, EXPENSIVE, ...Array<number>(EXPENSIVE - 3).fill(1)];
  const outcomes = await Promise.all(costs.map((cost) => outcome(leaseHolder.call(apiKey, cost), leaseHolder)));
  expect(outcomes.map(({ paid }) => paid)).toEqual(costs.map((cost) => (cost === 1 ? 1 : undefined)));
  await close();
  expect(await usageRows(database, key)).toMatchObject([{ used: EXPENSIVE - 1, outstanding: 0 }]);
});

it('finds the leased calls of four processes, to the last call, within two seconds', async () => {
  const { key, apiKey, held: cost } = await spread(4, 60);
  const [caller, ...others] = holders as [LeaseHolder, ...LeaseHolder[]];
  const attempt = (calls: number) => outcome(caller.call(apiKey, calls), caller);
  expect(await attempt(cost)).toMatchObject({ code: 'quota_exceeded', retryAfter: 2 });
  for (const leaseHolder of others) {
    await leaseHolder.poll();
    await leaseHolder.answered();
  }
  clock.pass(SECOND);
  expect(await attempt(cost + 1)).toMatchObject({ code: 'quota_exceeded', retryAfter: untilPeriodEnds() });
  expect(await attempt(cost)).toMatchObject({ paid: cost });
  await close();
  expect(await usageRows(database, key)).toMatchObject([{ used: cost, outstanding: 0 }]);
});

it('of two calls that each need the calls of both processes, one succeeds, and neither waits for the other', async () => {
  const { key, apiKey, held: cost } = await spread(2, 40);
  const paid: unknown[] = [];
  for (let attempt = 0; attempt < 2; attempt++) {
    const attempts = holders.map((leaseHolder) => outcome(leaseHolder.call(apiKey, cost), leaseHolder));
    paid.push(...(await Promise.all(attempts)).flatMap((one) => one.paid ?? []));
    for (const leaseHolder of holders) {
      await leaseHolder.poll();
      await leaseHolder.answered();
    }
    clock.pass(SECOND);
  }
  expect(paid).toEqual([cost]);
  await close();
  expect(await usageRows(database, key)).toMatchObject([{ used: cost, outstanding: 0 }]);
});

it('charges a call to the period and date in which it was paid, and the next period has its own calls', async () => {
  const [leaseHolder] = open(1) as [LeaseHolder];
  const { key, apiKey } = await createUser(database, leaseHolder, { limit: EXPENSIVE, at: START });
  const receipt = await leaseHolder.call(apiKey, EXPENSIVE);
  clock.pass(31 * DAY);
  await leaseHolder.poll();
  leaseHolder.keep(await leaseHolder.call(apiKey, EXPENSIVE));
  leaseHolder.refund(receipt);
  await close();
  expect(await usageRows(database, key)).toEqual([
    { period: START, used: 0, outstanding: 0 },
    { period: PERIOD_END, used: EXPENSIVE, outstanding: 0 },
  ]);
});

it('a call is rejected at once if its lease holds more than a lowered limit leaves, but too few for the call', async () => {
  const [only] = open(1) as [LeaseHolder];
  const { key, apiKey } = await createUser(database, only, { limit: EXPENSIVE, at: START });
  only.refund(await only.call(apiKey, EXPENSIVE));
  const running = await only.call(apiKey, 6);
  await database.prisma.user.updateMany({ where: { key }, data: { limit: 3 } });
  expect(await outcome(only.call(apiKey, 5), only)).toMatchObject({ code: 'quota_exceeded' });
  only.keep(running);
  await close();
  expect(await usageRows(database, key)).toMatchObject([{ used: 6, outstanding: 0 }]);
});
