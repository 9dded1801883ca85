import { expect, it, vi } from 'vitest';
import { QuotientError, type Token, type TokenPrice } from '#client/index';
import type { ApiCall, Result } from '#console/api/api-call';
import { openPriceList } from '#console/prices/list';

const tokenOf = (i: number) => ({ tokenName: `token-${i}`, symbol: `t${i}`, title: `Token ${i}` }) as unknown as Token;

/** A list of `count` tokens, whose market caps are their numbers. */
function listOf(count: number) {
  const requests: string[][] = [];
  const failure = { report: vi.fn(), clear: vi.fn() };
  let error: Error | undefined;
  const list = openPriceList({
    marketData: {
      async fetch<T extends object>({ path }: ApiCall<T>) {
        const names = (/tokenNames=([^&]*)/.exec(path)?.[1] ?? '').split(',');
        requests.push(names);
        if (error) throw error;
        const value = names.map(
          (tokenName) =>
            ({ tokenName, at: new Date(0), current_price: 1, market_cap: Number(tokenName.slice(6)) }) as TokenPrice,
        );
        return { value, fetchedAt: new Date(0), stale: undefined, gaps: [], sources: [] } as unknown as Result<T>;
      },
    },
    currency: { code: 'usd' },
    failure: failure as unknown as Parameters<typeof openPriceList>[0]['failure'],
    onLoad: () => undefined,
  });
  const shown = () => list.listing.value.shown.map(({ tokenName }) => Number(tokenName.slice(6)));
  return {
    list,
    requests,
    failure,
    shown,
    fail(thrown: Error | undefined): void {
      error = thrown;
    },
    open: () => list.setTokens(Array.from({ length: count }, (_, i) => tokenOf(i))),
  };
}

it('reserves rows until the first prices arrive, and loads ten of a thousand tokens', async () => {
  const { list, requests, shown, open } = listOf(1000);
  expect([list.placeholders.value, list.isBusy.value]).toEqual([5, true]);
  open();
  list.isReading.value = false;
  expect([list.placeholders.value, list.isSearchable.value, shown()]).toEqual([10, true, []]);
  list.selected.value = 'token-700';
  const load = list.load();
  expect(list.isBusy.value).toBe(true);
  await load;
  expect(requests.map(({ length }) => length)).toEqual([10]);
  expect([list.placeholders.value, list.isBusy.value, list.cost.value]).toEqual([0, false, 1]);
  expect(shown()).toEqual([700, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect([list.summary.value, list.more.value]).toEqual(['10 of 1,000 tokens.', 'Show 10 more: 1 call']);
  list.loadMore();
  await vi.waitFor(() => expect(shown()).toHaveLength(20));
  expect([list.cost.value, requests[1]?.[0]]).toEqual([2, 'token-9']);
  await list.load({ refresh: true });
  expect(requests[2]).toHaveLength(20);
});

it('finds all tokens, and limits those without a price', async () => {
  const { list, shown, open } = listOf(1000);
  open();
  await list.load();
  list.search.value = ' TOKEN ';
  expect(shown()).toHaveLength(30);
  expect([list.summary.value, list.more.value]).toEqual([
    '1,000 of 1,000 tokens match.',
    'Load prices of 10 more: 1 call',
  ]);
  list.search.value = 't999';
  expect([shown(), list.summary.value]).toEqual([[999], '1 of 1,000 tokens matches.']);
  list.loadMore();
  await vi.waitFor(() => expect(list.quotes.of('token-999')?.price.current_price).toBe(1));
  expect(list.more.value).toBe('');
  list.search.value = 'no such name';
  expect([shown(), list.summary.value, list.more.value]).toEqual([[], 'No token matches “no such name”.', '']);
  list.search.value = '';
  expect(shown()).toHaveLength(11);
});

it('keeps the order of the rows when a price arrives, until the next load', async () => {
  const { list, shown, open } = listOf(3);
  open();
  await list.load();
  list.sortBy('market_cap');
  expect(shown()).toEqual([0, 1, 2]);
  list.quotes.update({ tokenName: 'token-0', at: new Date(0), current_price: 2, market_cap: 9 } as TokenPrice);
  expect(list.quotes.of('token-0')?.move?.direction).toBe('rose');
  expect(shown()).toEqual([0, 1, 2]);
  list.sortBy('market_cap');
  expect(shown()).toEqual([0, 2, 1]);
});

it('keeps its rows if a call fails, and drops tokens that are no longer served', async () => {
  const { list, failure, shown, open, fail } = listOf(3);
  open();
  fail(new QuotientError('network', 'away'));
  await list.load();
  expect(failure.report).toHaveBeenLastCalledWith(expect.any(QuotientError), expect.any(Function), false);
  expect([list.placeholders.value, shown()]).toEqual([0, [0, 1, 2]]);
  fail(undefined);
  await list.load();
  expect(failure.clear).toHaveBeenCalled();
  list.setTokens([tokenOf(0), tokenOf(2)]);
  expect([shown(), list.cost.value]).toEqual([[2, 0], 1]);
  await list.ensure('token-1');
  expect(list.quotes.of('token-1')?.price.tokenName).toBe('token-1');
});
