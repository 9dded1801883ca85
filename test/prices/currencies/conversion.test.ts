import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, iso, MINUTE } from '#core/clock';
import {
  convertCandles,
  convertColumns,
  convertFigure,
  convertLatest,
  datedRates,
  usdRateFromSamples,
} from '#prices/currencies/conversion';
import { createRateSeries } from '#prices/currencies/rate-validity';
import { CANDLES } from '#prices/model/candle';
import type { UsdRate } from '#prices/model/currency';
import { columnsOf, POINTS, type PointColumns } from '#prices/model/series';

const at = (date: string) => Date.parse(date);

/** Realistic values and rates. */
const figure = fc.double({ min: 1e-18, max: 1e18, noNaN: true });
const maybe = fc.option(figure, { nil: null });
const usdRates = fc.double({ min: 1e-9, max: 1e9, noNaN: true });
const samples = fc
  .uniqueArray(fc.record({ at: fc.nat(1e6), price: maybe, marketCap: maybe, volume: maybe }), {
    selector: (sample) => sample.at,
    maxLength: 20,
  })
  .map((rows) => rows.sort((a, b) => a.at - b.at));
const MONEY = ['price', 'marketCap', 'volume'] as const;

const isNear = (one: number, other: number) => Math.abs(one - other) <= 1e-12 * Math.abs(other);

describe('a series', () => {
  test('is unchanged by a conversion and its inverse within one part in 10^12; unknown values stay unknown', () => {
    fc.assert(
      fc.property(samples, fc.array(usdRates, { minLength: 1, maxLength: 20 }), (rows, values) => {
        const usdRate: UsdRate = (time) => values[time % values.length] as number;
        const columns = columnsOf(
          POINTS,
          rows.map((row, i) => ({ ...row, final: i % 2 === 0, source: 'kraken' as const })),
        );
        const back = convertColumns(convertColumns(columns, usdRate), (time) => 1 / usdRate(time));
        for (const column of ['at', 'final', 'source'] as const) expect(back[column]).toEqual(columns[column]);
        for (const column of MONEY)
          for (let i = 0; i < rows.length; i++) {
            const [one, other] = [back[column][i] as number, columns[column][i] as number];
            expect(Number.isNaN(one)).toBe(Number.isNaN(other));
            if (!Number.isNaN(other)) expect(isNear(one, other)).toBe(true);
          }
      }),
    );
  });

  test('has no row at a time without a rate of the currency', () => {
    const columns = columnsOf(
      POINTS,
      [1, 2, 3, 4].map((time) => ({ at: time, price: 8, marketCap: null, volume: 6 })),
    );
    const converted = convertColumns(columns, (time) => (time % 2 ? 2 : Number.NaN));
    expect([...converted.at]).toEqual([1, 3]);
    expect([...converted.price]).toEqual([4, 4]);
    expect([...converted.marketCap]).toEqual([Number.NaN, Number.NaN]);
    expect([...converted.volume]).toEqual([3, 3]);
  });

  test('never contains NaN or infinity, whatever finite values and rates it is computed from', () => {
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(any, any, (dollars, usdRate) => {
        const converted = convertFigure(dollars, usdRate);
        expect(converted === null || Number.isFinite(converted)).toBe(true);
        const { price } = convertColumns(
          columnsOf(POINTS, [{ at: 1, price: dollars, marketCap: null, volume: null }]),
          () => usdRate,
        );
        expect(Number.isNaN(price[0]) ? null : price[0]).toBe(converted);
      }),
    );
    expect(convertFigure(1e300, 1e-300)).toBeNull();
    expect(convertFigure(null, 2)).toBeNull();
    expect(convertFigure(3, Number.NaN)).toBeNull();
  });
});

test('candles keep the order of their prices, and their volume in tokens', () => {
  const columns = columnsOf(
    CANDLES,
    [0, 1].map((i) => ({ at: i * DAY, open: 10, high: 16, low: 8, close: 12, volume: 7, final: true })),
  );
  const { volume, final, ...prices } = convertCandles(columns, (time) => (time === 0 ? 4 : Number.NaN));
  expect(Object.entries(prices).map(([name, [first, ...rest]]) => [name, first, rest])).toEqual([
    ['at', 0, []],
    ['open', 2.5, []],
    ['high', 4, []],
    ['low', 2, []],
    ['close', 3, []],
  ]);
  expect([...volume, ...final]).toEqual([7, 1]);
});

describe('a latest price', () => {
  const record = {
    current_price: 100,
    market_cap: 1000,
    total_volume: null,
    circulating_supply: 10,
    total_supply: 20,
    max_supply: null,
    ath: 300,
    ath_change_percentage: -66.6,
    ath_date: 'Mon, 06 Oct 2025 18:57:42 GMT',
    atl: 1,
    atl_change_percentage: 9900,
    atl_date: 'Sat, 06 Jul 2013 00:00:00 GMT',
  };

  test('has its extremes at the rates of their dates, and unchanged supplies and percentages', () => {
    const usdRate: UsdRate = (time) => (time > at('2020-01-01') ? 1.5 : 1.25);
    expect(convertLatest(record, 2, usdRate)).toEqual({
      ...record,
      ...{ current_price: 50, market_cap: 500, ath: 200, atl: 0.8 },
    });
  });

  test('has no extreme without a known rate at its date, and does not exist without a price', () => {
    const unknown = () => Number.NaN;
    expect(convertLatest({ ...record, ath_date: null }, 2, unknown)).toMatchObject({ ath: null, atl: null });
    expect(convertLatest(record, Number.NaN, unknown)).toBeUndefined();
  });
});

describe('by rates', () => {
  test('both rates are from one date, the last date with both, and that date is named', () => {
    const days = fc.uniqueArray(fc.nat(9), { minLength: 1 }).map((some) => some.sort((a, b) => a - b));
    fc.assert(
      fc.property(days, days, fc.nat(9), (ofDollars, ofUnits, day) => {
        const start = at('2026-04-01');
        const rates = (some: readonly number[], factor: number) =>
          createRateSeries(
            some.map((one) => [start + one * DAY, factor * (one + 1)] as const),
            start + 9 * DAY,
          );
        const both = ofDollars.filter((one) => ofUnits.includes(one) && one <= day).at(-1);
        const dated = datedRates(rates(ofDollars, 1), rates(ofUnits, 100))(start + day * DAY + HOUR);
        const expected = both === undefined ? Number.NaN : start + both * DAY;
        expect(dated).toEqual({ on: expected, usdRate: both === undefined ? Number.NaN : 1 / 100 });
      }),
    );
  });
});

describe('by samples of a token', () => {
  const series = (...rows: [at: number, price: number | null][]): PointColumns =>
    columnsOf(
      POINTS,
      rows.map(([time, price]) => ({ at: time, price, marketCap: null, volume: null })),
    );

  test('a day has the sample of its date, or the nearest of two', () => {
    const day = at('2026-04-02');
    const usdRate = usdRateFromSamples(series([day - DAY, 1], [day + MINUTE, 2], [day + 14 * HOUR, 3]), 'day');
    const requested = [day - DAY + 23 * HOUR, day, day + 2 * MINUTE, day + 13 * HOUR, day + DAY];
    expect(requested.map(usdRate)).toEqual([1, 2, 2, 3, Number.NaN]);
  });

  test.each([
    ['hour', HOUR],
    ['minute', 5 * MINUTE],
  ] as const)('for the interval %s, uses the nearest sample within its spacing', (interval, spacing) => {
    const base = at('2026-04-02T00:00:00Z');
    const usdRate = usdRateFromSamples(
      series([base, 2], [base + 4 * spacing, 4], [base + 5 * spacing, null]),
      interval,
    );
    const requested = [-spacing - 1, -spacing, spacing / 4, spacing, spacing + 1, 3 * spacing, 5 * spacing];
    const expected = [Number.NaN, 2, 2, 2, Number.NaN, 4, 4];
    expect(
      requested.map((apart) => usdRate(base + apart)),
      iso(base),
    ).toEqual(expected);
  });
});
