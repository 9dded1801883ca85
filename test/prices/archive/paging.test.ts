import { expect, it } from 'vitest';
import { pagesFrom } from '#prices/archive/lazy-cache';

it.each([0, 1, 1999, 2000, 2001, 4000])(
  'returns %i stored rows once each, in pages that are not empty',
  async (count) => {
    const stored = Array.from({ length: count }, (_, i) => ({ at: 1_000 + 5 * i }));
    const read = async (from: number, most: number) => stored.filter(({ at }) => at >= from).slice(0, most);
    const pages = [];
    for await (const page of pagesFrom(1_000, read)) pages.push(page);
    expect(pages.flat()).toEqual(stored);
    expect(pages.every(({ length }) => length > 0)).toBe(true);
  },
);

it('starts at the requested instant', async () => {
  const stored = [{ at: 1 }, { at: 2 }, { at: 3 }];
  const read = async (from: number, most: number) => stored.filter(({ at }) => at >= from).slice(0, most);
  const pages = [];
  for await (const page of pagesFrom(2, read)) pages.push(page);
  expect(pages).toEqual([[{ at: 2 }, { at: 3 }]]);
});
