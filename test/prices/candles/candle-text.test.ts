import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR } from '#core/clock';
import {
  candleColumns,
  candlesBetween,
  firstUnsettled,
  type StoredCandle,
} from '#prices/candles/candle-columns';
import { candlesCsv, candlesJson } from '#prices/candles/candle-text';

const figure = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
const BEGIN = Date.parse('2026-05-14T22:00:00Z');
/** Candles an hour apart. */
const candles = fc
  .array(
    fc.record({
      open: figure,
      high: figure,
      low: figure,
      close: figure,
      volume: figure,
      settled: fc.boolean(),
    }),
    { maxLength: 600 },
  )
  .map((rows): StoredCandle[] => rows.map((row, i) => ({ at: BEGIN + i * HOUR, ...row })));

test('JSON has every candle with its figures exactly, at its beginning', () => {
  fc.assert(
    fc.property(candles, (rows) => {
      const told = JSON.parse([...candlesJson(candleColumns(rows))].join(''));
      expect(told).toEqual(
        rows.map(({ at, settled: _, ...figures }) => ({ date: new Date(at).toUTCString(), ...figures })),
      );
    }),
  );
});

test('CSV has a line for each, times as a spreadsheet takes them', () => {
  const row = { open: 1.5, high: 2, low: 1e-7, close: 1.25, volume: 0, settled: true };
  const rows = [22, 23, 24].map((hour) => ({ at: BEGIN + (hour - 22) * HOUR, ...row }));
  expect([...candlesCsv(candleColumns(rows))].join('')).toBe(
    'date,open,high,low,close,volume\r\n' +
      '2026-05-14 22:00:00,1.5,2,1e-7,1.25,0\r\n' +
      '2026-05-14 23:00:00,1.5,2,1e-7,1.25,0\r\n' +
      '2026-05-15,1.5,2,1e-7,1.25,0\r\n',
  );
});

test('columns are cut and joined as lists are', () => {
  fc.assert(
    fc.property(candles, fc.nat(700), fc.nat(700), (rows, from, many) => {
      const columns = candleColumns(rows);
      const [start, end] = [BEGIN + from * HOUR, BEGIN + (from + many) * HOUR];
      const within = rows.filter(({ at }) => at >= start && at <= end);
      expect(candlesBetween(columns, start, end)).toEqual(candleColumns(within));
      const rejoined = candleColumns(
        rows.filter(({ at }) => at >= start),
        candlesBetween(columns, 0, start - 1),
      );
      expect(rejoined).toEqual(columns);
      expect(firstUnsettled(columns)).toBe(rows.find(({ settled }) => !settled)?.at);
    }),
  );
});
