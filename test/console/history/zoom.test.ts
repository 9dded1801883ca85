import fc from 'fast-check';
import { expect, it } from 'vitest';
import { indicesIn, isClosest, isWhole, panned, wholeOf, zoomed } from '#console/history/gestures';

it('zooms around a point, which keeps its position', () => {
  expect(zoomed(wholeOf(100), 100, 2)).toEqual({ from: 25, to: 74 });
  expect(zoomed(wholeOf(100), 100, 2, -0.5)).toEqual({ from: 0, to: 49 });
  expect(zoomed(wholeOf(100), 100, 2, 99.5)).toEqual({ from: 50, to: 99 });
  expect(zoomed({ from: 25, to: 74 }, 100, 0.5)).toEqual(wholeOf(100));
});

it('pans no further than the first and the last point', () => {
  expect(panned({ from: 25, to: 74 }, 100, 10)).toEqual({ from: 35, to: 84 });
  expect(panned({ from: 25, to: 74 }, 100, 1000)).toEqual({ from: 50, to: 99 });
  expect(panned({ from: 25, to: 74 }, 100, -1000)).toEqual({ from: 0, to: 49 });
  expect(panned(wholeOf(100), 100, 10)).toEqual(wholeOf(100));
});

it('limits the zoom to a few points and to all points', () => {
  expect(isClosest(zoomed(wholeOf(100), 100, 1000), 100)).toBe(true);
  expect(isWhole(zoomed(wholeOf(100), 100, 0.001), 100)).toBe(true);
  // A chart with so few points cannot be zoomed.
  for (const points of [1, 5]) {
    const part = zoomed(wholeOf(points), points, 2);
    expect([isWhole(part, points), isClosest(part, points)]).toEqual([true, true]);
  }
});

it('always stays within the points, and shows some of them', () => {
  const moves = fc.array(
    fc.oneof(
      fc.record({
        factor: fc.double({ min: 0.1, max: 10, noNaN: true }),
        at: fc.integer({ min: -1, max: 400 }),
      }),
      fc.record({ by: fc.integer({ min: -500, max: 500 }) }),
    ),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), moves, (points, steps) => {
      let part = wholeOf(points);
      for (const step of steps) {
        part = 'by' in step ? panned(part, points, step.by) : zoomed(part, points, step.factor, step.at);
        expect(part.from).toBeGreaterThanOrEqual(0);
        expect(part.to).toBeLessThanOrEqual(points - 1 + 1e-6);
        const [first, last] = indicesIn(part, points);
        expect(first).toBeLessThanOrEqual(last);
      }
    }),
  );
});
