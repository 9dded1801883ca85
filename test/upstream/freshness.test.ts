import { expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { ageAt, dueAfter, waitOnRefresh } from '#upstream/freshness';

const NOW = Date.parse('2026-05-15T14:10:00Z');

test('an age is the time since the fetch, negative up to five minutes ahead, and infinite for a later or unknown time', () => {
  expect(ageAt(NOW - HOUR, NOW)).toBe(HOUR);
  expect(ageAt(NOW + 5 * MINUTE, NOW)).toBe(-5 * MINUTE);
  expect(ageAt(NOW + 5 * MINUTE + 1, NOW)).toBe(Number.POSITIVE_INFINITY);
  expect(ageAt(undefined, NOW)).toBe(Number.POSITIVE_INFINITY);
});

test('data is due at its next fetch or in a new month, and not later if the clock was set back', () => {
  expect(dueAfter(NOW - MINUTE, HOUR, NOW)).toBe(NOW + 59 * MINUTE);
  expect(dueAfter(NOW + HOUR, HOUR, NOW)).toBe(NOW + HOUR);
  expect(dueAfter(NOW, Number.POSITIVE_INFINITY, NOW)).toBe(Date.parse('2026-06-01T00:00:00Z'));
});

test('a refresh is waited for briefly if stored data is more than twice as old as its interval', () => {
  expect(waitOnRefresh(2 * HOUR, HOUR)).toBe('none');
  expect(waitOnRefresh(2 * HOUR + 1, HOUR)).toBe('moment');
});
