import { beforeEach, expect, test } from 'vitest';
import { openBudget } from '#services/upstream/budget';
import type { RefreshStore } from '#stores/market/refreshes';
import { createTestClock, type TestClock } from '../../../fixtures/clock.ts';

const BUDGET = { perMinute: 10, perMonth: 100 };

let clock: TestClock;
/** What the store says was spent of the month; nothing can be taken when all of it is. */
let spent: number;
beforeEach(() => {
  clock = createTestClock('2026-05-31T23:59:00Z');
  spent = 90;
});

/** A budget whose schedule tells from which count and when it was computed. */
function open() {
  const store: Pick<RefreshStore, 'spent' | 'reserve'> = {
    spent: async () => spent,
    reserve: async () => (spent < BUDGET.perMonth ? ++spent : undefined),
  };
  const throttle = (count: number, now: number) => ({ count, now });
  return openBudget({ store: store as RefreshStore, upstream: 'coingecko', budget: BUDGET, throttle, clock });
}

test('a call is taken while there is one left, and counts in the schedule at once', async () => {
  const budget = await open();
  spent = 98;
  expect(await budget.reserve()).toBe(true);
  expect(budget.schedule()).toMatchObject({ count: 99 });
  expect(await budget.reserve()).toBe(true);
  expect(await budget.reserve()).toBe(false);
  expect(budget.reading()).toEqual({ spent: 100, limit: 100 });
});

test('a new month has all its calls, before anybody has counted one', async () => {
  const budget = await open();
  expect(budget.schedule()).toMatchObject({ count: 90 });
  clock.goTo('2026-06-01T00:00:00Z');
  expect(budget.schedule()).toEqual({ count: 0, now: clock.now() });
  expect(budget.reading().spent).toBe(0);
});
