import { describe, expect, it } from 'vitest';
import type { Candle } from '#client/index';
import {
  drawnOf,
  gapsInView,
  type History,
  type HistoryView,
  historyCall,
  inView,
  isLog,
} from '#console/history/chart-choice';
import { defaultInterval } from '#console/history/intervals';
import { DAY, HOUR, MINUTE } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:34:00Z');
function view(parts: Partial<HistoryView> = {}): HistoryView {
  const dates = { range: '30', from: '2026-01-01', thru: '2026-02-01', ...parts } as const;
  return {
    token: 'bitcoin',
    currency: 'usd',
    metric: 'candles',
    scale: 'linear',
    listed: '2013-04-28',
    compare: [],
    mode: 'indexed',
    interval: defaultInterval(dates),
    ...dates,
  };
}
const candle = (at: number, close = 1): Candle => ({
  date: new Date(at),
  open: 1,
  high: 3,
  low: 0.5,
  close,
  volume: 7,
});

describe('candles', () => {
  it.each([
    ['1', 'fromDate=2026-03-14&thruDate=2026-03-15&interval=minute'],
    ['7', 'fromDate=2026-03-08&thruDate=2026-03-15&interval=hourly'],
    ['30', 'fromDate=2026-02-13&thruDate=2026-03-15&interval=daily'],
    ['36500', 'fromDate=2013-04-28&thruDate=2026-03-15&interval=daily'],
    ['custom', 'fromDate=2026-01-01&thruDate=2026-02-01&interval=daily'],
  ] as const)('of range %s have the interval of its points', (range, query) => {
    expect(historyCall(view({ range }), NOW).path).toBe(`/v1/prices/history/ohlc?tokenName=bitcoin&${query}`);
  });

  it('before the range are dropped, except the one in which the range begins', () => {
    const every = (length: number, from: number) =>
      Array.from({ length: Math.ceil((NOW - from) / length) }, (_, i) => candle(from + i * length));
    const firstOf = (history: History) => (Array.isArray(history) ? history[0]?.date : undefined);
    const minutes = inView(view({ range: '1' }), every(5 * MINUTE, Date.parse('2026-03-14')), NOW);
    expect(firstOf(minutes)).toEqual(new Date('2026-03-14T12:30:00Z'));
    const hours = inView(view({ range: '7' }), every(HOUR, Date.parse('2026-03-08')), NOW);
    expect(firstOf(hours)).toEqual(new Date('2026-03-08T12:00:00Z'));
    const days = inView(view(), every(DAY, Date.parse('2026-02-13')), NOW);
    expect(firstOf(days)).toEqual(new Date('2026-02-13'));
    expect(inView(view({ range: 'custom' }), [candle(0)], NOW)).toHaveLength(1);
  });

  it('of a range of days have no gap before their first one', () => {
    const before = { from: '2026-02-13T00:00:00Z', thru: '2026-02-13T13:00:00Z' };
    const within = { from: '2026-02-13T20:00:00Z', thru: '2026-02-13T21:00:00Z' };
    const long = { from: '2026-02-13T00:00:00Z', thru: '2026-02-15T13:00:00Z' };
    const gaps = [before, within, long];
    expect(gapsInView(view({ interval: 'hourly' }), gaps, NOW)).toEqual([within, long]);
    expect(gapsInView(view({ range: 'custom', interval: 'hourly' }), gaps, NOW)).toBe(gaps);
    expect(gapsInView(view({ interval: 'daily' }), gaps, NOW)).toBe(gaps);
  });

  it('are drawn with their closing prices as points', () => {
    const history = [candle(NOW - DAY, 2), candle(NOW, 3)];
    expect(drawnOf(view(), history).points.map(({ price }) => price)).toEqual([2, 3]);
    expect(drawnOf(view(), history).candles).toBe(history);
  });
});

describe('points', () => {
  it.each([
    [{ range: '7' }, '/v1/prices/history/days?tokenName=bitcoin&days=7'],
    [
      { range: '7', interval: 'daily' },
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-03-08&thruDate=2026-03-15',
    ],
    [
      { range: '30', interval: 'hourly' },
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-02-13&thruDate=2026-03-15&interval=hourly',
    ],
    [
      { range: 'custom', from: '2026-03-14', thru: '2026-03-14' },
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-03-14&thruDate=2026-03-14&interval=hourly',
    ],
    [
      { range: 'custom', from: '2026-03-14', thru: '2026-03-14', interval: 'minute' },
      '/v1/prices/history/date/range?tokenName=bitcoin&fromDate=2026-03-14&thruDate=2026-03-14&interval=minute',
    ],
  ] as const)('of %o are requested in their interval', (parts, path) => {
    expect(historyCall(view({ metric: 'prices', ...parts }), NOW).path).toBe(path);
  });

  it('before the range are dropped if dates were requested for a range of days', () => {
    const points = [-25, -24, -23].map((hours) => ({ date: new Date(NOW + hours * HOUR), price: 1 }));
    const series = { prices: points, market_cap: points, total_volume: [] };
    const hourly = view({ metric: 'prices', range: '1', interval: 'hourly' });
    // The hour in which the range begins is part of it.
    expect(inView(hourly, series, NOW)).toMatchObject({
      prices: points.slice(1),
      market_cap: points.slice(1),
      total_volume: [],
    });
    const minutes = view({ metric: 'prices', range: '1' });
    expect(inView(minutes, series, NOW)).toBe(series);
  });
});

it('includes the code of a currency other than US dollars in the request', () => {
  const paths = (['prices', 'candles'] as const).flatMap((metric) =>
    (['7', 'custom'] as const).map((range) => historyCall(view({ metric, range, currency: 'eur' }), NOW)),
  );
  for (const { path, method } of paths) {
    expect(path).toMatch(/&currency=eur$/);
    expect(method).toMatch(/, \{ currency: 'eur' \}\)$/);
  }
  expect(historyCall(view({ metric: 'prices' }), NOW).path).not.toContain('currency');
});

it('has a log scale, except for volumes, whose bars begin at zero', () => {
  const scales = (['prices', 'candles', 'market_cap', 'total_volume'] as const).map((metric) =>
    isLog(view({ metric, scale: 'log' })),
  );
  expect(scales).toEqual([true, true, true, false]);
  expect(isLog(view())).toBe(false);
});
