import type { Token, TokenPrice } from '../../client/index.ts';

export const COLUMNS = [
  ['title', 'Token'],
  ['current_price', 'Price'],
  ['change_24h', '24h change'],
  ['market_cap', 'Market cap'],
  ['total_volume', '24h volume'],
] as const;
export type Column = (typeof COLUMNS)[number][0];
export type Sorting = { column: Column; direction: 'ascending' | 'descending' };

export const FIRST_SORTING: Sorting = { column: 'market_cap', direction: 'descending' };

/** The first click sorts names ascending and figures descending. The second click reverses the order. */
export function sortingAfter(current: Sorting, column: Column): Sorting {
  const first = column === 'title' ? 'ascending' : 'descending';
  if (current.column !== column) return { column, direction: first };
  return { column, direction: current.direction === 'ascending' ? 'descending' : 'ascending' };
}

const byTitle = new Intl.Collator('en', { numeric: true });

type Sortable = { token: Token; price: TokenPrice | undefined };

/** Tokens without a value in the column come last in both directions. The sort is stable. */
export function sorted<T extends Sortable>(rows: readonly T[], { column, direction }: Sorting): T[] {
  const way = direction === 'ascending' ? 1 : -1;
  if (column === 'title') return rows.toSorted((a, b) => way * byTitle.compare(a.token.title, b.token.title));
  return rows.toSorted((a, b) => {
    const left = a.price?.[column] ?? undefined;
    const right = b.price?.[column] ?? undefined;
    if (left === undefined || right === undefined) return Number(left === undefined) - Number(right === undefined);
    return way * (left - right);
  });
}

export const SEARCHED_FROM = 10;

export function isMatch({ title, tokenName, symbol }: Token, typed: string): boolean {
  const wanted = typed.trim().toLowerCase();
  return [title, tokenName, symbol].some((text) => text.toLowerCase().includes(wanted));
}
