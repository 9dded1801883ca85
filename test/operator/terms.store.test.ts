import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, iso } from '#core/clock';
import { MAX_CALLS } from '#users/administration/administration';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

/* Suspensions, plans, limits and credits, at exact instants. */

const START = Date.UTC(2026, 4, 10, 12);

let clock: TestClock;
let service: OperatorService;
beforeAll(async () => {
  clock = createTestClock(START);
  const settings = { BURST_PER_SECOND: '0', REGISTRATIONS_PER_MINUTE: '0' };
  service = await startOperator({ clock, settings });
});
afterAll(() => service?.close());

const show = async (key: number) => (await service.send(`/admin/v1/users/${key}`)).body;
const newest = async (key: number) => (await service.send(`/admin/v1/audit?user=${key}&limit=1`)).body.items[0];

it('a second suspension replaces the reason, and keeps the time of the first', async () => {
  const { key } = await service.user();
  await service.change(`/users/${key}/suspend`, { reason: 'one' });
  const since = iso(clock.now());
  clock.advance(HOUR);
  const { body } = await service.change(`/users/${key}/suspend`, { reason: 'two' });
  expect(body.suspension).toEqual({ since, reason: 'two' });
  expect(await newest(key)).toMatchObject({ before: { reason: 'one' }, after: { reason: 'two' } });
});

it('adds credits up to the largest number of calls of a period, and none beyond', async () => {
  const { key } = await service.user();
  const grant = (calls: number) => service.change(`/users/${key}/credits`, { calls, reason: 'test' });
  expect((await grant(2)).body.credits).toBe(2);
  expect((await grant(3)).body.credits).toBe(5);
  expect((await grant(MAX_CALLS - 5)).body).toMatchObject({ credits: MAX_CALLS, periodLimit: MAX_CALLS + 10_000 });
  const rejected = await grant(1);
  expect([rejected.status, rejected.body.errors[0].location]).toEqual([400, 'body.calls']);
  const { credits, grants } = await show(key);
  expect([credits, grants.map(({ calls }: { calls: number }) => calls)]).toEqual([MAX_CALLS, [MAX_CALLS - 5, 3, 2]]);
  expect(await newest(key)).toMatchObject({ before: { credits: 5 }, after: { credits: MAX_CALLS } });
});

it('starts a due plan before a change of the limit, which then applies to the new period', async () => {
  const { key } = await service.user();
  const { body } = await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'next', limit: 500 });
  clock.goTo(body.nextPlan.from);
  await service.parts.allowance.poll();
  const limited = (await service.change(`/users/${key}/limit`, { limit: 7 })).body;
  expect(limited).toMatchObject({ plan: 'yearly', nextPlan: null, limit: 7, periodLimit: 7 });
  expect(limited.periodStart).toBe(body.nextPlan.from);
  expect(await newest(key)).toMatchObject({ before: { limit: 500 }, after: { limit: 7 } });
});

it('two plans that start at the same instant have different periods', async () => {
  const { key } = await service.user();
  const first = await show(key);
  const second = (await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'now' })).body;
  expect(second).toMatchObject({ limit: 180_000, periodLimit: 180_000 });
  expect(Date.parse(second.periodStart) - Date.parse(first.periodStart)).toBe(1);
  const old = await service.database.prisma.usage.findMany({ where: { userKey: key } });
  expect(old).toMatchObject([{ periodStart: new Date(first.periodStart), limit: 10_000 }]);
});

it('a user whose term ends at this instant has the next plan from the next renewal on', async () => {
  const { key } = await service.user();
  clock.goTo((await show(key)).validUntil);
  await service.parts.allowance.poll();
  const { body } = await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'next', limit: 77 });
  expect(body).toMatchObject({ state: 'expired', plan: 'yearly', nextPlan: null, limit: 77 });
  const renewed = (await service.change(`/users/${key}/renew`)).body;
  expect(renewed).toMatchObject({ state: 'active', plan: 'yearly', periodStart: iso(clock.now()) });
});

it('a term that was renewed ahead is extended to one period of the next plan, and another change replaces it', async () => {
  const { key } = await service.user();
  const renewed = (await service.change(`/users/${key}/renew`)).body;
  const next = (await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'next', limit: 500 })).body;
  expect(Date.parse(next.validUntil) - Date.parse(next.nextPlan.from)).toBe(365 * DAY);
  expect(next.nextPlan.from).not.toBe(renewed.validUntil);
  const limits = async () =>
    (await service.database.prisma.usage.findMany({ where: { userKey: key }, orderBy: { periodStart: 'asc' } })).map(
      ({ limit }) => limit,
    );
  expect(await limits()).toEqual([500]);
  await service.change(`/users/${key}/plan`, { plan: 'yearly', from: 'now', limit: 600 });
  // The old period keeps its limit, and the period of the plan that never starts has none of its own.
  expect(await limits()).toEqual([10_000, null]);
});
