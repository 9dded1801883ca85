import { expect, test } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import { isContradicted, isJump } from '#prices/model/price-check';

const NOW = Date.parse('2026-05-15T14:10:06Z');
const known = (source: MarketSourceName, price: number, age = MINUTE, heldPrice: number | null = null) => ({
  ...{ source, price, at: NOW - age, fetchedAt: NOW - age, heldPrice },
});

test.each([
  ['no price of the primary source', [], 3, false],
  ['the primary source, within a factor of two', [known('coingecko', 2)], 4, false],
  ['the primary source, below half of its price', [known('coingecko', 2)], 0.99, true],
  ['the primary source, above twice its price', [known('coingecko', 2)], 4.01, true],
  ['a price of the primary source that is days old', [known('coingecko', 2, 9 * DAY)], 4.01, true],
  ['another source’s price that confirms it', [known('coingecko', 2), known('coinbase', 5)], 5, false],
  ['only its own earlier price', [known('coingecko', 2), known('kraken', 5)], 5, true],
])('a fallback’s price is compared with %s', (_what, rows, price, contradicted) => {
  expect(isContradicted({ source: 'kraken', price }, rows, MARKET_SOURCES, NOW)).toBe(contradicted);
  expect(isContradicted({ source: 'coingecko', price }, rows, MARKET_SOURCES, NOW)).toBe(false);
});

test.each([
  ['no earlier price', [], 1000, false],
  ['an earlier price, within a factor of ten', [known('coingecko', 1)], 10, false],
  ['an earlier price, above ten times that price', [known('coingecko', 1)], 1000, true],
  ['an earlier price, below a tenth of that price', [known('coingecko', 1)], 0.001, true],
  ['a price older than a day', [known('coingecko', 1, 2 * DAY)], 1000, false],
  ['a held price that confirms it', [known('coingecko', 1, MINUTE, 1100)], 1000, false],
  ['another held price', [known('coingecko', 1, MINUTE, 1_000_000)], 1000, true],
  ['a recent price of another source that confirms it', [known('coingecko', 1), known('kraken', 1001)], 1000, false],
  ['an old price of another source', [known('coingecko', 1), known('kraken', 1001, DAY)], 1000, true],
])('a price is compared with %s', (_what, rows, price, jump) => {
  expect(isJump({ source: 'coingecko', price }, rows, NOW)).toBe(jump);
});
