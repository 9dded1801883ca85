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

/** The first period ends at the end of February. The second ends on 31 March again. */
const START = Date.UTC(2026, 0, 31, 12);
const BOUNDARIES = [START, Date.UTC(2026, 1, 28, 12), Date.UTC(2026, 2, 31, 12)] as const;
const LIMIT = 5;

let database: TestDatabase;
let clock: HandClock;
let holder: LeaseHolder;
let key: number;
let apiKey: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());
beforeEach(async () => {
  clock = handClock(START);
  holder = openLeaseHolder(database, clock);
  ({ key, apiKey } = await createUser(database, holder, { limit: LIMIT, at: START }));
});

it("each period has the whole allowance from its first millisecond, and starts on the anchor's day", async () => {
  for (const [n, boundary] of BOUNDARIES.entries()) {
    if (n > 0) {
      clock.passUntil(boundary - 1);
      await holder.poll();
      await expect(holder.call(apiKey)).rejects.toMatchObject({ code: 'quota_exceeded' });
      clock.pass(1);
    }
    expect(await holder.callUntilRefused(apiKey)).toBe(LIMIT);
  }
  await holder.close();
  expect(await usageRows(database, key)).toEqual(BOUNDARIES.map((period) => ({ period, used: LIMIT, outstanding: 0 })));
});

it('a rejection states the end of the period, even if the process has an unsettled lease of an earlier date', async () => {
  expect(await holder.callUntilRefused(apiKey, LIMIT)).toBe(LIMIT);
  clock.passUntil(BOUNDARIES[1] - 90 * SECOND);
  await holder.poll();
  await expect(holder.call(apiKey)).rejects.toMatchObject({ headers: { 'retry-after': '90' } });
  await holder.close();
});

it('a rejection states a shorter time while another process holds calls', async () => {
  const other = openLeaseHolder(database, clock);
  other.keep(await other.call(apiKey));
  await holder.callUntilRefused(apiKey);
  const error = await holder.call(apiKey).then(
    () => undefined,
    (problem: { headers: Record<string, string> }) => problem,
  );
  expect(Number(error?.headers['retry-after'])).toBeLessThanOrEqual(5);
  await Promise.all([holder.close(), other.close()]);
});

/**
 * Makes a call just before an instant, and keeps or refunds it afterwards. Then makes and keeps a call at the instant.
 */
async function callAround(at: number, fate: string): Promise<void> {
  clock.passUntil(at - 1);
  await holder.poll();
  const early = await holder.call(apiKey);
  clock.pass(1);
  const late = await holder.call(apiKey);
  if (fate === 'kept') holder.keep(early);
  else holder.refund(early);
  holder.keep(late);
  await holder.close();
}

it.each(['kept', 'refunded'])(
  'a call that is %s after the boundary counts toward the period before it',
  async (fate) => {
    await callAround(BOUNDARIES[1], fate);
    expect(await usageRows(database, key)).toEqual([
      { period: BOUNDARIES[0], used: fate === 'kept' ? 1 : 0, outstanding: 0 },
      { period: BOUNDARIES[1], used: 1, outstanding: 0 },
    ]);
  },
);

it.each(['kept', 'refunded'])('a call that is %s after midnight counts toward the date before it', async (fate) => {
  const midnight = Date.UTC(2026, 1, 1);
  await callAround(midnight, fate);
  const before = fate === 'kept' ? [{ date: midnight - DAY, calls: 1 }] : [];
  expect(await usageDays(database, key)).toEqual([...before, { date: midnight, calls: 1 }]);
});

it("the last call of the allowance can be made right after midnight, although the previous day's lease held it", async () => {
  expect(await holder.callUntilRefused(apiKey, LIMIT - 1)).toBe(LIMIT - 1);
  const receipt = await holder.call(apiKey);
  holder.refund(receipt);
  await holder.settle();
  expect(await usageRows(database, key)).toEqual([{ period: START, used: LIMIT - 1, outstanding: 1 }]);
  clock.passUntil(Date.UTC(2026, 1, 1));
  await holder.poll();
  expect(await holder.callUntilRefused(apiKey)).toBe(1);
  await holder.close();
});

it("a clock that is set back to another date or period does not spend the later date's calls", async () => {
  clock.passUntil(BOUNDARIES[1] + SECOND);
  await holder.poll();
  holder.keep(await holder.call(apiKey));
  clock.set(-2 * SECOND);
  const back = await holder.call(apiKey);
  expect(back.lease.period.start).toBe(BOUNDARIES[0]);
  holder.keep(back);
  await holder.close();
});

it('a lease ends with its key', async () => {
  const { prisma } = database;
  const validUntil = new Date(BOUNDARIES[1]);
  await prisma.user.updateMany({ where: { key }, data: { validUntil, changedAt: new Date() } });
  clock.passUntil(BOUNDARIES[1] - 1);
  await holder.poll();
  holder.keep(await holder.call(apiKey));
  clock.pass(1);
  await expect(holder.call(apiKey)).rejects.toMatchObject({ code: 'api_key_expired' });
  await holder.close();
});

it('a lease is unusable after 18 s without the ledger, by either clock', async () => {
  const plenty = await createUser(database, holder, { limit: 1_000, at: START });
  apiKey = plenty.apiKey;
  const receipt = await holder.call(apiKey);
  holder.keep(receipt);
  const announcedAt = async () => {
    const where = { id: receipt.lease.process };
    return (await database.prisma.process.findUniqueOrThrow({ where })).expiresAt.getTime();
  };
  const first = await announcedAt();
  holder.keep(await holder.call(apiKey));
  expect(await announcedAt()).toBe(first);
  clock.set(18 * SECOND);
  holder.keep(await holder.call(apiKey));
  const second = await announcedAt();
  expect(second, 'the process was announced again').toBeGreaterThan(first);
  clock.set(-18 * SECOND);
  clock.pass(18 * SECOND);
  await holder.poll();
  holder.keep(await holder.call(apiKey));
  expect(await announcedAt(), 'the process was announced once more').toBeGreaterThan(second);
  await holder.close();
});

it('usage includes unsettled calls once, by period and date', async () => {
  const caller = await holder.holderOf(apiKey);
  for (let n = 0; n < 3; n++) holder.keep(await holder.call(apiKey));
  const expected = { used: 3, remaining: LIMIT - 3, daily: [{ date: '2026-01-31', calls: 3 }] };
  expect(await holder.usage(caller)).toMatchObject(expected);
  const [during] = await Promise.all([holder.usage(caller), holder.settle()]);
  expect(during).toMatchObject(expected);
  expect(await holder.usage(caller)).toMatchObject(expected);
  holder.refund(await holder.call(apiKey));
  expect(await holder.usage(caller)).toMatchObject(expected);
  await holder.close();
});
