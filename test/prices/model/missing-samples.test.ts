import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, type Span, startOfDate, subtractSpans } from '#core/clock';
import { CANDLES, candleLength } from '#prices/model/candle';
import { INTERVALS, isGap } from '#prices/model/interval';
import { missingCandles, missingPoints, missingSamples } from '#prices/model/missing-samples';
import { createSeries, POINTS } from '#prices/model/series';

const START = Date.parse('2026-05-01T00:00:00Z');
const WEEK: Span = { from: START, thru: START + 7 * DAY - 1 };
const SPACING = { minute: 5 * MINUTE, hour: HOUR, day: DAY } as const;
const interval = fc.constantFrom(...INTERVALS);
const length = ({ from, thru }: Span) => thru - from + 1;
const sum = (spans: readonly Span[]) => spans.reduce((total, span) => total + length(span), 0);

const regular = (every: number, span = WEEK) =>
  Array.from({ length: Math.ceil(length(span) / every) }, (_, i) => span.from + i * every);

describe('no sample is missing', () => {
  test.each(INTERVALS)('from a regular series (%s)', (one) => {
    expect(missingSamples(one, WEEK, regular(SPACING[one]))).toEqual([]);
  });

  test('between samples as far apart as in recorded responses', () => {
    const apart = (ms: number) => regular(ms, { from: START, thru: START + 10 * ms });
    const spanOf = (ms: number) => ({ from: START, thru: START + 10 * ms });
    expect(missingSamples('minute', spanOf(527_000), apart(527_000))).toEqual([]);
    expect(missingSamples('hour', spanOf(6_682_000), apart(6_682_000))).toEqual([]);
  });

  test('in a span without room for one', () => {
    expect(missingSamples('day', { from: START + 1, thru: START + DAY - 1 }, [])).toEqual([]);
    expect(missingSamples('hour', { from: START, thru: START + HOUR - 2 }, [])).toEqual([]);
    expect(missingSamples('minute', { from: START + 1, thru: START }, [])).toEqual([]);
  });
});

test('every omitted day, hour and run of five-minute samples is missing, and no other time', () => {
  const omitted = fc.record({ interval, first: fc.integer({ min: 1, max: 5 }), count: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(omitted, ({ interval: one, first, count }) => {
      const every = SPACING[one];
      // A single five-minute sample is not missed: recorded distances vary by as much.
      const run = one === 'minute' ? count + 1 : count;
      const span = { from: START, thru: START + 20 * every - 1 };
      const gone = { from: START + first * every, thru: START + (first + run) * every - 1 };
      const times = regular(every, span).filter((at) => at < gone.from || at > gone.thru);
      expect(missingSamples(one, span, times)).toEqual([
        one === 'minute' ? { from: gone.from, thru: gone.thru - 5 * MINUTE } : gone,
      ]);
    }),
  );
});

test('missing spans lie within the span, are disjoint gaps, and contain no sample', () => {
  const times = fc.uniqueArray(fc.integer({ min: -DAY, max: 8 * DAY }), { maxLength: 40 });
  fc.assert(
    fc.property(interval, times, fc.nat(DAY), (one, drawn, late) => {
      const at = drawn.map((ms) => START + ms).sort((a, b) => a - b);
      const span = { from: WEEK.from + late, thru: WEEK.thru - late };
      const missing = missingSamples(one, span, at);
      expect(subtractSpans(span, missing).reduce((total, rest) => total + length(rest), 0)).toBe(
        length(span) - sum(missing),
      );
      for (const gap of missing) {
        expect(isGap(one, gap)).toBe(true);
        expect(at.filter((time) => gap.from <= time && time <= gap.thru)).toEqual([]);
      }
      if (one !== 'day') return;
      // Each date is missing, or has a sample.
      for (let date = startOfDate(span.from + DAY - 1); date <= span.thru; date += DAY) {
        const isMissing = missing.some(({ from, thru }) => from <= date && date <= thru);
        const last = Math.min(span.thru, date + DAY - 1);
        expect(isMissing).toBe(!at.some((time) => date <= time && time <= last));
      }
    }),
  );
});

test('for a source, samples of less preferred sources and samples without a price are missing', () => {
  const points = createSeries(POINTS, [
    { at: START, price: 1, marketCap: null, volume: null, source: 'coingecko' },
    { at: START + DAY, price: 1, marketCap: null, volume: null, source: 'kraken' },
    { at: START + 2 * DAY, price: null, marketCap: 1, volume: null, source: 'coingecko' },
    { at: START + 3 * DAY, price: 1, marketCap: null, volume: null, source: 'coingecko' },
  ]);
  const span = { from: START, thru: START + 4 * DAY - 1 };
  const [second, third] = [1, 2].map((day) => ({ from: START + day * DAY, thru: START + (day + 1) * DAY - 1 }));
  expect(missingPoints('day', span, points)).toEqual([third]);
  expect(missingPoints('day', span, points, 'kraken')).toEqual([third]);
  expect(missingPoints('day', span, points, 'coingecko')).toEqual([{ from: second?.from, thru: third?.thru }]);
});

test('candles are missing after the first one of a series', () => {
  fc.assert(
    fc.property(interval, fc.uniqueArray(fc.nat(20)), (one, places) => {
      const every = candleLength(one);
      const kept = places.sort((a, b) => a - b);
      const candle = { open: 1, high: 1, low: 1, close: 1, volume: 0, final: true };
      const series = createSeries(
        CANDLES,
        kept.map((place) => ({ at: START + place * every, ...candle })),
      );
      const span = { from: START, thru: START + 21 * every - 1 };
      const missing = missingCandles(one, span, series);
      const isMissing = (place: number) =>
        missing.some(({ from, thru }) => from <= START + place * every && START + (place + 1) * every - 1 <= thru);
      const expected = Array.from({ length: 21 }, (_, place) => place > (kept[0] ?? 21) && !kept.includes(place));
      expect(expected.map((_, place) => isMissing(place))).toEqual(expected);
    }),
  );
});
