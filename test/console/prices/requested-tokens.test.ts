import { expect, it } from 'vitest';
import type { Token } from '#client/index';
import { readAddress, resolveTokens } from '#console/prices/address';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const NAMES = ['bitcoin', 'ethereum', 'solana', 'arweave', 'usd-coin', 'dogecoin'];
const FIRST = { minute: '2026-03-14', hour: '2018-01-01', day: '2013-04-28' };
const TOKENS = NAMES.map(
  (tokenName, i): Pick<Token, 'tokenName' | 'symbol' | 'title' | 'endpoints' | 'available'> => ({
    tokenName,
    symbol: `t${i}`,
    title: `Title ${i}`,
    endpoints: i === 5 ? [] : ['/v1/prices/history/ohlc'],
    available: { prices: { ...FIRST, hour: i === 3 ? '2026-03-14' : FIRST.hour }, candles: null },
  }),
) as Token[];

function resolved(search: string) {
  const view = readAddress(search, NOW, () => true);
  const found = resolveTokens(view, TOKENS, NOW);
  return {
    names: found && [found.token, ...found.compared].map(({ tokenName }) => tokenName),
    metric: view.metric,
    faults: view.faults,
  };
}

it('finds tokens by name, symbol or title, once each', () => {
  expect(resolved('?token=T2&compare=BITCOIN,t1,title%203,solana,bitcoin')).toMatchObject({
    names: ['solana', 'bitcoin', 'ethereum', 'arweave'],
    faults: [],
  });
});

it.each([
  ['token=none', ['bitcoin'], ['Unknown token “none”. Showing Title 0.']],
  ['compare=none,t1', ['bitcoin', 'ethereum'], ['Unknown token “none” in the comparison.']],
  ['compare=,,', ['bitcoin'], []],
  ['compare=bitcoin', ['bitcoin'], []],
  ['compare=t1,t2,t3,t4', ['bitcoin', 'ethereum', 'solana', 'arweave', 'usd-coin'], []],
  [
    'compare=t1,t2,t3,t4,t5',
    ['bitcoin', 'ethereum', 'solana', 'arweave', 'usd-coin'],
    ['A chart shows up to 5 tokens. Showing the first ones.'],
  ],
  ['compare=t1&mode=sum', ['bitcoin', 'ethereum'], ['Unknown mode “sum”. Showing the index.']],
  [
    'compare=t1&metric=candles',
    ['bitcoin', 'ethereum'],
    ['Only prices and market caps can be compared. Showing the price.'],
  ],
  ['token=t5&metric=candles', ['dogecoin'], ['No candles are available for Title 5. Showing the price.']],
  [
    'compare=t3&range=30d&interval=hourly',
    ['bitcoin', 'arweave'],
    ['The interval “hourly” is not available for this time range. Showing daily data.'],
  ],
])('replaces what it cannot show, with a message: %s', (search, names, faults) => {
  expect(resolved(`?${search}`)).toEqual({ names, faults, metric: 'prices' });
});

it('keeps a market cap in a comparison, and needs no tokens', () => {
  expect(resolved('?compare=t1&metric=market_cap').metric).toBe('market_cap');
  expect(
    resolveTokens(
      readAddress('?token=t1', NOW, () => true),
      [],
      NOW,
    ),
  ).toBeUndefined();
});
