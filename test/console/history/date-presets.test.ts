import { expect, it } from 'vitest';
import { datePresets } from '#console/history/intervals';

const presets = (listed: string, now: string) =>
  datePresets(listed, Date.parse(now)).map(([label, { from, thru }]) => `${label}: ${from} to ${thru}`);

it('contain yesterday, months and years, and end no later than today', () => {
  expect(presets('2013-04-28', '2024-03-31T23:59:59Z')).toEqual([
    'Yesterday: 2024-03-30 to 2024-03-30',
    'This month: 2024-03-01 to 2024-03-31',
    'Last month: 2024-02-01 to 2024-02-29',
    'This year: 2024-01-01 to 2024-03-31',
    'Last year: 2023-01-01 to 2023-12-31',
  ]);
});

it('handle January', () => {
  expect(presets('2013-04-28', '2026-01-01T00:00:00Z')).toEqual([
    'Yesterday: 2025-12-31 to 2025-12-31',
    'This month: 2026-01-01 to 2026-01-01',
    'Last month: 2025-12-01 to 2025-12-31',
    'This year: 2026-01-01 to 2026-01-01',
    'Last year: 2025-01-01 to 2025-12-31',
  ]);
});

it('begin when the token was listed, and omit ranges that end before', () => {
  expect(presets('2026-03-10', '2026-03-15T12:00:00Z')).toEqual([
    'Yesterday: 2026-03-14 to 2026-03-14',
    'This month: 2026-03-10 to 2026-03-15',
    'This year: 2026-03-10 to 2026-03-15',
  ]);
});
