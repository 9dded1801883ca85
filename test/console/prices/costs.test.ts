import { describe, expect, it } from 'vitest';
import { hasReached, refreshInWords } from '#console/prices/costs';

const DAY = 86_400_000;
const start = Date.parse('2026-01-31T12:00:00Z');
const usage = (limit: number, days: number) => ({
  limit,
  periodStart: new Date(start),
  resetsAt: new Date(start + days * DAY),
});

describe('the cost of auto-refresh', () => {
  it.each([
    [1, usage(10_000, 28), 'Up to 12 calls per hour (0.12% of your 10,000 calls). A whole period would use 81%.'],
    [3, usage(10_000, 31), 'Up to 36 calls per hour (0.36% of your 10,000 calls). A whole period would use 268%.'],
    [3, usage(180_000, 365), 'Up to 36 calls per hour (0.02% of your 180,000 calls). A whole period would use 175%.'],
    [10, undefined, 'Up to 120 calls per hour.'],
    [1, usage(0, 28), 'Up to 12 calls per hour.'],
  ])('of %d calls is stated in calls per hour and as a share of the allowance', (calls, of, words) =>
    expect(refreshInWords(calls, of)).toBe(words),
  );
});

it.each([
  [1000, 10_000, 10, false],
  [999, 10_000, 10, true],
  [4999, 10_000, 50, true],
  [0, 10_000, 5, true],
])('with %d of %d calls left, the limit of %d%% is reached: %s', (remaining, limit, percent, reached) =>
  expect(hasReached({ remaining, limit }, percent)).toBe(reached),
);
