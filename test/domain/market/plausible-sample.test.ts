import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE } from '#domain/clock';
import { implausible, plausibleFigure } from '#domain/market/plausible-sample';
import { beginningOf, listedAt, TOKEN_NAMES } from '#domain/market/token';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const token = fc.constantFrom(...TOKEN_NAMES);
const positive = fc.double({ min: Number.MIN_VALUE, max: Number.MAX_VALUE, noNaN: true });

test('a sample is kept just when its time can be and its price, where there is one, is positive and finite', () => {
  const time = fc.oneof(
    fc.maxSafeInteger(),
    fc.integer({ min: -MINUTE, max: 3 * MINUTE }).map((ms) => NOW + ms),
  );
  fc.assert(
    fc.property(token, time, fc.option(fc.double()), (name, at, price) => {
      const canBe = at >= beginningOf(name) && at <= NOW + 2 * MINUTE;
      const isPrice = price === null || (price > 0 && Number.isFinite(price));
      expect(implausible(name, { at, price }, NOW) === undefined).toBe(canBe && isPrice);
    }),
  );
});

test('whatever was sampled between the token’s first price and now is kept', () => {
  fc.assert(
    fc.property(token, fc.double({ min: 0, max: 1, noNaN: true }), positive, (name, part, price) => {
      const at = Math.round(listedAt(name) + part * (NOW - listedAt(name)));
      expect(implausible(name, { at, price }, NOW)).toBeUndefined();
    }),
  );
});

describe('the reason', () => {
  test.each([
    ['the year 9999', Date.parse('9999-12-31T00:00:00Z'), 1, 'too_late'],
    ['three days ahead', Date.parse('2026-11-25T12:00:00Z'), 1, 'too_late'],
    ['1970', 0, 1, 'too_early'],
    ['a price of nothing', NOW, 0, 'price'],
    ['a negative price', NOW, -1, 'price'],
    ['a price without bounds', NOW, Number.POSITIVE_INFINITY, 'price'],
  ])('of %s', (_name, at, price, reason) => {
    expect(implausible('bitcoin', { at, price }, NOW)).toBe(reason);
  });
});

test.each([
  ['arweave', '2019-11-01'],
  ['ethereum', '2015-08-07'],
  ['bitcoin', '2013-04-28'],
] as const)('%s has a history from %s on', (name, date) => {
  expect(implausible(name, { at: Date.parse(date), price: 1 }, NOW)).toBeUndefined();
});

test('a market cap or volume of zero is one, and what cannot be one is none', () => {
  expect([0, 5, null, -1, Number.NaN, Number.POSITIVE_INFINITY].map(plausibleFigure)).toEqual([
    0,
    5,
    null,
    null,
    null,
    null,
  ]);
});
