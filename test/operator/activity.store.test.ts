import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, iso, MINUTE } from '#core/clock';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { PRICED } from '../support/service/hammer.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

/* The summary of calls by which users are sorted. */

let clock: TestClock;
let service: OperatorService;
beforeAll(async () => {
  clock = createTestClock(Date.UTC(2026, 4, 10, 12));
  const settings = { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' };
  service = await startOperator({ clock, settings });
});
afterAll(() => service?.close());

/** Makes calls, which are in the ledger afterwards. */
async function call(apiKey: string, times: number): Promise<void> {
  await service.parts.allowance.poll();
  for (let n = 0; n < times; n++) expect((await service.get(PRICED, { key: apiKey })).status).toBe(200);
  await service.parts.allowance.settle();
}

/** Lets time pass, then updates the summary, whose last update was `ago` ms before. */
async function pass(ms: number, ago = 5 * MINUTE): Promise<void> {
  clock.advance(ms);
  await service.parts.allowance.settle();
  await service.database.prisma.$executeRaw`
    UPDATE refresh SET fetched_at = ${iso(clock.now() - ago)}::timestamptz WHERE resource = 'activity'`;
  await service.parts.operator.admin?.updateActivity();
}

const sorted = async (sort: 'usage' | 'lastHour') =>
  (await service.send(`/admin/v1/users?sort=${sort}`)).body.items.map((user: { key: number }) => user.key) as number[];
const lastHour = async (key: number) => (await service.send(`/admin/v1/users/${key}`)).body.lastHour as number;

it('counts the calls of the last hour once, in leases and after they are booked', async () => {
  const { key, apiKey } = await service.user('one@example.org', 'One');
  await pass(0);
  await call(apiKey, 3);
  await pass(MINUTE);
  expect(await lastHour(key)).toBe(3);
  await call(apiKey, 2);
  // The lease ends, and its calls are booked.
  for (let minutes = 5; minutes <= 55; minutes += 10) {
    await pass(10 * MINUTE);
    expect([minutes, await lastHour(key)]).toEqual([minutes, 5]);
  }
  for (let n = 0; n < 2; n++) await pass(10 * MINUTE);
  expect(await lastHour(key)).toBe(0);
  expect((await sorted('usage'))[0]).toBe(key);
});

it('after a pause, orders users by calls during the pause, but does not count them toward the last hour', async () => {
  const few = await service.user('few@example.org', 'Few');
  const many = await service.user('many@example.org', 'Many');
  await call(few.apiKey, 10);
  await pass(MINUTE);
  expect((await sorted('usage'))[0]).toBe(few.key);
  clock.advance(MINUTE);
  await call(many.apiKey, 20);
  await pass(3 * HOUR, 3 * HOUR);
  expect(await sorted('usage')).toEqual(expect.arrayContaining([many.key, few.key]));
  expect((await sorted('usage')).slice(0, 2)).toEqual([many.key, few.key]);
  expect(await lastHour(many.key)).toBe(0);
  await call(few.apiKey, 1);
  await pass(MINUTE);
  expect((await sorted('lastHour'))[0]).toBe(few.key);
});

it('counts only the calls of the current period', async () => {
  const old = await service.user('old@example.org', 'Old');
  const fresh = await service.user('fresh@example.org', 'Fresh');
  await call(old.apiKey, 30);
  await pass(MINUTE);
  expect((await sorted('usage'))[0]).toBe(old.key);
  clock.advance(32 * DAY);
  await service.change(`/users/${fresh.key}/renew`);
  await call(fresh.apiKey, 1);
  await pass(MINUTE);
  expect((await sorted('usage'))[0]).toBe(fresh.key);
});

it('updates all users after a pause, also more than a statement reads', async () => {
  const { prisma } = service.database;
  const anchor = iso(clock.now() - DAY);
  await prisma.$executeRaw`
    INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at)
    SELECT 'Ada', 'ada@example.org', 'monthly', 10000, at, at, at + interval '1 month', at
    FROM generate_series(1, 5100), LATERAL (SELECT ${anchor}::timestamptz AS at) t`;
  await prisma.$executeRaw`
    INSERT INTO usage (user_key, period_start, used) SELECT key, anchor, 1 FROM "user" ON CONFLICT DO NOTHING`;
  await pass(0, HOUR);
  expect(await prisma.userActivity.count()).toBe(await prisma.user.count());
  const last = await prisma.user.findFirstOrThrow({ orderBy: { key: 'desc' } });
  await prisma.usage.updateMany({ where: { userKey: last.key }, data: { used: 9_000 } });
  await pass(0, HOUR);
  expect((await sorted('usage'))[0]).toBe(last.key);
});
