import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isOutlier, misplacedRows } from '#upstream/items/item-order';

const ascending = fc
  .array(fc.nat({ max: 1000 }), { minLength: 10, maxLength: 200 })
  .map((steps) => steps.map((_step, place) => steps.slice(0, place + 1).reduce((sum, step) => sum + step + 1, 0)));

describe('rows out of order', () => {
  test('do not exist in an ascending list, or in a list in another order', () => {
    fc.assert(
      fc.property(ascending, (times) => {
        expect([...misplacedRows(times)]).toEqual([]);
        expect([...misplacedRows(times.toReversed())]).toEqual([]);
        expect([...misplacedRows(times.flatMap((at) => [at, at]))]).toEqual([]);
      }),
    );
  });

  test('are the row with the time of a distant row', () => {
    fc.assert(
      fc.property(ascending, fc.nat(), fc.boolean(), (times, at, isLate) => {
        // At the ends, either of two rows may be the wrong one.
        const place = 2 + (at % (times.length - 4));
        const wrong = isLate ? (times.at(-1) as number) + 1 : -1;
        expect([...misplacedRows(times.with(place, wrong))]).toEqual([place]);
      }),
    );
  });

  test('are unknown in a short list', () => {
    expect([...misplacedRows([1, 2, 9, 3, 4])]).toEqual([]);
  });
});

test.each<[readonly (number | null)[], number, boolean]>([
  [[2, 1, 3], 1, false],
  [[2, 1e300, 3], 1, true],
  [[2, 1e-9, 3], 1, true],
  [[2, 1e7, 1e7], 1, false],
  [[1e300, 2, 3], 0, true],
  [[2, 3, 1e300], 2, true],
  [[2, null, 1e300], 2, false],
  [[1e300, 2], 0, false],
  [[1e300], 0, false],
  [[2, 3, 1e300, 1e300, 2, 3], 2, true],
  [[2, 3, 1e300, 1e300, 2, 3], 1, false],
])('an outlier differs from the prices around it: %o at %d', (prices, place, expected) => {
  expect(isOutlier(prices[place] as number, prices, place)).toBe(expected);
});
