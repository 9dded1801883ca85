import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOUR, SECOND } from '#core/clock';
import { byOperator } from '#users/authority';
import { openTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { OPERATOR } from '../../support/operator.ts';
import { createUser, handClock, openLeaseHolder } from '../allowance-harness.ts';

/* The daily limit of a key that two processes serve. */

const START = Date.UTC(2026, 4, 10, 12);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

async function open(dailyLimit: number) {
  const clock = handClock(START);
  const [one, other] = [openLeaseHolder(database, clock), openLeaseHolder(database, clock)];
  const { key } = await createUser(database, one, { limit: 10_000, at: START });
  const terms = {
    label: 'a',
    scopes: ['prices'] as const,
    expiresAt: null,
    dailyLimit,
    allowedOrigins: null,
    url: false,
  };
  const { apiKey } = await one.keys.create(byOperator(key, OPERATOR), terms);

  /** Makes calls until one is rejected or `atMost` are made. Returns their number. */
  async function calls(holder: typeof one, atMost: number): Promise<number> {
    for (let n = 0; n < atMost; n++) {
      try {
        holder.keep(await holder.call(apiKey));
      } catch (error) {
        expect((error as { code?: string }).code).toBe('key_limit_exceeded');
        return n;
      }
    }
    return atMost;
  }

  async function tick(): Promise<void> {
    for (const holder of [one, other]) await holder.settle();
    for (const holder of [one, other]) await holder.poll();
    clock.pass(SECOND);
  }
  return { clock, one, other, apiKey, calls, tick, close: () => Promise.all([one.close(), other.close()]) };
}

it('counts the calls that other processes have reported', async () => {
  const { one, other, calls, tick, close } = await open(10);
  expect(await calls(one, 6)).toBe(6);
  await tick();
  // The first call of a key in a process reads the count.
  expect(await calls(other, 20)).toBe(4);
  await tick();
  expect([await calls(one, 20), await calls(other, 20)]).toEqual([0, 0]);
  await close();
});

it('can exceed the limit only by the calls of one interval', async () => {
  const { one, other, calls, tick, close } = await open(10);
  expect([await calls(one, 2), await calls(other, 2)]).toEqual([2, 2]);
  await tick();
  // Neither process knows yet what the other spends in this interval.
  expect([await calls(one, 20), await calls(other, 20)]).toEqual([6, 6]);
  await tick();
  expect([await calls(one, 20), await calls(other, 20)]).toEqual([0, 0]);
  await close();
});

it('counts refunds of other processes, booked calls, and calls of a process that has ended', async () => {
  const { one, other, apiKey, calls, tick, clock, close } = await open(10);
  const held = await one.call(apiKey);
  expect(await calls(one, 5)).toBe(5);
  await tick();
  expect(await calls(other, 1)).toBe(1);
  one.refund(held);
  await one.close();
  await tick();
  expect(await calls(other, 20)).toBe(4);
  // Resting leases are closed and booked.
  clock.pass(HOUR);
  for (let n = 0; n < 2; n++) await tick();
  const last = openLeaseHolder(database, clock);
  expect(await calls(last, 20)).toBe(0);
  await last.close();
  await close();
});
