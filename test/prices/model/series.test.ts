import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CANDLES } from '#prices/model/candle';
import { MARKET_SOURCES } from '#prices/model/market-sources';
import {
  type Columns,
  columnsOf,
  createSeries,
  firstSample,
  firstUnsettled,
  type Layout,
  lastSample,
  POINTS,
  samplesOf,
} from '#prices/model/series';
import { amount } from '../../support/long.ts';

type AnyRow = { at: number; final: boolean };

const figure = fc.double({ noNaN: true, noDefaultInfinity: true });
const maybe = fc.option(figure, { nil: null });
const [at, final] = [fc.integer({ min: 0, max: 60 }), fc.boolean()];
const point = fc.record({
  ...{ at, final, price: maybe, marketCap: maybe, volume: maybe },
  source: fc.constantFrom(...MARKET_SOURCES),
});
const candle = fc.record({
  ...{ at, final, open: figure, high: figure, low: figure, close: figure, volume: figure },
});
/** Ascending and distinct times. */
const rowsOf = <Row extends AnyRow>(row: fc.Arbitrary<Row>) =>
  fc.uniqueArray(row, { selector: ({ at }) => at, maxLength: 30 }).map((some) => some.sort((a, b) => a.at - b.at));

/** Compares a series of a layout with an array of its rows. */
function holdToArray<C extends Columns, Row extends AnyRow>(layout: Layout<C, NoInfer<Row>>, row: fc.Arbitrary<Row>) {
  const rows = rowsOf(row);
  const edit = fc.record({ from: fc.integer({ min: -1, max: 61 }), rows });
  const cut = fc.tuple(fc.integer({ min: -2, max: 62 }), fc.integer({ min: -2, max: 62 }));
  fc.assert(
    fc.property(rows, fc.array(edit, { maxLength: 8 }), cut, fc.nat(62), (first, edits, [from, thru], since) => {
      let model = first;
      const series = createSeries(layout, first);
      for (const { from: instant, rows: given } of edits) {
        const later = given.filter(({ at }) => at >= instant);
        const version = series.version();
        series.replaceFrom(instant, later);
        model = [...model.filter(({ at }) => at < instant), ...later];
        expect(series.version()).toBeGreaterThan(version);
      }
      const inside = model.filter(({ at }) => at >= from && at <= thru);
      const slice = series.slice(from, thru);
      expect(columnsOf(layout, [], slice)).toEqual(columnsOf(layout, inside));
      expect(columnsOf(layout, first, slice)).toEqual(columnsOf(layout, [...inside, ...first]));
      expect(firstUnsettled(slice)).toBe(inside.find(({ final }) => !final)?.at);
      series.dropBefore(since);
      const kept = model.filter(({ at }) => at >= since);
      expect(columnsOf(layout, [], series.all())).toEqual(columnsOf(layout, kept));
    }),
    { numRuns: amount(100, 2_000) },
  );
}

describe('a series behaves like an array: rows from an instant are replaced, and slices contain the rows between', () => {
  test('of points', () => holdToArray(POINTS, point));
  test('of candles', () => holdToArray(CANDLES, candle));
});

describe('a series of points', () => {
  test('returns its rows as samples', () => {
    fc.assert(
      fc.property(rowsOf(point), fc.integer({ min: -2, max: 62 }), (rows, from) => {
        const series = createSeries(POINTS, rows);
        const later = rows.filter(({ at }) => at >= from).map(({ final: _settled, ...sample }) => sample);
        const slice = series.slice(from, Number.POSITIVE_INFINITY);
        expect([...samplesOf(slice)]).toEqual(later);
        expect(firstSample(slice)).toEqual(later[0]);
        expect(lastSample(slice)).toEqual(later.at(-1));
      }),
    );
  });

  test('has no row if it is empty', () => {
    const all = createSeries(POINTS).all();
    expect([firstSample(all), lastSample(all), ...samplesOf(all)]).toEqual([undefined, undefined]);
  });

  test('has another version when it is loaded again', () => {
    expect(createSeries(POINTS).version()).not.toBe(createSeries(POINTS).version());
  });
});
