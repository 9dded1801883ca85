import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { combineCandles } from '#prices/candles/candles';
import {
  CANDLE_INTERVAL_NAMES,
  CANDLE_INTERVALS,
  CANDLES,
  candleLength,
  candleStart,
  candleWindow,
  finishedCandles,
  isStored,
  type StoredCandle,
  storedIntervalOf,
} from '#prices/model/candle';
import { columnsOf } from '#prices/model/series';

const START = Date.parse('2026-01-05T00:00:00Z');

const price = fc.double({ min: 0.01, max: 1e6, noNaN: true });
const figures = fc.record({
  prices: fc.tuple(price, price, price, price),
  volume: fc.integer({ min: 0, max: 1e6 }),
  final: fc.boolean(),
  isStored: fc.integer({ min: 0, max: 9 }).map((n) => n > 0),
});
type Figures = { prices: [number, number, number, number]; volume: number; final: boolean };

const candleAt = (at: number, { prices, volume, final }: Figures): StoredCandle => ({
  ...{ at, open: prices[0], close: prices[1], volume, final },
  high: Math.max(...prices),
  low: Math.min(...prices),
});

/** The obvious computation: filters the candles of each span. */
function expectedOf(candles: readonly StoredCandle[], from: number, length: number, count: number) {
  const inside = candles.filter(({ at }) => at >= from && at < from + length);
  if (inside.length < count) return undefined;
  return {
    at: from,
    open: inside[0]?.open,
    high: Math.max(...inside.map(({ high }) => high)),
    low: Math.min(...inside.map(({ low }) => low)),
    close: inside.at(-1)?.close,
    volume: inside.reduce((sum, one) => sum + one.volume, 0),
    final: inside.every(({ final }) => final) ? 1 : 0,
  };
}

describe('combined candles', () => {
  it('have the first open, the extreme prices, the last close and all trades of a complete span; others are gaps', () => {
    fc.assert(
      fc.property(
        fc.array(figures, { maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 7 }),
        (slots, count, shift) => {
          const [short, length] = [5 * MINUTE, count * 5 * MINUTE];
          const candles = slots.flatMap((slot, i) =>
            slot.isStored ? [candleAt(START + (i + shift) * short, slot)] : [],
          );
          const froms = Array.from({ length: Math.ceil(70 / count) }, (_, i) => START + i * length);
          const spans = froms.map((from) => ({ from, thru: from + length - 1 }));
          const { columns, gaps } = combineCandles(columnsOf(CANDLES, candles), spans, short);
          const expected = froms.map((from) => expectedOf(candles, from, length, count));
          const found = [...columns.at.keys()].map((i) =>
            Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[i]])),
          );
          expect(found).toEqual(expected.filter((one) => one !== undefined));
          expect(gaps).toEqual(spans.filter((_, i) => expected[i] === undefined));
        },
      ),
    );
  });

  it('of one stored candle each are the stored candles', () => {
    fc.assert(
      fc.property(fc.array(figures, { minLength: 1, maxLength: 20 }), (slots) => {
        const stored = columnsOf(
          CANDLES,
          slots.map((slot, i) => candleAt(START + i * DAY, slot)),
        );
        const spans = slots.map((_, i) => ({ from: START + i * DAY, thru: START + (i + 1) * DAY - 1 }));
        expect(combineCandles(stored, spans, DAY)).toEqual({ columns: stored, gaps: [] });
      }),
    );
  });
});

describe('each interval', () => {
  it.each(CANDLE_INTERVAL_NAMES)('%s is a multiple of a stored interval, and its candles fill the time', (name) => {
    const { length } = CANDLE_INTERVALS[name];
    expect(length % candleLength(storedIntervalOf(name))).toBe(0);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: START }), (at) => {
        const start = candleStart(name, at);
        expect(start).toBeLessThanOrEqual(at);
        expect(start + length).toBeGreaterThan(at);
        expect(candleStart(name, start + length)).toBe(start + length);
      }),
    );
  });

  it.each([
    ['minute', 'minute'],
    ['15m', 'minute'],
    ['30m', 'minute'],
    ['hourly', 'hour'],
    ['4h', 'hour'],
    ['daily', 'day'],
    ['weekly', 'day'],
  ] as const)('%s is read from %s', (name, stored) => {
    const window = candleWindow(name, START, START, START + 30 * DAY);
    expect(window).toMatchObject({ interval: stored, candles: name });
    expect(isStored(window)).toBe(['minute', 'hourly', 'daily'].includes(name));
  });

  it('weekly contains the weeks that start on a Monday between the dates, and no other', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 60 }), (first, days) => {
        const from = START + first * DAY;
        const window = candleWindow('weekly', from, from + days * DAY, START + 1000 * DAY);
        const found = [...finishedCandles(window, START + 1000 * DAY)].map((span) => span.from);
        const dates = Array.from({ length: days + 1 }, (_, i) => from + i * DAY);
        expect(found).toEqual(dates.filter((date) => new Date(date).getUTCDay() === 1));
      }),
    );
  });

  it('has only finished candles', () => {
    const now = START + 6 * DAY + 5 * MINUTE;
    const count = (name: (typeof CANDLE_INTERVAL_NAMES)[number]) =>
      [...finishedCandles(candleWindow(name, START, START + 20 * DAY, now), now)].length;
    expect(CANDLE_INTERVAL_NAMES.map(count)).toEqual([6 * 288 + 1, 6 * 96, 6 * 48, 6 * 24, 36, 6, 0]);
  });
});
