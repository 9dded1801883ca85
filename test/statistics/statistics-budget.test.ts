import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { STATISTICS_KINDS, statisticsBudget, throttledStatistics } from '#statistics/statistics-sources';

const NOVEMBER = Date.parse('2026-11-01T00:00:00Z');
const DECEMBER = Date.parse('2026-12-01T00:00:00Z');
const JANUARY = Date.parse('2027-01-01T00:00:00Z');

/** The calls of a sample, times the tokens that it covers. */
const CALLS = {
  cryptocompare: 4,
  'bitcoin-stats': 1,
  'bitcoin-mempool': 3,
  'ethereum-stats': 2,
  'solana-rpc': 3,
  'arweave-node': 3,
};

describe.each(STATISTICS_KINDS)('the interval of %s', (kind) => {
  const budget = statisticsBudget(kind);
  const calls = CALLS[kind];

  test('is an hour while the monthly budget allows it, with as many calls again for failures', () => {
    expect(throttledStatistics(kind, { limits: budget, spent: 0, now: DECEMBER }).every).toBe(HOUR);
    const halfway = DECEMBER + (JANUARY - DECEMBER) / 2;
    expect(throttledStatistics(kind, { limits: budget, spent: budget.perMonth / 2, now: halfway }).every).toBe(HOUR);
    const allFailed = (31 * DAY * calls) / HOUR;
    expect(throttledStatistics(kind, { limits: budget, spent: 0.9 * allFailed, now: DECEMBER }).every).toBe(HOUR);
  });

  test('never costs more than the remaining calls', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1.2, noNaN: true }),
        fc.integer({ min: NOVEMBER, max: DECEMBER - 1 }),
        (part, now) => {
          const spent = Math.floor(budget.perMonth * part);
          const { every, apart } = throttledStatistics(kind, { limits: budget, spent, now });
          expect(every).toBeGreaterThanOrEqual(HOUR);
          if (every === Number.POSITIVE_INFINITY) {
            expect(spent).toBeGreaterThanOrEqual(0.98 * budget.perMonth - 1e-6);
            return;
          }
          const left = budget.perMonth - spent;
          expect(((DECEMBER - now) / every) * calls).toBeLessThanOrEqual(0.98 * left + 1e-6);
          expect((DECEMBER - now) / apart).toBeLessThanOrEqual(left);
        },
      ),
    );
  });

  test('grows in proportion: with half of the calls left, it doubles', () => {
    const timeLeft = JANUARY - DECEMBER;
    const left = ((timeLeft / HOUR) * calls) / 2;
    const { every } = throttledStatistics(kind, {
      limits: budget,
      spent: 0.98 * budget.perMonth - left,
      now: DECEMBER,
    });
    expect(every / HOUR).toBeCloseTo(2);
  });
});
