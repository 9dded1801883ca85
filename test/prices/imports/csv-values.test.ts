import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MINUTE, spreadsheetTime } from '#core/clock';
import { httpDate } from '#prices/history/series-text';
import { readNumbers, readTime } from '#prices/imports/csv-values';

const MIDNIGHT = Date.UTC(2024, 0, 1);

it.each([
  '2024-01-01',
  '2024-01-01 00:00',
  '2024-01-01 00:00:00',
  '2024-01-01T00:00Z',
  '2024-01-01 00:00:00 UTC',
  '2024-01-01 00:00:00+00',
  '2024-01-01T05:30:00+05:30',
  '2023-12-31T19:00:00.000-0500',
  '2024/01/01',
  'Mon, 01 Jan 2024 00:00:00 GMT',
  'Jan 01, 2024',
  'January 1, 2024',
  '1 January 2024',
  '1704067200',
  '1704067200.0',
  '1704067200000',
])('%s is the start of 2024', (text) => {
  expect(readTime(text)).toBe(MIDNIGHT);
});

it.each([
  '01/02/2024',
  '1.2.2024',
  '01-02-2024',
  '2024-1-1',
  '2024-02-30',
  '2024-01-01 24:00:00',
  '2024-01-01 25:00',
  '2024-01-01T00:00:00+15:00',
  '2024-01-01T00:00:00+05:60',
  '2024-W01-1',
  '2024-01-01 00:00:00 PST',
  '20240101',
  'Feb 30, 2024',
  '0',
  '-1',
  '',
])('%j is not a time that can be read in one way', (text) => {
  expect(readTime(text)).toBeUndefined();
});

it('reads each time that the service writes, with any offset', () => {
  const instant = fc
    .integer({ min: Date.UTC(2009, 0), max: Date.UTC(2100, 0) })
    .map((ms) => Math.floor(ms / 1000) * 1000);
  const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
  fc.assert(
    fc.property(instant, offset, (at, minutes) => {
      expect(readTime(spreadsheetTime(at))).toBe(at);
      expect(readTime(httpDate(at))).toBe(at);
      expect(readTime(new Date(at).toISOString())).toBe(at);
      expect(readTime(String(at / 1000))).toBe(at);
      const [sign, ahead] = [minutes < 0 ? '-' : '+', Math.abs(minutes)];
      const two = (value: number) => String(value).padStart(2, '0');
      const zone = `${sign}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
      expect(readTime(new Date(at + minutes * MINUTE).toISOString().replace('Z', zone))).toBe(at);
    }),
  );
});

it.each([
  ['1234.56', 1234.56, 1234.56],
  ['1,234.56', 1234.56, 1234.56],
  ['1.234,56', 1234.56, 1234.56],
  ['1234,56', 1234.56, 1234.56],
  ['$1,234.56', 1234.56, 1234.56],
  ['1 234,56', 1234.56, 1234.56],
  ['1\u202F234.56', 1234.56, 1234.56],
  ["1'234.56", 1234.56, 1234.56],
  ['1,234,567', 1_234_567, 1_234_567],
  ['1.234.567', 1_234_567, 1_234_567],
  ['0,123', 0.123, 0.123],
  ['1e-7', 1e-7, 1e-7],
  ['8.2E+11', 8.2e11, 8.2e11],
  ['1.234', 1.234, 'ambiguous'],
  ['1,234', 'ambiguous', 1.234],
  ['12,34.5', undefined, undefined],
  ['1,23,456', undefined, undefined],
  ['€1', undefined, undefined],
  ['0x10', undefined, undefined],
  ['1e', undefined, undefined],
  ['.', undefined, undefined],
  ['', undefined, undefined],
])('%j is %j with a decimal point, and %j with a decimal comma', (text, withPoint, withComma) => {
  expect([readNumbers([text], '.'), readNumbers([text], ',')]).toEqual([[withPoint], [withComma]]);
});

it('a number of the same row shows which mark separates thousands', () => {
  expect(readNumbers(['42,265', '8,123.5'], '.')).toEqual([42_265, 8123.5]);
  expect(readNumbers(['42,265', '1,234,567'], '.')).toEqual([42_265, 1_234_567]);
  expect(readNumbers(['42.265', '8.123,5'], ',')).toEqual([42_265, 8123.5]);
  expect(readNumbers(['42.265', '8.123,5'], '.')).toEqual([42_265, 8123.5]);
});

it('reads every number that an English or a German spreadsheet writes with a fraction of two digits', () => {
  const cents = fc.integer({ min: 0, max: 1e14 }).map((value) => value / 100);
  fc.assert(
    fc.property(cents, fc.constantFrom('.', ',' as const), (value, decimal) => {
      const expected = [Number(value.toFixed(2))];
      for (const locale of ['en-US', 'de-DE'])
        for (const useGrouping of [true, false]) {
          const text = value.toLocaleString(locale, {
            useGrouping,
            minimumFractionDigits: 2,
            maximumFractionDigits: 2,
          });
          expect(readNumbers([text], decimal as '.' | ',')).toEqual(expected);
        }
    }),
  );
});
