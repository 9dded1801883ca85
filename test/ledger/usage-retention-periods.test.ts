import { expect, it } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { firstKeptDate } from '#ledger/usage/usage-retention';
import { readSettings } from '#settings';

it('keeps the calls of a date for 400 days, or for the configured period', () => {
  expect(readSettings({}).usageRetention).toBe(400 * DAY);
  expect(readSettings({ USAGE_RETENTION: '31d' }).usageRetention).toBe(31 * DAY);
  expect(readSettings({ USAGE_RETENTION: '1000h' }).usageRetention).toBe(1000 * HOUR);
  expect(readSettings({ USAGE_RETENTION: '99999d' }).usageRetention).toBe(99_999 * DAY);
});

it.each(['30d', '743h', '400', '400m', '-400d', '0d', '1e3d', '100000d', 'd', 'coingecko=400d'])(
  'is rejected in one line: %s',
  (text) => {
    expect(() => readSettings({ USAGE_RETENTION: text })).toThrow(
      'USAGE_RETENTION must be a duration of at least 31d, such as 400d (an integer with d or h)',
    );
  },
);

it('a date is kept for the retention period after its end', () => {
  const date = Date.parse('2026-01-01T00:00:00Z');
  expect(firstKeptDate(31 * DAY, date + 32 * DAY - 1)).toBe(date);
  expect(firstKeptDate(31 * DAY, date + 32 * DAY)).toBe(date + DAY);
});
