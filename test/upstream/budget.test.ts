import { beforeEach, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import type { Budget } from '#upstream/budget';
import { monthOf, openBudget } from '#upstream/budget';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';

const BUDGET = { perMinute: 10, perMonth: 100 };

let clock: TestClock;
/** The month's spent calls in the store. When all are spent, no call can be reserved. */
let spent: number;
/** The minute of the first call in the store. */
let firstCall: number | undefined;
/** The limits in each reservation. */
let reservations: Budget[];
beforeEach(() => {
  clock = createTestClock('2026-05-31T23:59:00Z');
  spent = 90;
  firstCall = 0;
  reservations = [];
});

function open() {
  const store: Pick<RefreshStore, 'stored' | 'reserve'> = {
    stored: async () => ({ spent, firstCall }),
    reserve: async (_upstream, _windows, limits) => {
      reservations.push(limits);
      return spent < limits.perMonth ? ++spent : undefined;
    },
  };
  return openBudget({ store: store as RefreshStore, upstream: 'coingecko', budget: BUDGET, clock });
}

test('a call is reserved while any is left, and counts in the schedule immediately', async () => {
  const budget = await open();
  spent = 98;
  expect(await budget.reserve()).toBe(true);
  expect(budget.current()).toMatchObject({ spent: 99 });
  expect(await budget.reserve()).toBe(true);
  expect(await budget.reserve()).toBe(false);
  expect(budget.reading()).toMatchObject({ spent: 100, limit: 100 });
});

test('a reservation can leave calls of the minute for more important ones', async () => {
  const budget = await open();
  await budget.reserve(4);
  await budget.reserve();
  expect(reservations).toEqual([
    { perMinute: 6, perMonth: 100 },
    { perMinute: 10, perMonth: 100 },
  ]);
});

test('the rate is the mean of the month, and covers at least an hour', async () => {
  clock = createTestClock('2026-05-11T00:00:00Z');
  const budget = await open();
  expect(budget.reading().rate).toBe(90 / (10 * DAY));
  clock.goTo('2026-06-01T00:00:00Z');
  spent = 3;
  await budget.reserve();
  expect(budget.reading().rate).toBe(4 / HOUR);
});

test('the rate of a new installation is the mean since the first call, also after a restart', async () => {
  [spent, firstCall] = [0, undefined];
  clock = createTestClock('2026-05-29T00:00:00Z');
  const budget = await open();
  expect(budget.reading().rate).toBe(0);
  for (let i = 0; i < 48; i++) await budget.reserve();
  expect(budget.reading().rate).toBe(48 / HOUR);
  clock.goTo('2026-05-30T00:00:00Z');
  expect(budget.reading().rate).toBe(48 / DAY);
  firstCall = Date.parse('2026-05-29T00:00:00Z');
  expect((await open()).reading().rate).toBe(48 / DAY);
});

test('the rate of a process starts at the first call of another process', async () => {
  [spent, firstCall] = [0, undefined];
  clock = createTestClock('2026-05-29T00:00:00Z');
  const budget = await open();
  [spent, firstCall] = [24, clock.now()];
  clock.goTo('2026-05-30T00:00:00Z');
  await budget.sync();
  expect(budget.reading().rate).toBe(24 / DAY);
});

test('a new month has its full budget, before any call is counted', async () => {
  const budget = await open();
  expect(budget.current()).toMatchObject({ spent: 90 });
  clock.goTo('2026-06-01T00:00:00Z');
  expect(budget.current()).toEqual({ limits: BUDGET, spent: 0, now: clock.now() });
  expect(budget.reading().spent).toBe(0);
});

test('a smaller budget reported by the upstream applies from then on; a larger one has no effect', async () => {
  const budget = await open();
  budget.lower({ perMinute: 5, perMonth: 1_000 }, 1_000);
  await budget.reserve();
  budget.lower({ perMinute: 50, perMonth: 95 }, 5);
  await budget.reserve();
  expect(reservations).toEqual([
    { perMinute: 5, perMonth: 100 },
    { perMinute: 5, perMonth: 95 },
  ]);
  expect(budget.reading()).toMatchObject({ spent: 92, limit: 95 });
  expect(budget.current()).toMatchObject({ limits: { perMonth: 95 } });
});

test('calls made by others are missing only from the current month', async () => {
  const budget = await open();
  budget.lower({ perMinute: 10, perMonth: 100 }, 2);
  expect([await budget.reserve(), await budget.reserve(), await budget.reserve()]).toEqual([true, true, false]);
  expect(budget.reading()).toMatchObject({ spent: 92, limit: 92 });
  clock.goTo('2026-06-01T00:00:00Z');
  expect(budget.reading()).toMatchObject({ spent: 0, limit: 100 });
});

test('a share smaller than the remaining calls is unchanged', async () => {
  const budget = await open();
  budget.lower({ perMinute: 10, perMonth: 500_000 }, 1_000);
  expect(budget.reading()).toMatchObject({ spent: 90, limit: 100 });
});

test.each([
  ['2026-11-01T00:00:00.000Z', '2026-11-01', '2026-12-01'],
  ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01'],
  ['2028-02-29T23:59:59.000Z', '2028-02-01', '2028-03-01'],
])('%s is in the month that starts on %s', (now, start, end) => {
  expect(monthOf(Date.parse(now))).toEqual({ start: Date.parse(start), end: Date.parse(end) });
});
