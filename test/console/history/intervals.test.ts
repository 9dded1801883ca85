import { describe, expect, it } from 'vitest';
import {
  candleReach,
  defaultInterval,
  earliestDate,
  intervalFault,
  intervalFor,
  possibleIntervals,
  type Ranged,
  rangeFault,
} from '#console/history/intervals';

const NOW = Date.parse('2026-03-15T12:34:00Z');
const TOKEN = {
  available: {
    prices: { minute: '2026-03-14', hour: '2025-03-15', day: '2013-04-28' },
    candles: { minute: '2026-03-13', hour: '2026-02-13', day: '2024-03-27' },
  },
};
const custom = (from: string, thru: string, metric: Ranged['metric'] = 'prices'): Ranged => ({
  range: 'custom',
  from,
  thru,
  metric,
});
const last = (range: Ranged['range'], metric: Ranged['metric'] = 'prices'): Ranged => ({
  range,
  from: '',
  thru: '',
  metric,
});

describe('the default interval', () => {
  it.each([
    [custom('2026-03-14', '2026-03-14'), 'hourly'],
    [custom('2026-03-06', '2026-03-15'), 'hourly'],
    [custom('2026-03-05', '2026-03-15'), 'daily'],
    [last('1'), 'minute'],
    [last('7'), 'hourly'],
    [last('30'), 'daily'],
    [last('36500'), 'daily'],
  ] as const)('of %o is %s', (view, interval) => {
    expect(defaultInterval(view)).toBe(interval);
    expect(intervalFor(view, undefined, TOKEN, NOW)).toBe(interval);
  });

  it.each(['prices', 'candles'] as const)('of a day without hourly %s is daily', (metric) => {
    const long = custom('2024-06-01', '2024-06-01', metric);
    expect([defaultInterval(long), intervalFor(long, undefined, TOKEN, NOW)]).toEqual(['hourly', 'daily']);
    expect(possibleIntervals(long, TOKEN, NOW)).toEqual(['daily']);
  });
});

describe('the possible intervals', () => {
  it.each([
    [last('1'), ['minute', 'hourly']],
    [last('7'), ['hourly', 'daily']],
    [last('30'), ['hourly', 'daily']],
    [last('90'), ['hourly', 'daily']],
    [last('365'), ['daily']],
    [last('36500'), ['daily']],
    [last('1', 'candles'), ['minute', '15m', '30m', 'hourly', '4h']],
    [last('7', 'candles'), ['hourly', '4h', 'daily']],
    [last('30', 'candles'), ['hourly', '4h', 'daily', 'weekly']],
    [last('90', 'candles'), ['daily', 'weekly']],
    [last('365', 'candles'), ['daily', 'weekly']],
    [custom('2026-03-15', '2026-03-15'), ['minute', 'hourly']],
    [custom('2026-03-13', '2026-03-13'), ['hourly']],
    [custom('2026-03-13', '2026-03-14', 'candles'), ['minute', '15m', '30m', 'hourly', '4h', 'daily']],
    [custom('2026-03-12', '2026-03-13', 'candles'), ['hourly', '4h', 'daily']],
    [custom('2026-03-12', '2026-03-14', 'candles'), ['minute', '15m', '30m', 'hourly', '4h', 'daily']],
    [custom('2026-02-12', '2026-02-14', 'candles'), ['hourly', '4h', 'daily']],
    [custom('2026-02-11', '2026-02-14', 'candles'), ['daily']],
    [custom('2025-12-14', '2026-03-15'), ['hourly', 'daily']],
    [custom('2025-12-13', '2026-03-15'), ['daily']],
  ] as const)('of %o are %o', (view, intervals) => {
    expect(possibleIntervals(view, TOKEN, NOW)).toEqual(intervals);
  });

  it('include the default interval of a range of days, even if no dates are known', () => {
    const token = { available: { ...TOKEN.available, candles: null } };
    expect(possibleIntervals(last('1', 'candles'), token, NOW)).toEqual(['minute']);
    expect(possibleIntervals(custom('2026-03-15', '2026-03-15', 'candles'), token, NOW)).toEqual(['daily']);
  });
});

it('keeps the chosen interval if it is possible', () => {
  expect(intervalFor(last('30'), 'hourly', TOKEN, NOW)).toBe('hourly');
  expect(intervalFor(last('365'), 'hourly', TOKEN, NOW)).toBe('daily');
  expect(intervalFor(last('7'), 'minute', TOKEN, NOW)).toBe('hourly');
  expect(intervalFor(last('7', 'candles'), '4h', TOKEN, NOW)).toBe('4h');
  expect(intervalFor(last('7', 'prices'), '4h', TOKEN, NOW)).toBe('hourly');
});

it('returns the earliest date of prices and of candles', () => {
  expect([earliestDate('prices', TOKEN), earliestDate('market_cap', TOKEN)]).toEqual(['2013-04-28', '2013-04-28']);
  expect(earliestDate('candles', TOKEN)).toBe('2024-03-27');
  expect(earliestDate('candles', { available: { ...TOKEN.available, candles: null } })).toBeUndefined();
});

it.each([
  ['4h', last('7'), 'Only candles have this interval. Select Candles.'],
  ['daily', last('1'), 'The time range is too short for this interval. Select a longer one.'],
  ['minute', last('30'), 'This interval is available from Mar 14, 2026. Select a shorter time range.'],
  ['hourly', last('365'), 'This interval is available for up to 92 days. Select a shorter time range.'],
  ['hourly', last('90', 'candles'), 'This interval is available from Feb 13, 2026. Select a shorter time range.'],
  ['15m', last('90', 'candles'), 'This interval is available from Mar 13, 2026. Select a shorter time range.'],
  ['30m', last('90', 'candles'), 'This interval is available from Mar 13, 2026. Select a shorter time range.'],
  [
    'hourly',
    custom('2026-02-01', '2026-02-03', 'candles'),
    'This interval is available from Feb 13, 2026. Select a later time range.',
  ],
  ['hourly', last('7', 'candles'), ''],
] as const)('states why the interval %s is not possible for %o: %s', (interval, view, fault) => {
  expect(intervalFault(view, interval, TOKEN, NOW)).toBe(fault);
});

it('states which ranges have no candles, and how far back candles go', () => {
  const candles = { minute: null, hour: null, day: '2024-03-27' };
  const token = { available: { ...TOKEN.available, candles } };
  expect(rangeFault(last('1', 'candles'), token, NOW)).toBe(
    'No candles are available for this time range. Select a longer one.',
  );
  expect(rangeFault(last('30', 'candles'), token, NOW)).toBe('');
  expect(rangeFault(last('1'), token, NOW)).toBe('');
  expect(candleReach(token, NOW)).toBe('Candles go back 718 days (daily).');
  expect(candleReach(TOKEN, NOW)).toBe('Candles go back 718 days (daily), 30 days (hourly), 2 days (minute).');
  expect(candleReach({ available: { ...TOKEN.available, candles: null } }, NOW)).toBe('');
});
