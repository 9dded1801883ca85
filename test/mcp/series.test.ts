import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { isoTime } from '#mcp/dates';
import { MOST_POINTS, readSeries } from '#mcp/series';
import { table } from '#mcp/table';

const START = Date.parse('2015-01-01T00:00:00Z');
const SPACING = { minute: 5 * MINUTE, hour: HOUR, day: DAY } as const;

/** Reads a series with a row at each slot of the window, and records which intervals were read. */
function seriesOf(days: number) {
  const read: string[] = [];
  const span = { from: START, thru: START + days * DAY - 1 };
  return {
    read,
    request: (interval: 'minute' | 'hourly' | 'daily') =>
      readSeries({
        interval,
        span,
        async read(fine) {
          read.push(fine);
          const count = (days * DAY) / SPACING[fine];
          return { rows: Array.from({ length: count }, (_, i) => ({ at: START + i * SPACING[fine] })), facts: 'facts' };
        },
        combine: (rows, isLast) =>
          (isLast && rows.length > 1 ? [rows[0], rows.at(-1)] : [rows[0]]).filter((row) => row !== undefined),
      }),
  };
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
  ] as const)('%s for %i days is returned as %s', async (requested, days, given) => {
    const { rows, interval, note } = await seriesOf(days).request(requested);
    expect(interval).toBe(given);
    expect(rows.length).toBeLessThanOrEqual(MOST_POINTS);
    expect(note === undefined).toBe(requested === given);
  });

  it('never has more than 500 points, is ascending, and starts and ends as the window', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 15_000 }),
        fc.constantFrom('minute', 'hourly', 'daily'),
        async (days, requested) => {
          const { rows } = await seriesOf(days).request(requested);
          const times = rows.map(({ at }) => at);
          expect(times.length).toBeLessThanOrEqual(MOST_POINTS);
          expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
          expect(times.at(-1)).toBeGreaterThanOrEqual(START + (days - 1) * DAY);
          expect(times[0]).toBe(START);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is not read at an interval with too many points', async () => {
    const { read, request } = seriesOf(365);
    await request('minute');
    expect(read).toEqual(['day']);
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
