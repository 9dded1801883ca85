import { expect, it } from 'vitest';
import type { ApiKey, Usage } from '#client/index';
import { type UsageBy, usageRows, usageTable } from '#console/usage/breakdown';
import { DAY } from '#core/clock';

const NOW = Date.parse('2026-03-31T12:00:00Z');
const on = (daysAgo: number, calls: number) => ({
  date: new Date(NOW - daysAgo * DAY).toISOString().slice(0, 10),
  calls,
});
const part = (...daily: { date: string; calls: number }[]) => ({
  calls: daily.reduce((sum, { calls }) => sum + calls, 0),
  daily,
});

const key: ApiKey = {
  id: 2,
  label: 'Shop',
  scopes: ['prices'],
  start: 'qt_EfGh',
  createdAt: new Date(NOW),
  lastUsedAt: null,
  expiresAt: null,
  dailyLimit: 1500,
  allowedOrigins: null,
  url: false,
  exposedAt: null,
  replacedAt: null,
};
const unused: ApiKey = { ...key, id: 3, label: 'Unused', dailyLimit: null };

const usage: Usage = {
  limit: 10_000,
  used: 1206,
  remaining: 8794,
  periodStart: new Date(NOW),
  resetsAt: new Date(NOW),
  validUntil: new Date(NOW),
  daily: [on(0, 2), on(6, 1200), on(7, 3), on(30, 1)],
  keys: [
    { id: null, label: null, start: null, ...part(on(7, 3)) },
    { id: 2, label: 'Shop', start: 'qt_EfGh', ...part(on(0, 1), on(6, 1200)) },
    { id: 9, label: null, start: null, ...part(on(0, 1), on(30, 1)) },
  ],
  paths: [
    { path: null, ...part(on(7, 3)) },
    { path: '/v1/prices/latest/token', ...part(on(0, 2), on(6, 1200), on(30, 1)) },
  ],
};
const table = (by: UsageBy, listed: readonly ApiKey[] = [key, unused]) => usageTable(by, usage, listed, NOW);
const rows = (by: UsageBy) => usageRows(by, usage, [key, unused], NOW);

it('lists 31 dates, newest first, and saves them oldest first', () => {
  const { heads, rows: shown } = table('day');
  expect(heads).toEqual(['Date', 'Calls']);
  expect(shown).toHaveLength(31);
  expect([shown[0], shown[6], shown[30]]).toEqual([
    { name: 'Mar 31, 2026', values: ['2'] },
    { name: 'Mar 25, 2026', values: ['1,200'] },
    { name: 'Mar 1, 2026', values: ['1'] },
  ]);
  expect([rows('day')[0], rows('day')[1], rows('day').at(-1)]).toEqual([
    ['date', 'calls'],
    ['2026-03-01', 1],
    ['2026-03-31', 2],
  ]);
});

it('lists the keys with their limits, the most used first and unused keys last', () => {
  expect(table('key')).toEqual({
    heads: ['Key', 'Today', '7 days', '31 days'],
    rows: [
      { name: 'Shop', limit: 1500, values: ['1', '1,201', '1,201'] },
      { name: 'Not recorded', limit: null, values: ['0', '0', '3'] },
      { name: 'Key 9', limit: null, values: ['1', '1', '2'] },
      { name: 'Unused', limit: null, values: ['0', '0', '0'] },
    ],
  });
  const replaced = { ...unused, label: null, scopes: ['account' as const], replacedAt: new Date(NOW) };
  expect(table('key', [replaced]).rows.at(-1)?.name).toBe('Owner key (replaced)');
  expect(table('key', []).rows[0], 'the limits are unknown if the key cannot list the keys').toMatchObject({
    name: 'Shop',
    limit: null,
  });
});

it('lists the paths, and saves each path and date', () => {
  expect(table('path').rows).toEqual([
    { name: '/v1/prices/latest/token', values: ['2', '1,202', '1,203'] },
    { name: 'Not recorded', values: ['0', '0', '3'] },
  ]);
  expect(rows('path')).toEqual([
    ['date', 'path', 'calls'],
    ['2026-03-01', '/v1/prices/latest/token', 1],
    ['2026-03-24', null, 3],
    ['2026-03-25', '/v1/prices/latest/token', 1200],
    ['2026-03-31', '/v1/prices/latest/token', 2],
  ]);
});

it('saves each key and date', () => {
  expect(rows('key')).toEqual([
    ['date', 'key_id', 'key', 'start', 'daily_limit', 'calls'],
    ['2026-03-01', 9, 'Key 9', null, null, 1],
    ['2026-03-24', null, 'Not recorded', null, null, 3],
    ['2026-03-25', 2, 'Shop', 'qt_EfGh', 1500, 1200],
    ['2026-03-31', 2, 'Shop', 'qt_EfGh', 1500, 1],
    ['2026-03-31', 9, 'Key 9', null, null, 1],
  ]);
});
