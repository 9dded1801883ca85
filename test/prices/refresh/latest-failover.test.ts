import { expect, it } from 'vitest';
import { MINUTE } from '#core/clock';
import { MARKET_SOURCES, parseMarketSources } from '#prices/model/market-sources';
import { frozenAfter } from '#prices/model/price-check';
import { isSourceSound } from '#prices/refresh/served-source';
import { areFarApart } from '#upstream/items/plausible';

it('a source is sound while it can be called, or if it responded within twice its interval', () => {
  const at = 1_000_000;
  const requested = { respondedAt: at, interval: MINUTE, canBeRequested: false };
  expect(isSourceSound(requested, at + 2 * MINUTE)).toBe(true);
  expect(isSourceSound(requested, at + 2 * MINUTE + 1)).toBe(false);
  expect(isSourceSound({ ...requested, canBeRequested: true }, at + 9 * MINUTE)).toBe(true);
  expect(isSourceSound({ ...requested, respondedAt: undefined }, at)).toBe(false);
});

it('a source has stopped if its newest price is older than twice its interval plus ten minutes', () => {
  expect(frozenAfter(6 * MINUTE)).toBe(22 * MINUTE);
});

it('prices differ much if one exceeds the other by more than a fifth, in either order', () => {
  for (const [a, b, isFar] of [
    [100, 120, false],
    [100, 121, true],
    [100, 80, true],
    [1, 1, false],
  ] as const) {
    expect([areFarApart(a, b), areFarApart(b, a)]).toEqual([isFar, isFar]);
  }
});

it.each([
  ['coingecko', ['coingecko']],
  [' coingecko , kraken ', ['coingecko', 'kraken']],
  ['coinbase', ['coinbase']],
  ['coinbase,kraken', ['coinbase', 'kraken']],
  ['coingecko,kraken,coinbase', [...MARKET_SOURCES]],
])('the source order %s', (text, order) => expect(parseMarketSources(text)).toEqual(order));

it.each(['kraken,coingecko', 'coingecko,coingecko', 'coingecko,binance', 'coingecko,', ','])(
  'rejects the source order %s',
  (text) => expect(() => parseMarketSources(text)).toThrow('and coingecko first if it is listed'),
);
