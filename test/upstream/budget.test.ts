import { beforeEach, expect, test } from 'vitest';
import type { Budget } from '#upstream/budget';
import { openBudget } from '#upstream/budget';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createTestClock, type TestClock } from '../../fixtures/clock.ts';

const BUDGET = { perMinute: 10, perMonth: 100 };

let clock: TestClock;
/** The month's spent calls in the store. When all are spent, no call can be reserved. */
let spent: number;
/** The limits in each reservation. */
let reservations: Budget[];
beforeEach(() => {
  clock = createTestClock('2026-05-31T23:59:00Z');
  spent = 90;
  reservations = [];
});

function open() {
  const store: Pick<RefreshStore, 'spent' | 'reserve'> = {
    spent: async () => spent,
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
  expect(budget.reading()).toEqual({ spent: 100, limit: 100, daysLeft: 0 });
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
