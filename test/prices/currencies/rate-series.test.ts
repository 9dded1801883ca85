import { expect, test } from 'vitest';
import { DAY, isoDate } from '#core/clock';
import { createRateSeries } from '#prices/currencies/rate-series';

const at = (date: string) => Date.parse(date);
const series = (dates: readonly string[], newest: string) =>
  createRateSeries(
    dates.map((date, i) => [at(date), i + 1] as const),
    at(newest),
  );

test.each([
  ['2025-12-24T13:00:00Z', 1, '2025-12-24'],
  // Christmas, and the weekend after it.
  ['2025-12-25', 1, '2025-12-24'],
  ['2025-12-28T23:59:59.999Z', 1, '2025-12-24'],
  ['2025-12-29', 2, '2025-12-29'],
  // Nothing was published since, so the last rate still applies.
  ['2026-03-01', 3, '2025-12-30'],
])('at %s, the last rate up to that date applies', (instant, rate, on) => {
  const rates = series(['2025-12-24', '2025-12-29', '2025-12-30'], '2025-12-30');
  expect(rates.at(at(instant))).toEqual({ rate, on: at(on) });
  expect(rates.endedOn).toBeUndefined();
});

test('there is no rate before the first one', () => {
  const rates = series(['2025-12-24'], '2025-12-24');
  expect(rates.at(at('2025-12-24') - 1)).toBeUndefined();
  expect(rates.known).toEqual([{ from: at('2025-12-24'), thru: Number.POSITIVE_INFINITY }]);
  expect(createRateSeries([], at('2025-12-24')).at(at('2025-12-24'))).toBeUndefined();
});

test('a currency that is missing from later publications is discontinued: its last rate applies only to its date', () => {
  const ended = series(['2025-12-30', '2025-12-31'], '2026-01-11');
  expect(isoDate(ended.endedOn ?? 0)).toBe('2025-12-31');
  expect(ended.at(at('2026-01-01') - 1)?.rate).toBe(2);
  expect(ended.at(at('2026-01-01'))).toBeUndefined();
  const late = series(['2025-12-30', '2025-12-31'], '2026-01-10');
  expect(late.endedOn).toBeUndefined();
  expect(late.at(at('2026-01-09'))?.rate).toBe(2);
});

test('there is no rate while a currency was not quoted for more than ten days', () => {
  const rates = series(['2008-12-08', '2008-12-09', '2018-02-01'], '2018-02-01');
  expect(rates.at(at('2008-12-09') + DAY - 1)?.rate).toBe(2);
  expect(rates.at(at('2008-12-10'))).toBeUndefined();
  expect(rates.at(at('2018-02-01'))?.rate).toBe(3);
  expect(rates.known).toEqual([
    { from: at('2008-12-08'), thru: at('2008-12-10') - 1 },
    { from: at('2018-02-01'), thru: Number.POSITIVE_INFINITY },
  ]);
  const short = series(['2026-01-02', '2026-01-12'], '2026-01-12');
  expect(short.at(at('2026-01-11'))?.rate).toBe(1);
});
