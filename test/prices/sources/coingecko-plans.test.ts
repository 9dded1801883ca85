import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { DAY } from '#core/clock';
import {
  COINGECKO_PLAN_NAMES,
  coinGeckoPlan,
  planDifferences,
  planNamed,
  reachAfterRefusal,
} from '#prices/sources/coingecko-plans';

test.each(COINGECKO_PLAN_NAMES)('the schedule of the plan %s fits into its months', (name) => {
  const { budget, schedule } = coinGeckoPlan(name);
  const month = 31 * DAY;
  const calls =
    month / schedule.latest + (BUILT_IN_TOKENS.length * month) / schedule.chart + 31 * BUILT_IN_TOKENS.length;
  expect(calls).toBeLessThan(0.9 * budget.perMonth);
  expect(calls / 31 / 24 / 60).toBeLessThan(budget.perMinute);
});

test.each([
  ['Basic', 'basic'],
  ['analyst', 'pro'],
  ['Lite', 'pro'],
  ['Enterprise', 'pro'],
  ['Other', undefined],
  ['', undefined],
])('a key of the plan %s is a %s key', (name, plan) => {
  expect(planNamed(name)).toBe(plan);
});

describe('after a rejection', () => {
  test.each([
    ['all days', Number.POSITIVE_INFINITY, undefined, 730],
    ['two years', 730, undefined, 365],
    ['slightly more than a year', 366, undefined, 365],
    ['a year', 365, undefined, 182],
    ['all days, by name', Number.POSITIVE_INFINITY, 365, 365],
    ['a stated number of days', 365, 365, 182],
  ])('a request for %s is followed by a smaller one', (_name, refused, named, days) => {
    expect(reachAfterRefusal(refused, named)).toBe(days);
  });

  test('each request is smaller, and after a few requests nothing is missing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.option(fc.integer({ min: 0, max: 5000 })), (from, named) => {
        let days = from;
        let steps = 0;
        for (; days >= 1; steps++) {
          const next = reachAfterRefusal(days, steps === 0 ? (named ?? undefined) : undefined);
          expect(next).toBeLessThan(days);
          days = next;
        }
        expect(steps).toBeLessThanOrEqual(14);
      }),
    );
  });
});

describe('the reported plan is compared with the configured plan', () => {
  const { budget } = coinGeckoPlan('pro');
  const facts = { plan: 'Analyst', perMinute: 500, perMonth: 500_000, left: 499_000 };

  test.each<[string, Partial<typeof facts>, number, string[]]>([
    ['an identical plan', {}, 500_000, []],
    ['more', { perMinute: 1000, perMonth: 2_000_000 }, 500_000, []],
    ['a plan with an unknown name', { plan: 'Other' }, 500_000, []],
    ['another plan', { plan: 'Basic' }, 500_000, ['COINGECKO_PLAN is pro, but the plan of the key is basic']],
    ['fewer calls a minute', { perMinute: 250 }, 500_000, ['the key has 250 calls per minute instead of 500']],
    ['fewer calls a month', { perMonth: 100_000 }, 100_000, ['the key has 100000 calls per month instead of 500000']],
    ['a few calls made by others', {}, 490_000, []],
    [
      'many calls made by others',
      {},
      480_000,
      ["another application uses the same key: 480000 of this month's calls remain for this service instead of 500000"],
    ],
  ])('%s', (_name, received, share, expected) => {
    expect(planDifferences('pro', budget, { ...facts, ...received }, share)).toEqual(expected);
  });

  test('a configured budget below that of the plan is not a difference', () => {
    const small = { perMinute: 10, perMonth: 1_000 };
    expect(planDifferences('pro', small, { ...facts, left: 1_000 }, 1_000)).toEqual([]);
  });
});
