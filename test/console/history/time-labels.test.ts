import { expect, it } from 'vitest';
import { timeLabel } from '#console/history/axis-labels';

const at = (iso: string) => Date.parse(iso) / 1000;

it.each([
  ['2026-11-21T00:00:00Z', 'time', 'Nov 21'],
  ['2026-11-21T09:05:00Z', 'time', '9:05 AM'],
  ['2026-11-21T09:05:17Z', 'time', '9:05 AM'],
  ['2026-11-21T00:00:00Z', 'day', 'Nov 21'],
  ['2026-11-01T00:00:00Z', 'month', 'Nov 2026'],
  ['2026-01-01T00:00:00Z', 'year', '2026'],
] as const)('the label at %s for the unit %s is %s', (iso, unit, label) => {
  expect(timeLabel(at(iso), unit)).toBe(label);
});
