import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { breakDown, byCalls, newestOf } from '#ledger/usage/breakdown';
import { type Detailed, detailOf, detailText } from '#ledger/usage/call-details';
import { pathNumber, pathOf } from '#ledger/usage/usage-paths';

const DATE = '2026-01-31';
const lease = (): Detailed => ({ keyId: 7, path: 1, spent: 0, others: [] });

function spend(one: Detailed, keyId: number, path: number, calls: number): void {
  const detail = detailOf(one, keyId, path);
  if (detail) detail.calls += calls;
  one.spent += calls;
}

it("a lease's first key and path need no detail; each other key and path has one", () => {
  const one = lease();
  spend(one, 7, 1, 5);
  expect([detailText(one), one.spent]).toEqual(['', 5]);
  spend(one, 7, 2, 1);
  spend(one, 8, 1, 2);
  spend(one, 7, 2, 1);
  spend(one, 7, 1, 1);
  spend(one, 8, 2, 1);
  expect([detailText(one), one.spent]).toEqual(['7 2 2 8 1 2 8 2 1', 11]);
});

describe('the sum over a breakdown', () => {
  const calls = fc.array(fc.record({ name: fc.integer({ min: 1, max: 4 }), calls: fc.integer({ min: -3, max: 9 }) }));

  it('is the number of calls of each date, whatever is missing or surplus', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 40 }), (rows, total) => {
        const details = rows.map((row) => ({ ...row, date: DATE }));
        const result = byCalls(breakDown('key', { details, leases: [] }, [], new Map([[DATE, total]])), (id) => ({
          id,
        }));
        expect(result.reduce((sum, { calls }) => sum + calls, 0)).toBe(total);
        for (const { daily } of result) for (const day of daily) expect(day.calls).toBeGreaterThan(0);
      }),
    );
  });

  it('contains no date without calls, and the most frequent first; of equally frequent ones, the unknown one', () => {
    const details = [
      { date: DATE, name: 3, calls: 1 },
      { date: DATE, name: 1, calls: 1 },
      { date: DATE, name: 2, calls: 3 },
      { date: '2025-01-01', name: 1, calls: 9 },
    ];
    const parts = breakDown('path', { details, leases: [] }, [], new Map([[DATE, 6]]));
    const one = { calls: 1, daily: [{ date: DATE, calls: 1 }] };
    expect(byCalls(parts, (path) => ({ path }))).toEqual([
      { path: 2, calls: 3, daily: [{ date: DATE, calls: 3 }] },
      { path: null, ...one },
      { path: 1, ...one },
      { path: 3, ...one },
    ]);
  });

  it('contains no name without calls', () => {
    const details = [{ date: DATE, name: 1, calls: 1 }];
    const parts = breakDown('path', { details, leases: [] }, [], new Map([[DATE, 1]]));
    expect(byCalls(parts, (path) => ({ path })).map(({ path }) => path)).toEqual([1]);
  });
});

it('dates are listed newest first, without those that have no calls', () => {
  const days = new Map([
    ['2026-01-30', 2],
    ['2026-01-31', 1],
    ['2026-01-29', 0],
    ['2026-01-28', 4],
  ]);
  expect(newestOf(days)).toEqual([
    { date: '2026-01-31', calls: 1 },
    { date: '2026-01-30', calls: 2 },
    { date: '2026-01-28', calls: 4 },
  ]);
  expect(newestOf(days, 1)).toEqual([{ date: '2026-01-31', calls: 1 }]);
});

it('the number of a path never changes', () => {
  expect(pathNumber('/v1/prices/latest/token')).toBe(1);
  expect(pathNumber('/v1/prices/history/ohlc')).toBe(7);
  expect(pathOf(9)).toBe('/mcp');
  expect([pathNumber('/api/v3/coins/:id/'), pathOf(13)]).toEqual([13, '/api/v3/coins/{id}']);
  expect([pathNumber('/v1/user/usage'), pathOf(0), pathOf(30_000)]).toEqual([undefined, null, null]);
});
