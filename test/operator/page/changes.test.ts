import { expect, it } from 'vitest';
import { changesIn, parametersOf } from '#operator-page/audit/changes';
import { fragmentOf, placeIn } from '#operator-page/core/router';

it('lists the members that differ, also within objects', () => {
  const before = { limit: 1, plan: 'monthly', next: null, tags: ['a'] };
  const after = { limit: 2, plan: 'monthly', next: { plan: 'yearly', limit: 5 }, tags: ['a'] };
  expect(changesIn(before, after)).toEqual(['limit: 1 → 2', 'next.plan: yearly', 'next.limit: 5']);
  expect(changesIn(null, { reason: 'x' })).toEqual(['reason: x']);
  expect(changesIn({ text: 'x' }, null)).toEqual(['text: x → removed']);
  expect(changesIn(null, null)).toEqual([]);
});

it('includes the last date of a filter, and ignores texts that are not dates', () => {
  expect(parametersOf({ action: 'user.plan', from: '2026-02-27', to: '2026-02-28' })).toEqual({
    action: 'user.plan',
    from: '2026-02-27T00:00:00.000Z',
    until: '2026-03-01T00:00:00.000Z',
  });
  expect(parametersOf({ from: 'x', to: '' })).toEqual({ from: '', until: '' });
});

it('reads the place that it writes', () => {
  const query = { query: 'a&b=c#ä?', sort: 'usage' };
  expect(placeIn(fragmentOf('users', { ...query, cursor: '' }))).toEqual({ view: 'users', id: undefined, query });
  expect(placeIn('#/users/7')).toEqual({ view: 'users', id: '7', query: {} });
  expect(placeIn('')).toEqual({ view: '', id: undefined, query: {} });
});
