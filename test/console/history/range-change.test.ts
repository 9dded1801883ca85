import { describe, expect, it } from 'vitest';
import type { HistoryView } from '#console/history/chart-choice';
import { changeInWords } from '#console/history/gestures';
import { DAY, HOUR, MINUTE } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const point = (ago: number, price: number) => ({ date: new Date(NOW - ago), price });

function received(parts: Partial<HistoryView>, points: { date: Date; price: number }[], board?: number | null): string {
  const view: HistoryView = {
    ...{
      token: 'bitcoin',
      currency: 'usd',
      metric: 'prices',
      range: '30',
      scale: 'linear',
      interval: 'daily',
    },
    ...{ listed: '2013-04-28', from: '2026-01-01', thru: '2026-02-01', ...parts },
  };
  return changeInWords({ view, points, candles: undefined }, board);
}

describe('the change over a range', () => {
  const month = [point(29.5 * DAY, 100), point(DAY, 90), point(0, 102)];

  it('names the range', () => {
    expect(received({}, month)).toBe('+2.00% in 30 days');
    expect(received({ metric: 'market_cap' }, month)).toBe('+2.00% in 30 days');
    expect(received({ range: 'custom' }, month)).toBe('+2.00% from 14 Feb 2026 to 15 Mar 2026');
    const day = [point(2 * HOUR, 100), point(0, 102)];
    expect(received({ range: 'custom' }, day)).toBe('+2.00% on 15 Mar 2026');
  });

  it('names the first point where the data begin later', () => {
    expect(received({ range: '365' }, month)).toBe('+2.00% since 14 Feb 2026');
    expect(received({ range: '36500' }, month)).toBe('+2.00% since 14 Feb 2026');
  });

  it('is left out where there is none', () => {
    expect(received({ metric: 'total_volume' }, month)).toBe('');
    expect(received({}, [])).toBe('');
    expect(received({}, [point(0, 1)])).toBe('last 30 days');
    expect(received({}, [point(29.5 * DAY, 0), point(0, 1)])).toBe('last 30 days');
  });

  it('of candles begins with the first one at its opening', () => {
    const candles = month.map(({ date, price }) => ({
      ...{ date, open: price / 2, high: price, low: 1 },
      ...{ close: price, volume: 1 },
    }));
    const view = { metric: 'candles', range: '30', currency: 'usd' } as HistoryView;
    expect(changeInWords({ view, points: month, candles }, 1)).toBe('+104.00% in 30 days');
  });
});

describe('the change of a day', () => {
  const day = [point(DAY + 20 * MINUTE, 50), point(DAY - 2 * MINUTE, 100), point(HOUR, 90), point(0, 101)];

  it('is the one on the price board', () => {
    expect(received({ range: '1' }, day, 1.5)).toBe('+1.50% in 24h');
    expect(received({ range: '1', metric: 'candles' }, day, -0.25)).toBe('−0.25% in 24h');
    expect(received({ range: '1', currency: 'eur' }, day, 1.5)).toBe('+1.50% in 24h, based on the price in US dollars');
  });

  it('is else that since the sample nearest to 24 hours ago, as the board has it', () => {
    expect(received({ range: '1' }, day)).toBe('+1.00% in 24h');
    expect(received({ range: '1' }, day, null)).toBe('+1.00% in 24h');
    expect(received({ range: '1', metric: 'market_cap' }, day, 7)).toBe('+1.00% in 24h');
  });

  it('is not known where no sample is within half an hour of that', () => {
    expect(received({ range: '1' }, [point(DAY - HOUR, 100), point(0, 101)])).toBe('24h change not available');
    expect(received({ range: '1' }, [point(0, 101)])).toBe('24h change not available');
    expect(received({ range: '1' }, [point(DAY, 0), point(0, 101)])).toBe('24h change not available');
  });
});
