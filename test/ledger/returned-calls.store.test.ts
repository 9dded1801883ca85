import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { byOperator } from '#users/authority';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';
import { age, createUser, type HandClock, handClock, openLeaseHolder, usageRows } from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
const LIMIT = 40;

let database: TestDatabase;
let clock: HandClock;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(() => {
  clock = handClock(START);
});

async function holderAndOther() {
  const holder = openLeaseHolder(database, clock);
  const other = openLeaseHolder(database, clock);
  const { key, apiKey } = await createUser(database, holder, { limit: LIMIT, at: START });
  holder.keep(await holder.call(apiKey));
  expect((await usageRows(database, key))[0]?.outstanding).toBeGreaterThan(0);
  return { holder, other, key, apiKey };
}

it('a process returns its calls when it stops', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  await holder.close();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 1, outstanding: 0 }]);
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - 1);
  await other.close();
});

it('a process returns its calls once the key has been idle for 5 s, and not earlier', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  clock.pass(4.9 * SECOND);
  await holder.settle();
  expect((await usageRows(database, key))[0]?.outstanding).toBeGreaterThan(0);
  clock.pass(0.1 * SECOND);
  await holder.settle();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 1, outstanding: 0 }]);
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - 1);
  await Promise.all([holder.close(), other.close()]);
});

it('returned calls are left to a process with callers, even if another one had many calls until it ran out', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  await holder.settle();
  const held = (await usageRows(database, key))[0]?.outstanding ?? 0;
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - 1 - held);
  // A change of the user makes a process return its calls, even if they are in use.
  await holder.keys.create(byOperator(key, OPERATOR), {
    label: 'a',
    scopes: ['prices'],
    expiresAt: null,
    dailyLimit: null,
    allowedOrigins: null,
    url: false,
  });
  await holder.answered();
  await other.settle();
  expect((await usageRows(database, key))[0]?.outstanding).toBe(0);
  clock.pass(SECOND);
  await other.poll();
  await other.answered();
  await other.settle();
  expect(await holder.callUntilRefused(apiKey)).toBe(held);
  await Promise.all([holder.close(), other.close()]);
});

it('the calls of a dead process are granted to the next call, 10 s after the lease has expired', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  await holder.settle();
  const outstanding = (await usageRows(database, key))[0]?.outstanding ?? 0;
  holder.abandon();
  await age(database, key, 29);
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - 1 - outstanding);
  await age(database, key, 2);
  clock.pass(SECOND);
  expect(await other.callUntilRefused(apiKey)).toBe(outstanding);
  await other.close();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: LIMIT, outstanding: 0 }]);
});

it('calls that a disconnected process reports too late are booked, even beyond the limit', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  await holder.settle();
  for (let n = 0; n < 3; n++) holder.keep(await holder.call(apiKey));
  await age(database, key, 31);
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - 1);
  await Promise.all([holder.close(), other.close()]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: LIMIT + 3, outstanding: 0 }]);
});

it('a lease that a failover has lost is stored again with all its calls', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  await holder.settle();
  for (let n = 0; n < 3; n++) holder.keep(await holder.call(apiKey));
  await database.prisma.lease.deleteMany({ where: { userKey: key } });
  await database.prisma.usage.deleteMany({ where: { userKey: key } });
  other.keep(await other.call(apiKey));
  await holder.settle();
  expect(await usageRows(database, key)).toMatchObject([{ used: 4 }]);
  await Promise.all([holder.close(), other.close()]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 5, outstanding: 0 }]);
});

it('a refund after the lease was closed is deducted from the ledger', async () => {
  const { holder, key, apiKey } = await holderAndOther();
  const receipt = await holder.call(apiKey);
  clock.pass(5 * SECOND);
  await holder.settle();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 2, outstanding: 0 }]);
  await holder.settle();
  holder.refund(receipt);
  await holder.settle();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 1, outstanding: 0 }]);
  await holder.close();
});

it('a lowered limit reclaims leased calls, and a raised limit takes effect with the next settlement', async () => {
  const { holder, other, key, apiKey } = await holderAndOther();
  await other.setLimit(key, 5);
  await holder.poll();
  await holder.settle();
  await holder.settle();
  expect(await holder.callUntilRefused(apiKey)).toBe(4);
  await other.setLimit(key, 8);
  clock.pass(SECOND);
  expect(await holder.callUntilRefused(apiKey)).toBe(3);
  await Promise.all([holder.close(), other.close()]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 8, outstanding: 0 }]);
});

it('a lease in use follows a changed limit immediately, even if it is not about to run out', async () => {
  const holder = openLeaseHolder(database, clock);
  const other = openLeaseHolder(database, clock);
  const { key, apiKey } = await createUser(database, holder, { limit: 10_000, at: START });
  const receipt = await holder.call(apiKey);
  holder.keep(receipt);
  await other.setLimit(key, 9_000);
  await holder.poll();
  await holder.answered();
  expect(receipt.lease.limit).toBe(9_000);
  await other.setLimit(key, 5);
  await holder.poll();
  await holder.answered();
  expect(await holder.callUntilRefused(apiKey)).toBe(4);
  await Promise.all([holder.close(), other.close()]);
  expect(await usageRows(database, key)).toEqual([{ period: START, used: 5, outstanding: 0 }]);
});
