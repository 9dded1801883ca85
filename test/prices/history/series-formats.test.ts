import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, SECOND } from '#core/clock';
import { seriesJson } from '#prices/history/series-text';
import { priceSeries } from '#prices/model/prices-records';
import type { Sample } from '#prices/model/sample';
import { columnsOf, POINTS } from '#prices/model/series';
import { seriesToCsv } from './series-to-csv.ts';

const figure = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }), { nil: null });
/** Samples in ascending order. Many are within the same second, and others are days apart. */
const step = fc.oneof(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 2 * DAY }));
const samples = fc
  .array(fc.record({ step, price: figure, marketCap: figure, volume: figure }), { maxLength: 40 })
  .map((steps) => {
    let at = Date.parse('2021-05-15T14:39:50.123Z');
    return steps.map(({ step, ...figures }): Sample => {
      at += step;
      return { at, ...figures };
    });
  });

const jsonOf = (given: readonly Sample[]) => [...seriesJson(columnsOf(POINTS, given))].join('');

const COLUMNS = [
  ['prices', 'price'],
  ['market_cap', 'marketCap'],
  ['total_volume', 'volume'],
] as const;

describe('a series as JSON', () => {
  test('has ascending arrays, one point per second (the later one), no nulls, and exact values', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const series = priceSeries.parse(JSON.parse(jsonOf(given)));
        for (const [array, column] of COLUMNS) {
          const bySecond = new Map(
            given
              .filter((sample) => sample[column] !== null)
              .map((sample) => [Math.floor(sample.at / 1000), sample[column]]),
          );
          const received = series[array].map(({ date, price }) => [Date.parse(date) / 1000, price]);
          expect(received).toEqual([...bySecond]);
        }
      }),
    );
  });
});

describe('a series as CSV', () => {
  test('contains only the date for a sample in the first second of a day', () => {
    const at = Date.parse('2021-05-22T00:00:00.444Z');
    const text = seriesToCsv([{ at, price: 1, marketCap: null, volume: null }]);
    expect(text.split('\r\n')[1]).toBe('2021-05-22,1,,');
  });

  test('has a header, a line for each sample, times that spreadsheets can parse, and empty fields for unknown values', () => {
    fc.assert(
      fc.property(samples, (given) => {
        const text = seriesToCsv(given);
        expect(text.endsWith('\r\n')).toBe(true);
        const [header, ...lines] = text.slice(0, -2).split('\r\n');
        expect(header).toBe('date,price,market_cap,total_volume');
        const read = lines.map((line) => {
          const [date = '', ...figures] = line.split(',');
          const at = Date.parse(date.length === 10 ? date : `${date.replace(' ', 'T')}Z`);
          expect(date).toBe(new Date(at).toISOString().slice(0, 19).replace('T00:00:00', '').replace('T', ' '));
          const [price, marketCap, volume] = figures.map((field) => (field === '' ? null : Number(field)));
          return { at, price, marketCap, volume };
        });
        const bySecond = Map.groupBy(given, ({ at }) => Math.floor(at / SECOND) * SECOND);
        const lastOf = (same: readonly Sample[], name: 'price' | 'marketCap' | 'volume') =>
          same.findLast((sample) => sample[name] !== null)?.[name] ?? null;
        expect(read).toEqual(
          [...bySecond].map(([at, same]) => ({
            at,
            price: lastOf(same, 'price'),
            marketCap: lastOf(same, 'marketCap'),
            volume: lastOf(same, 'volume'),
          })),
        );
      }),
    );
  });
});
