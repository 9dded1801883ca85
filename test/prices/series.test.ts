import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MARKET_SOURCES } from '#prices/model/market-sources';
import { createSeries, isSettledSlice, samplesOf } from '#prices/model/series';

const figure = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null });
const row = fc.record({
  at: fc.integer({ min: 0, max: 60 }),
  price: figure,
  marketCap: figure,
  volume: figure,
  settled: fc.boolean(),
  source: fc.constantFrom(...MARKET_SOURCES),
});
const rows = fc
  .uniqueArray(row, { selector: ({ at }) => at, maxLength: 30 })
  .map((some) => some.sort((a, b) => a.at - b.at));
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const bare = ({ settled: _settled, ...sample }: Row) => sample;

describe('a series', () => {
  test('is an array: rows from an instant on give way to others, and slices are what lies between', () => {
    const edit = fc.record({ from: fc.integer({ min: -1, max: 61 }), rows });
    const cut = fc.tuple(fc.integer({ min: -2, max: 62 }), fc.integer({ min: -2, max: 62 }));
    fc.assert(
      fc.property(rows, fc.array(edit, { maxLength: 8 }), cut, (first, edits, [from, thru]) => {
        let model = first;
        const series = createSeries(first);
        for (const { from: since, rows: given } of edits) {
          const later = given.filter(({ at }) => at >= since);
          const version = series.version;
          series.replaceFrom(since, later);
          model = [...model.filter(({ at }) => at < since), ...later];
          expect(series.version).toBeGreaterThan(version);
        }
        const inside = model.filter(({ at }) => at >= from && at <= thru);
        const slice = series.slice(from, thru);
        expect(series.length).toBe(model.length);
        expect([...samplesOf(slice)]).toEqual(inside.map(bare));
        expect(isSettledSlice(slice)).toBe(inside.every(({ settled }) => settled));
        expect(series.last()).toEqual(model.map(bare).at(-1));
        expect(series.firstFrom(from)).toEqual(model.map(bare).find(({ at }) => at >= from));
      }),
      { numRuns: 500 },
    );
  });

  test('empty has no row', () => {
    const series = createSeries();
    expect(series.last()).toBeUndefined();
    expect(series.firstFrom(0)).toBeUndefined();
    expect([...samplesOf(series.slice(0, Number.POSITIVE_INFINITY))]).toEqual([]);
  });

  test('a slice up to infinity ends with the last row', () => {
    const sample = { at: 7, price: 1, marketCap: null, volume: 0, source: 'kraken' as const };
    expect([...samplesOf(createSeries([sample]).slice(7, Number.POSITIVE_INFINITY))]).toEqual([sample]);
  });
});
