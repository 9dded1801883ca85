import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf, costOf } from '#console/api/api-call';
import { COLUMNS, FIRST_SORTING, isMatch, type Sorting, sorted, sortingAfter } from '#console/prices/sorting';

type Row = Parameters<typeof sorted>[0][number];

const figure = fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null });
const row = fc
  .record({
    title: fc.string(),
    current_price: figure,
    change_24h: figure,
    market_cap: figure,
    total_volume: figure,
  })
  .chain(({ title, ...figures }) => fc.constantFrom(figures, undefined).map((price) => ({ token: { title }, price })))
  .map((made) => made as Row);
const sorting: fc.Arbitrary<Sorting> = fc.record({
  column: fc.constantFrom(...COLUMNS.map(([name]) => name)),
  direction: fc.constantFrom('ascending', 'descending'),
});

describe('the price table', () => {
  it('sorts by any column in both directions, with unknown values at the end', () => {
    fc.assert(
      fc.property(fc.array(row), sorting, (rows, by) => {
        const { column, direction } = by;
        const result = sorted(rows, by);
        expect(new Set(result)).toEqual(new Set(rows));
        expect(result.length).toBe(rows.length);
        if (column === 'title') return;
        const figures = result.map(({ price }) => price?.[column] ?? undefined);
        const known = figures.filter((one) => one !== undefined);
        expect(figures.slice(0, known.length)).toEqual(known);
        const way = direction === 'ascending' ? 1 : -1;
        expect(known.every((one, i) => i === 0 || way * (one - (known[i - 1] as number)) >= 0)).toBe(true);
      }),
    );
  });

  it('sorts names alphabetically, and their numbers by value', () => {
    const titled = (title: string) => ({ token: { title }, price: undefined }) as Row;
    const rows = ['solana', 'Token 10', 'Token 9', 'Arweave', 'bitcoin'].map(titled);
    const titles = sorted(rows, { column: 'title', direction: 'ascending' }).map(({ token }) => token.title);
    expect(titles).toEqual(['Arweave', 'bitcoin', 'solana', 'Token 9', 'Token 10']);
  });

  it('sorts figures descending and names ascending first, and a second click reverses the order', () => {
    const byName = sortingAfter(FIRST_SORTING, 'title');
    expect(byName).toEqual({ column: 'title', direction: 'ascending' });
    expect(sortingAfter(byName, 'title').direction).toBe('descending');
    expect(sortingAfter(byName, 'market_cap')).toEqual(FIRST_SORTING);
    expect(sortingAfter(FIRST_SORTING, 'market_cap').direction).toBe('ascending');
  });

  it('searches titles, names and symbols, ignoring case', () => {
    const token = { title: 'USD Coin', tokenName: 'usd-coin', symbol: 'usdc' } as Parameters<typeof isMatch>[0];
    for (const typed of ['', ' coin ', 'USD C', 'usd-', 'UsDc']) expect(isMatch(token, typed), typed).toBe(true);
    for (const typed of ['bit', 'usd  coin', '.*']) expect(isMatch(token, typed), typed).toBe(false);
  });
});

it('requests at most a hundred tokens at once, and counts one call for every ten', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1500 }), (tokens) => {
      const names = Array.from({ length: tokens }, (_, i) => `token-${i}`);
      const batches = batchesOf(names);
      expect(batches.flat()).toEqual(names);
      expect(batches.every(({ length }) => length >= 1 && length <= 100)).toBe(true);
      expect(costOf(tokens)).toBe(batches.reduce((sum, { length }) => sum + Math.ceil(length / 10), 0));
    }),
  );
  expect([1, 10, 11, 100, 101, 1000].map(costOf)).toEqual([1, 1, 2, 10, 11, 100]);
});
