import { describe, expect, it } from 'vitest';
import type { Candle } from '#client/index';
import { candlesIn, drawnOf, type HistoryView, historyCall, isLog } from '#console/history/chart-choice';
import { DAY, HOUR, MINUTE } from '#core/clock';

const NOW = Date.parse('2026-03-15T12:34:00Z');
const view = (parts: Partial<HistoryView> = {}): HistoryView => ({
  ...{ token: 'bitcoin', currency: 'usd', metric: 'candles', range: '30', scale: 'linear' },
  ...{ listed: '2013-04-28', from: '2026-01-01', thru: '2026-02-01', ...parts },
});
const candle = (at: number, close = 1): Candle => ({
  ...{ date: new Date(at), open: 1, high: 3, low: 0.5 },
  ...{ close, volume: 7 },
});

describe('candles', () => {
  it.each([
    ['1', 'fromDate=2026-03-14&thruDate=2026-03-15&interval=minute'],
    ['7', 'fromDate=2026-03-08&thruDate=2026-03-15&interval=hourly'],
    ['30', 'fromDate=2026-02-13&thruDate=2026-03-15&interval=daily'],
    ['36500', 'fromDate=2013-04-28&thruDate=2026-03-15&interval=daily'],
    ['custom', 'fromDate=2026-01-01&thruDate=2026-02-01&interval=daily'],
  ] as const)('of %s are as fine as its points', (range, query) => {
    expect(historyCall(view({ range }), NOW).path).toBe(`/v1/prices/history/ohlc?tokenName=bitcoin&${query}`);
  });

  it('of the midnight before a range are left out, but for the one in which it begins', () => {
    const every = (length: number, from: number) =>
      Array.from({ length: Math.ceil((NOW - from) / length) }, (_, i) => candle(from + i * length));
    const minutes = candlesIn(view({ range: '1' }), every(5 * MINUTE, Date.parse('2026-03-14')), NOW);
    expect(minutes[0]?.date).toEqual(new Date('2026-03-14T12:30:00Z'));
    const hours = candlesIn(view({ range: '7' }), every(HOUR, Date.parse('2026-03-08')), NOW);
    expect(hours[0]?.date).toEqual(new Date('2026-03-08T12:00:00Z'));
    const days = candlesIn(view(), every(DAY, Date.parse('2026-02-13')), NOW);
    expect(days[0]?.date).toEqual(new Date('2026-02-13'));
    expect(candlesIn(view({ range: 'custom' }), [candle(0)], NOW)).toHaveLength(1);
  });

  it('are drawn with their last prices as points', () => {
    const history = [candle(NOW - DAY, 2), candle(NOW, 3)];
    expect(drawnOf(view(), history).points.map(({ price }) => price)).toEqual([2, 3]);
    expect(drawnOf(view(), history).candles).toBe(history);
  });
});

it.each([
  ['2026-03-14', '2026-03-14', 'hourly'],
  ['2026-03-06', '2026-03-15', 'hourly'],
  ['2026-03-05', '2026-03-15', undefined],
  ['2026-02-13', '2026-02-20', undefined],
])('a few dates that are not long past are shown in hours: %s to %s', (from, thru, interval) => {
  const { path, method } = historyCall(view({ metric: 'prices', range: 'custom', from, thru }), NOW);
  expect(new URL(path, 'http://localhost').searchParams.get('interval') ?? undefined).toBe(interval);
  expect(method.includes("interval: 'hourly'")).toBe(interval === 'hourly');
});

it('asks for another currency than dollars by its code', () => {
  const paths = (['prices', 'candles'] as const).flatMap((metric) =>
    (['7', 'custom'] as const).map((range) => historyCall(view({ metric, range, currency: 'eur' }), NOW)),
  );
  for (const { path, method } of paths) {
    expect(path).toMatch(/&currency=eur$/);
    expect(method).toMatch(/, \{ currency: 'eur' \}\)$/);
  }
  expect(historyCall(view({ metric: 'prices' }), NOW).path).not.toContain('currency');
});

it('has a log scale but for volumes, whose bars begin at zero', () => {
  const scales = (['prices', 'candles', 'market_cap', 'total_volume'] as const).map((metric) =>
    isLog(view({ metric, scale: 'log' })),
  );
  expect(scales).toEqual([true, true, true, false]);
  expect(isLog(view())).toBe(false);
});
