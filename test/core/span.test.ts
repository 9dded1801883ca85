import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { overlap, type Span, subtractSpans, union } from '#core/clock';

/* The model represents a span as a set of integers. */
const small = fc.integer({ min: 0, max: 30 });
const span = fc.tuple(small, small).map(([a, b]): Span => ({ from: Math.min(a, b), thru: Math.max(a, b) }));
const anySpan = fc.tuple(small, small).map(([from, thru]): Span => ({ from, thru }));
const spans = fc.array(anySpan, { maxLength: 8 });

function numbers(...all: readonly Span[]): Set<number> {
  const set = new Set<number>();
  for (const { from, thru } of all) for (let n = from; n <= thru; n++) set.add(n);
  return set;
}

function expectNormalized(result: readonly Span[]): void {
  for (const { from, thru } of result) expect(from).toBeLessThanOrEqual(thru);
  result.slice(1).forEach((one, i) => {
    expect(one.from).toBeGreaterThan((result[i] as Span).thru + 1);
  });
}

describe('spans', () => {
  test('a union contains the same integers, in ascending, non-adjacent spans', () => {
    fc.assert(
      fc.property(spans, (some) => {
        const result = union(some);
        expectNormalized(result);
        expect(numbers(...result)).toEqual(numbers(...some));
        expect(union(result)).toEqual(result);
      }),
    );
  });

  test('a difference contains the integers that no other span contains', () => {
    fc.assert(
      fc.property(span, spans, (one, others) => {
        const result = subtractSpans(one, others);
        expectNormalized(result);
        const taken = numbers(...others);
        expect([...numbers(...result)]).toEqual([...numbers(one)].filter((n) => !taken.has(n)));
      }),
    );
  });

  test('an overlap contains the integers that are in both spans', () => {
    fc.assert(
      fc.property(span, span, (a, b) => {
        const shared = overlap(a, b);
        const inB = numbers(b);
        expect(shared ? [...numbers(shared)] : []).toEqual([...numbers(a)].filter((n) => inB.has(n)));
        expect(overlap(b, a)).toEqual(shared);
      }),
    );
  });

  test('a union does not change its arguments', () => {
    const given = [
      { from: 5, thru: 6 },
      { from: 1, thru: 4 },
    ];
    expect(union(given)).toEqual([{ from: 1, thru: 6 }]);
    expect(given).toEqual([
      { from: 5, thru: 6 },
      { from: 1, thru: 4 },
    ]);
  });

  test('can be infinite', () => {
    const always = { from: Number.NEGATIVE_INFINITY, thru: Number.POSITIVE_INFINITY };
    expect(overlap(always, { from: 1, thru: 2 })).toEqual({ from: 1, thru: 2 });
    expect(subtractSpans(always, [{ from: 1, thru: 2 }])).toEqual([
      { from: Number.NEGATIVE_INFINITY, thru: 0 },
      { from: 3, thru: Number.POSITIVE_INFINITY },
    ]);
  });
});
