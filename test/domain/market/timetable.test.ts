import { describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#domain/clock';
import { parseRefreshSchedule, REFRESH_SCHEDULES } from '#domain/market/refresh-schedule';
import { TOKENS } from '#domain/market/token';

describe('a timetable that is written down', () => {
  test.each([
    ['latest=6m,chart=6h', { latest: 6 * MINUTE, chart: 6 * HOUR }],
    ['chart=90s', { chart: 90 * SECOND }],
    [' latest=1m , chart=2h ', { latest: MINUTE, chart: 2 * HOUR }],
    ['latest=1m,latest=2m', { latest: 2 * MINUTE }],
  ])('%s', (text, schedule) => {
    expect(parseRefreshSchedule(text)).toEqual(schedule);
  });

  test.each([
    '',
    'latest',
    'latest=',
    'latest=0m',
    'latest=5',
    'latest=5d',
    'daily=1h',
    'latest=-5m',
    'latest=1.5h',
    'latest=5m;chart=6h',
    'latest=5m,',
  ])('is refused as %j', (text) => {
    expect(() => parseRefreshSchedule(text)).toThrow(RangeError);
    expect(() => parseRefreshSchedule(text)).toThrow(/latest=6m,chart=6h/);
  });
});

test('the demo plan’s timetable and its daily series are within its 10,000 calls of the longest month', () => {
  const { latest, chart } = REFRESH_SCHEDULES.demo;
  const month = 31 * DAY;
  const calls = month / latest + (TOKENS.length * month) / chart + TOKENS.length * 31;
  expect(calls).toBe(8215);
});
