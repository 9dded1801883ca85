import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { dayFigures } from '#statistics/daily-difference';

const NOW = Date.parse('2026-05-15T14:00:00Z');
const TOLERANCE = 30 * MINUTE;
const counter = fc.nat({ max: 1e12 });
const sampleAt = (at: number, transactions: number) => ({ at, transaction_count_all_time: transactions });

describe('a daily value', () => {
  test('is null without a sample a day before, within half an hour', () => {
    fc.assert(
      fc.property(
        counter,
        fc.array(fc.tuple(fc.integer({ min: -2 * DAY, max: DAY }), counter), { maxLength: 20 }),
        (now, offsets) => {
          const earlier = offsets.map(([off, count]) => sampleAt(NOW - DAY + off, Math.min(now, count)));
          const found = dayFigures({ at: NOW, figures: { transaction_count_all_time: now } }, earlier);
          const isNear = offsets.some(([off]) => Math.abs(off) <= TOLERANCE);
          expect(found.transaction_count !== undefined).toBe(isNear);
          expect(found.new_addresses).toBeUndefined();
        },
      ),
    );
  });

  test('is computed from the sample nearest to a day before, in any order, and is not scaled', () => {
    const near = fc.integer({ min: -TOLERANCE, max: TOLERANCE });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(near, counter), {
          minLength: 1,
          maxLength: 6,
          selector: ([off]) => Math.abs(off),
        }),
        (offsets) => {
          const now = 1e12;
          const earlier = offsets.map(([off, count]) => sampleAt(NOW - DAY + off, count));
          const [nearest] = offsets.toSorted(([a], [b]) => Math.abs(a) - Math.abs(b));
          const { transaction_count } = dayFigures({ at: NOW, figures: { transaction_count_all_time: now } }, earlier);
          expect(transaction_count).toBe(now - (nearest?.[1] ?? Number.NaN));
        },
      ),
    );
  });

  test('skips a nearer sample that does not have the counter', () => {
    const figures = { transaction_count_all_time: 1_500, unique_addresses_all_time: 80 };
    const earlier = [{ at: NOW - DAY, unique_addresses_all_time: 70 }, sampleAt(NOW - DAY + MINUTE, 1_400)];
    expect(dayFigures({ at: NOW, figures }, earlier)).toEqual({ transaction_count: 100, new_addresses: 10 });
  });

  test('never replaces the source’s own value', () => {
    fc.assert(
      fc.property(fc.nat(), counter, counter, (received, now, then) => {
        const figures = { transaction_count: received, transaction_count_all_time: now };
        expect(dayFigures({ at: NOW, figures }, [sampleAt(NOW - DAY, then)])).toEqual({});
      }),
    );
  });

  test('is a non-negative integer, or null, because a counter may have been corrected', () => {
    fc.assert(
      fc.property(counter, counter, (now, then) => {
        const figures = { transaction_count_all_time: now };
        const { transaction_count } = dayFigures({ at: NOW, figures }, [sampleAt(NOW - DAY, then)]);
        if (now < then) expect(transaction_count).toBeUndefined();
        else expect(Number.isSafeInteger(transaction_count) && transaction_count === now - then).toBe(true);
      }),
    );
  });
});
