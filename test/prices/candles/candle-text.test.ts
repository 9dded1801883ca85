import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR } from '#core/clock';
import { candlesCsv, candlesJson } from '#prices/candles/candle-import';
import { CANDLES, type StoredCandle } from '#prices/model/candle';
import { columnsOf } from '#prices/model/series';

const figure = fc.double({ min: 1e-9, max: 1e12, noNaN: true });
const BEGIN = Date.parse('2026-05-14T22:00:00Z');
/** Candles at hourly intervals. */
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

test('JSON contains every candle with its exact values, at its start', () => {
  fc.assert(
    fc.property(candles, (rows) => {
      const received = JSON.parse([...candlesJson(columnsOf(CANDLES, rows))].join(''));
      expect(received).toEqual(
        rows.map(({ at, settled: _, ...figures }) => ({ date: new Date(at).toUTCString(), ...figures })),
      );
    }),
  );
});

test('CSV has one line per candle, with times that spreadsheets can parse', () => {
  const row = { open: 1.5, high: 2, low: 1e-7, close: 1.25, volume: 0, settled: true };
  const rows = [22, 23, 24].map((hour) => ({ at: BEGIN + (hour - 22) * HOUR, ...row }));
  expect([...candlesCsv(columnsOf(CANDLES, rows))].join('')).toBe(
    'date,open,high,low,close,volume\r\n' +
      '2026-05-14 22:00:00,1.5,2,1e-7,1.25,0\r\n' +
      '2026-05-14 23:00:00,1.5,2,1e-7,1.25,0\r\n' +
      '2026-05-15,1.5,2,1e-7,1.25,0\r\n',
  );
});
