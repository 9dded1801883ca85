import { expect, test } from 'vitest';
import { currencyText, type Valuation } from '#prices/currencies/valuation';

const at = Date.parse('2026-11-22T10:00:00Z');
const valuation = (usdRate: number): Valuation => ({
  currency: 'eur',
  source: 'ecb',
  version: '1',
  usdRate: () => usdRate,
  on: () => Date.parse('2026-11-20'),
  missing: () => [],
  isSettled: () => false,
  endedOn: undefined,
  outcome: { fetched: false, refreshing: false, failure: undefined },
});

test.each([
  [1 / 0.8632, '0.8632'],
  [1, '1'],
  [1 / 156.57, '156.57'],
  [1 / 20_000, '20000'],
  [67_361, '0.00001484538531'],
  [2_000_000, '0.0000005'],
  [1e-10, '10000000000'],
])('a unit worth %s dollars is formatted as the rate %s, in digits only', (usdRate, rate) => {
  expect(currencyText(valuation(usdRate), at)).toBe(`eur;rate=${rate};on=2026-11-20;source=ecb`);
});

test('a response with many rates states no rate', () => {
  expect(currencyText(valuation(1.1))).toBe('eur;source=ecb');
});
