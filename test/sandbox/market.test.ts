import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, MINUTE } from '#core/clock';
import { extremesAt, figuresAt, priceAt, quotedAt, supplyAt } from '#sandbox/price-model';
import { listingOf } from '../../fixtures/tokens.ts';

const seeds = fc.integer();
const tokens = fc.constantFrom(...BUILT_IN_NAMES);
const times = fc.integer({ min: Date.parse('2020-04-11'), max: Date.parse('2040-01-01') });

describe('the figures', () => {
  test('depend only on seed, token and time, and the market cap is price times supply', () => {
    fc.assert(
      fc.property(seeds, tokens, times, fc.array(times, { maxLength: 3 }), (seed, token, t, others) => {
        const first = figuresAt(seed, token, t);
        for (const other of others) figuresAt(seed + 1, token, other);
        expect(figuresAt(seed, token, t)).toEqual(first);
        expect(first?.marketCap).toBe((first?.price ?? 0) * supplyAt(token, t));
        expect(first?.volume).toBeGreaterThan(0);
      }),
    );
  });

  test('start at the listing', () => {
    for (const token of BUILT_IN_NAMES) {
      expect(figuresAt(1, token, listingOf(token) - 1)).toBeNull();
      expect(figuresAt(1, token, listingOf(token))?.price).toBeGreaterThan(0);
    }
  });

  test('have a plausible magnitude years after the listing', () => {
    const range = { bitcoin: [2e3, 2e6], arweave: [0.1, 500], ethereum: [50, 1e5], solana: [2, 5e3] };
    fc.assert(
      fc.property(seeds, times, (seed, t) => {
        for (const [token, [low = 0, high = 0]] of Object.entries(range)) {
          const price = priceAt(seed, token as keyof typeof range, t + 3 * 365 * DAY) ?? 0;
          expect(price).toBeGreaterThan(low);
          expect(price).toBeLessThan(high);
        }
      }),
    );
  });

  test('keep the stablecoin within 0.5 % of one dollar', () => {
    fc.assert(
      fc.property(seeds, times, (seed, t) => {
        expect(Math.abs((priceAt(seed, 'usd-coin', t) ?? 0) - 1)).toBeLessThan(0.005);
      }),
    );
  });

  test('change at every time scale, and more over a longer time', () => {
    const now = Date.parse('2026-05-15');
    const spread = (step: number) => {
      const moves = Array.from({ length: 200 }, (_, n) => {
        const [a = 1, b = 1] = [n, n + 1].map((k) => priceAt(7, 'bitcoin', now - k * step) ?? 1);
        return Math.log(a / b) ** 2;
      });
      return Math.sqrt(moves.reduce((sum, move) => sum + move) / moves.length);
    };
    const [minutes = 0, hour = 0, day = 0] = [5 * MINUTE, 60 * MINUTE, DAY].map(spread);
    expect(minutes).toBeGreaterThan(0.0003);
    expect(hour).toBeGreaterThan(minutes);
    expect(day).toBeGreaterThan(hour);
    expect(day).toBeLessThan(0.1);
  });

  test('have a supply that never decreases and never exceeds its limit', () => {
    for (const token of BUILT_IN_NAMES) {
      let before = 0;
      for (let t = listingOf(token); t < Date.parse('2035-01-01'); t += 30 * DAY) {
        expect(supplyAt(token, t)).toBeGreaterThanOrEqual(before);
        before = supplyAt(token, t);
      }
    }
    expect(supplyAt('bitcoin', Date.parse('2100-01-01'))).toBeLessThanOrEqual(21_000_000);
    expect(supplyAt('arweave', Date.parse('2100-01-01'))).toBeLessThanOrEqual(66_000_000);
  });
});

test('the extremes are those of the midnights and the current price', () => {
  const midnight = Date.parse('2026-05-15');
  const t = midnight + 12 * 60 * MINUTE;
  for (const token of BUILT_IN_NAMES) {
    const extremes = extremesAt(3, token, midnight, t);
    const prices = [priceAt(3, token, t) ?? 0];
    for (let at = listingOf(token); at <= midnight; at += DAY) prices.push(priceAt(3, token, at) ?? 0);
    expect(extremes?.high.price).toBe(Math.max(...prices));
    expect(extremes?.low.price).toBe(Math.min(...prices));
    expect(priceAt(3, token, extremes?.high.at ?? 0)).toBe(extremes?.high.price);
    expect(priceAt(3, token, extremes?.low.at ?? 0)).toBe(extremes?.low.price);
  }
  expect(extremesAt(3, 'solana', 0, listingOf('solana') - 1)).toBeNull();
});

test('a quote is at most two minutes old, and its time never decreases', () => {
  fc.assert(
    fc.property(seeds, tokens, times, fc.nat({ max: 10 * MINUTE }), (seed, token, now, later) => {
      const at = quotedAt(seed, token, now);
      expect(now - at).toBeGreaterThanOrEqual(0);
      expect(now - at).toBeLessThan(2 * MINUTE);
      expect(quotedAt(seed, token, now + later)).toBeGreaterThanOrEqual(at);
      expect(quotedAt(seed, token, at)).toBe(at);
    }),
  );
});
