import { describe, expect, it } from 'vitest';
import type { HistoryView } from '#console/history/chart-choice';
import { changeInWords, readingOf } from '#console/history/readout';
import { DAY, HOUR, MINUTE } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const point = (ago: number, price: number) => ({ date: new Date(NOW - ago), price });

function viewOf(parts: Partial<HistoryView>): HistoryView {
  return {
    token: 'bitcoin',
    currency: 'usd',
    metric: 'prices',
    range: '30',
    scale: 'linear',
    compare: [],
    mode: 'indexed',
    interval: 'daily',
    listed: '2013-04-28',
    from: '2026-01-01',
    thru: '2026-02-01',
    ...parts,
  };
}

const changeOf = (parts: Partial<HistoryView>, points: { date: Date; price: number }[], reported?: number | null) =>
  changeInWords({ view: viewOf(parts), points, candles: undefined }, reported);

it.each([
  [{}, 'Last point, Mar 15'],
  [{ interval: 'hourly' }, 'Last point, 12:00 PM'],
  [{ metric: 'total_volume' }, ''],
] as const)('the label of the last value of %j is "%s"', (parts, label) => {
  const drawn = { view: viewOf(parts), points: [point(DAY, 90), point(0, 102)], candles: undefined };
  expect(readingOf(drawn, { index: undefined, last: 1 }, 'btc', null).label).toBe(label);
  expect(readingOf(drawn, { index: 0, last: 1 }, 'btc', null).label).toBe('');
});

describe('the change over a range', () => {
  const month = [point(29.5 * DAY, 100), point(DAY, 90), point(0, 102)];

  it('names the range', () => {
    expect(changeOf({}, month)).toBe('+2.00% in 30 days');
    expect(changeOf({ metric: 'market_cap' }, month)).toBe('+2.00% in 30 days');
    expect(changeOf({ range: 'custom' }, month)).toBe('+2.00% from Feb 14, 2026 to Mar 15, 2026');
    const day = [point(2 * HOUR, 100), point(0, 102)];
    expect(changeOf({ range: 'custom' }, day)).toBe('+2.00% on Mar 15, 2026');
  });

  it('names the first point if the data begins later', () => {
    expect(changeOf({ range: '365' }, month)).toBe('+2.00% since Feb 14, 2026');
    expect(changeOf({ range: '36500' }, month)).toBe('+2.00% since Feb 14, 2026');
  });

  it('is omitted if it is unknown', () => {
    expect(changeOf({ metric: 'total_volume' }, month)).toBe('');
    expect(changeOf({}, [])).toBe('');
    expect(changeOf({}, [point(0, 1)])).toBe('last 30 days');
    expect(changeOf({}, [point(29.5 * DAY, 0), point(0, 1)])).toBe('last 30 days');
  });

  it('of candles starts at the first opening price', () => {
    const candles = month.map(({ date, price }) => ({
      date,
      open: price / 2,
      high: price,
      low: 1,
      close: price,
      volume: 1,
    }));
    const view = { metric: 'candles', range: '30', currency: 'usd' } as HistoryView;
    expect(changeInWords({ view, points: month, candles }, 1)).toBe('+104.00% in 30 days');
  });
});

describe('the 24-hour change', () => {
  const day = [point(DAY + 20 * MINUTE, 50), point(DAY - 2 * MINUTE, 100), point(HOUR, 90), point(0, 101)];

  it('equals the change in the price table', () => {
    expect(changeOf({ range: '1' }, day, 1.5)).toBe('+1.50% in 24h');
    expect(changeOf({ range: '1', metric: 'candles' }, day, -0.25)).toBe('−0.25% in 24h');
    expect(changeOf({ range: '1', currency: 'eur' }, day, 1.5)).toBe('+1.50% in 24h, based on the price in US dollars');
  });

  it('otherwise compares with the sample nearest to 24 hours ago', () => {
    expect(changeOf({ range: '1' }, day)).toBe('+1.00% in 24h');
    expect(changeOf({ range: '1' }, day, null)).toBe('+1.00% in 24h');
    expect(changeOf({ range: '1', metric: 'market_cap' }, day, 7)).toBe('+1.00% in 24h');
  });

  it('is not available without a sample within half an hour of that time', () => {
    expect(changeOf({ range: '1' }, [point(DAY - HOUR, 100), point(0, 101)])).toBe('24h change not available');
    expect(changeOf({ range: '1' }, [point(0, 101)])).toBe('24h change not available');
    expect(changeOf({ range: '1' }, [point(DAY, 0), point(0, 101)])).toBe('24h change not available');
  });
});
