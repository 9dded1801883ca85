import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beginningOf, listedAt } from '#catalogue/catalogue';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { MINUTE } from '#core/clock';
import { implausible, plausibleFigure } from '#upstream/items/plausible';
import { tokenNamed } from '../../fixtures/tokens.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const anyToken = fc.constantFrom(...BUILT_IN_TOKENS);
const positive = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true });

test('a sample is kept if its time is possible and its price, if any, is positive and finite', () => {
  const time = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -MINUTE, max: 3 * MINUTE }).map((ms) => NOW + ms),
  );
  fc.assert(
    fc.property(anyToken, time, fc.option(fc.double()), (token, at, price) => {
      const canBe = at >= beginningOf(token) && at <= NOW + 2 * MINUTE;
      const isPrice = price === null || (price > 0 && Number.isFinite(price));
      expect(implausible(beginningOf(token), { at, price }, NOW) === undefined).toBe(canBe && isPrice);
    }),
  );
});

test('every sample between the token’s first price and now is kept', () => {
  fc.assert(
    fc.property(anyToken, fc.double({ min: 0, max: 1, noNaN: true }), positive, (token, part, price) => {
      const at = Math.round(listedAt(token) + part * (NOW - listedAt(token)));
      expect(implausible(beginningOf(token), { at, price }, NOW)).toBeUndefined();
    }),
  );
});

describe('the reason', () => {
  test.each([
    ['the year 9999', Date.parse('9999-12-31T00:00:00Z'), 1, 'too_late'],
    ['three days ahead', Date.parse('2026-11-25T12:00:00Z'), 1, 'too_late'],
    ['1970', 0, 1, 'too_early'],
    ['a price of zero', NOW, 0, 'price'],
    ['a negative price', NOW, -1, 'price'],
    ['an infinite price', NOW, Number.POSITIVE_INFINITY, 'price'],
  ])('for %s', (_name, at, price, reason) => {
    expect(implausible(beginningOf(tokenNamed('bitcoin')), { at, price }, NOW)).toBe(reason);
  });
});

test.each([
  ['arweave', '2019-11-01'],
  ['ethereum', '2015-08-07'],
  ['bitcoin', '2013-04-28'],
] as const)('%s has a history from %s on', (name, date) => {
  expect(implausible(beginningOf(tokenNamed(name)), { at: Date.parse(date), price: 1 }, NOW)).toBeUndefined();
});

test('for a removed token, only the first block is known', () => {
  const at = Date.parse('2009-01-03T00:00:00Z');
  expect(implausible(beginningOf(undefined), { at, price: 1 }, NOW)).toBeUndefined();
  expect(implausible(beginningOf(undefined), { at: at - 1, price: 1 }, NOW)).toBe('too_early');
});

test('a market cap or volume of zero is kept, and an impossible one is null', () => {
  expect([0, 5, null, -1, Number.NaN, Number.POSITIVE_INFINITY].map(plausibleFigure)).toEqual([
    0,
    5,
    null,
    null,
    null,
    null,
  ]);
});
