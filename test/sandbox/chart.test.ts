import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { type ChartInterval, chartInterval, chartOf, sampleTimes } from '#sandbox/chart';
import { listingOf } from '../../fixtures/tokens.ts';

const now = Date.parse('2026-05-15T14:42:25.300Z');
const back = (days: number, to = now) => ({ from: to - days * DAY, to });
const gaps = (times: number[]) => times.slice(1).map((t, n) => t - (times[n] ?? 0));

describe('the interval of a window', () => {
  test.each<[string, { from: number; to: number }, string | null, ChartInterval]>([
    ['one day up to now', back(1), null, 'minute'],
    ['two days', back(2), null, 'hour'],
    ['ninety days', back(90), null, 'hour'],
    ['ninety-one days', back(91), null, 'day'],
    ['one day in the past', back(1, now - 3 * DAY), null, 'hour'],
    ['ninety-one days in the past', back(91, now - 3 * DAY), null, 'day'],
    ['one day, daily', back(1), 'daily', 'day'],
    ['an unknown interval', back(1), 'weekly', 'minute'],
  ])('%s', (_name, window, requested, expected) => {
    expect(chartInterval(window, now, requested)).toBe(expected);
  });
});

describe('sample times', () => {
  test('five-minute samples are jittered', () => {
    const times = sampleTimes(1, 'bitcoin', 'minute', back(1), now);
    expect([287, 288, 289]).toContain(times.length);
    expect(times.filter((t) => t % SECOND === 0).length).toBeLessThan(10);
    expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(110 * SECOND);
    expect(Math.max(...gaps(times))).toBeLessThanOrEqual(490 * SECOND);
  });

  test('hourly samples are jittered, one per hour', () => {
    const times = sampleTimes(1, 'bitcoin', 'hour', back(30), now);
    expect([719, 720, 721]).toContain(times.length);
    expect(new Set(times.map((t) => Math.floor(t / HOUR))).size).toBe(times.length);
    expect(Math.min(...gaps(times))).toBeGreaterThanOrEqual(700 * SECOND);
    expect(Math.max(...gaps(times))).toBeLessThanOrEqual(6440 * SECOND);
  });

  test('daily samples are at midnight, ninety in ninety days', () => {
    const times = sampleTimes(1, 'bitcoin', 'day', back(90), now);
    expect(times).toHaveLength(90);
    expect(times.every((t) => t % DAY === 0)).toBe(true);
  });

  test("today's midnight is published at 00:35", () => {
    const midnight = Date.parse('2026-05-15');
    const newest = (at: number) => sampleTimes(1, 'bitcoin', 'day', back(5, at), at).at(-1);
    expect(newest(midnight + 35 * MINUTE - 1)).toBe(midnight - DAY);
    expect(newest(midnight + 35 * MINUTE)).toBe(midnight);
  });

  test('no sample is before the listing', () => {
    const listed = listingOf('solana');
    for (const interval of ['minute', 'hour', 'day'] as const) {
      const times = sampleTimes(1, 'solana', interval, { from: 0, to: listed + DAY }, now);
      expect(times[0]).toBeGreaterThanOrEqual(listed);
      expect(times[0]).toBeLessThan(listed + HOUR);
    }
  });
});

test('a sample has the same time and values in every response', () => {
  const grains = fc.constantFrom<ChartInterval>('minute', 'hour', 'day');
  const spans = fc.integer({ min: 0, max: 3 * DAY });
  fc.assert(
    fc.property(
      ...[fc.integer(), fc.constantFrom(...BUILT_IN_NAMES), grains, spans, spans],
      (seed, token, interval, earlier, later) => {
        const first = chartOf(seed, token, interval, back(2), now);
        const again = { from: now - 2 * DAY - earlier, to: now + later };
        const second = chartOf(seed, token, interval, again, again.to);
        for (const column of ['prices', 'market_caps', 'total_volumes'] as const) {
          const known = new Map(second[column]);
          // All samples except the last one, which is the current one.
          for (const [at, value] of first[column].slice(0, -1)) expect(known.get(at)).toBe(value);
        }
      },
    ),
    { numRuns: 30 },
  );
});

describe('the last sample', () => {
  test('is the current one, to the second', () => {
    for (const interval of ['minute', 'hour', 'day'] as const) {
      const { prices, market_caps, total_volumes } = chartOf(1, 'ethereum', interval, back(2), now);
      expect(prices.at(-1)?.[0]).toBe(Date.parse('2026-05-15T14:42:25Z'));
      expect(market_caps.map(([at]) => at)).toEqual(prices.map(([at]) => at));
      expect(total_volumes.map(([at]) => at)).toEqual(prices.map(([at]) => at));
    }
  });

  test('can be before the previous sample', () => {
    const slot = sampleTimes(1, 'bitcoin', 'minute', back(1), now).at(-1) ?? 0;
    expect(slot % SECOND).toBeGreaterThan(0);
    const times = chartOf(1, 'bitcoin', 'minute', back(1, slot), slot).prices.map(([at]) => at);
    expect(times.slice(-2)).toEqual([slot, Math.floor(slot / SECOND) * SECOND]);
  });

  test('is omitted from a window in the past', () => {
    const { prices } = chartOf(1, 'bitcoin', 'hour', back(1, now - DAY), now);
    expect(prices.at(-1)?.[0]).toBeLessThanOrEqual(now - DAY);
  });
});

test('the daily series has the gaps of the real one', () => {
  const daily = (token: 'bitcoin' | 'ethereum' | 'usd-coin', from: string, to: string) =>
    chartOf(1, token, 'day', { from: Date.parse(from), to: Date.parse(to) }, now);
  expect(daily('bitcoin', '2017-04-02', '2017-04-02').market_caps[0]?.[1]).toBeNull();
  const days = daily('ethereum', '2015-08-07', '2015-08-10').prices.map(([at]) => new Date(at).getUTCDate());
  expect(days).toEqual([7, 8, 10]);
  const caps = daily('usd-coin', '2018-10-05', '2018-10-18').market_caps.map(([, cap]) => cap === 0);
  expect(caps).toEqual([...Array(12).fill(true), false, false]);
});
