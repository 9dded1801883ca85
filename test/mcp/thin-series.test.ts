import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { inBuckets, intervalToRead, MAX_POINTS, noteOf } from '#mcp/thin-series';
import { isoTime, table } from '#mcp/tool-response';
import { CANDLE_INTERVALS } from '#prices/model/candle';

const START = Date.parse('2015-01-01T00:00:00Z');
const READABLE = ['minute', 'hourly', 'daily'] as const;

/** The window of a series that starts at START. */
const spanOf = (days: number) => ({ from: START, thru: START + days * DAY - 1 });

/** Reads a series with a row at each slot of the window. Returns the times of the rows that are shown. */
function seriesOf(days: number, requested: 'minute' | 'hourly' | 'daily') {
  const read = intervalToRead(READABLE, requested, () => spanOf(days));
  const spacing = CANDLE_INTERVALS[read].length;
  const times = Array.from({ length: (days * DAY) / spacing }, (_, i) => START + i * spacing);
  const { interval, starts } = inBuckets(times, read);
  return { read, interval, times, starts };
}

describe('a series', () => {
  it.each([
    ['minute', 1, 'minute'],
    ['minute', 2, 'hourly'],
    ['minute', 21, 'daily'],
    ['hourly', 20, 'hourly'],
    ['hourly', 21, 'daily'],
    ['daily', 500, 'daily'],
    ['daily', 501, 'weekly'],
    ['minute', 501, 'weekly'],
    ['daily', 4000, 'monthly'],
  ] as const)('%s for %i days is returned as %s', (requested, days, returned) => {
    const { starts, interval } = seriesOf(days, requested);
    expect(interval).toBe(returned);
    expect(starts.length).toBeLessThanOrEqual(MAX_POINTS);
    expect(noteOf(requested, interval) === undefined).toBe(requested === returned);
  });

  it('never has more than 500 points with the last one, is ascending, and starts as the window', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 15_000 }),
        fc.constantFrom('minute', 'hourly', 'daily'),
        (days, requested) => {
          const { times, starts } = seriesOf(days, requested);
          expect(new Set([...starts, times.length - 1]).size).toBeLessThanOrEqual(MAX_POINTS);
          expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
          expect(starts[0]).toBe(0);
          expect(times.at(-1)).toBeGreaterThanOrEqual(START + (days - 1) * DAY);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('has the first point of each bucket, and no bucket twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 * DAY }), { minLength: 501, maxLength: 900 }), (pauses) => {
        const times = pauses.map((_, i) => START + pauses.slice(0, i).reduce((sum, pause) => sum + pause, 0));
        const { interval, starts } = inBuckets(times, 'daily');
        const bucketOf = (place: number) => {
          const date = new Date(times[place] as number);
          const isWeekly = interval === 'weekly';
          // Weeks start on Monday.
          if (isWeekly) date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
          return date.toISOString().slice(0, isWeekly ? 10 : 7);
        };
        const buckets = new Map<string, number>();
        for (const place of times.keys()) if (!buckets.has(bucketOf(place))) buckets.set(bucketOf(place), place);
        const expected = [...buckets.values()];
        expect(starts).toEqual(expected.slice(Math.max(0, expected.length - (MAX_POINTS - 1))));
      }),
      { numRuns: 30 },
    );
  });

  it('is not read at an interval with too many points', () => {
    expect(seriesOf(365, 'minute').read).toBe('daily');
  });

  it('with more rows than its window suggests is returned at the next coarser interval', () => {
    const times = Array.from({ length: 600 }, (_, i) => START + i * MINUTE);
    expect(inBuckets(times, 'minute')).toEqual({
      interval: '15m',
      starts: Array.from({ length: 40 }, (_, i) => i * 15),
    });
  });
});

it('a table has at most 60 lines, and keeps the first and the last row', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 600 }), (count) => {
      const rows = Array.from({ length: count }, (_, i) => [i]);
      const lines = table(['i'], rows).split('\n');
      expect(lines.length).toBeLessThanOrEqual(56);
      expect(lines[0]).toBe('i');
      if (count > 0) expect(lines).toEqual(expect.arrayContaining(['0', String(count - 1)]));
    }),
  );
});

it('times are ISO 8601 in the shortest form', () => {
  expect(isoTime(START)).toBe('2015-01-01');
  expect(isoTime(START + HOUR + 1)).toBe('2015-01-01T01:00:00Z');
});
