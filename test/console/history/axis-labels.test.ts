import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisLabels, timeLabel } from '#console/history/axis-labels';

const NBSP = '\u00a0';

describe('axis labels', () => {
  it.each([
    ['a coin of one dollar', [0.9996, 0.9998, 1, 1.0002], 'usd', ['$0.9996', '$0.9998', '$1.0000', '$1.0002']],
    ['thousands', [66_000, 67_000, 68_000], 'usd', ['$66,000', '$67,000', '$68,000']],
    ['thousands, in halves', [66_600.5, 66_601], 'usd', ['$66,600.5', '$66,601.0']],
    ['quarters', [0.25, 0.5, 0.75], 'usd', ['$0.25', '$0.50', '$0.75']],
    ['millions', [9_500_000, 10_000_000, 10_500_000], 'jpy', ['¥9.5M', '¥10.0M', '¥10.5M']],
    ['tiny values', [1.1e-9, 1.2e-9], 'btc', [`BTC${NBSP}1.1E-9`, `BTC${NBSP}1.2E-9`]],
    ['zero', [0], 'usd', ['$0']],
    ['negative values', [-0.5, 0, 0.5], 'usd', ['-$0.5', '$0.0', '$0.5']],
  ])('of prices: %s', (_, ticks, currency, labels) => expect(axisLabels(ticks, currency, 'prices')).toEqual(labels));

  it.each([
    [
      [12.31e9, 12.32e9, 12.33e9],
      ['$12.31B', '$12.32B', '$12.33B'],
    ],
    [
      [900e6, 950e6, 1000e6, 1050e6],
      ['$900M', '$950M', '$1.00B', '$1.05B'],
    ],
    // Log scales.
    [
      [69.6e9, 69.68e9, 69.8e9, 70e9],
      ['$69.60B', '$69.68B', '$69.80B', '$70.00B'],
    ],
    [
      [1e6, 2e6, 5e6, 10e6, 100e6],
      ['$1M', '$2M', '$5M', '$10M', '$100M'],
    ],
  ])('of amounts: %j', (ticks, labels) => expect(axisLabels(ticks, 'usd', 'amounts')).toEqual(labels));

  it('differ for different ticks', () => {
    const step = fc
      .tuple(fc.constantFrom(1, 2, 2.5, 5), fc.integer({ min: -12, max: 9 }))
      .map(([digit, exponent]) => digit * 10 ** exponent);
    fc.assert(
      fc.property(
        ...[fc.integer({ min: 0, max: 100_000 }), step, fc.integer({ min: 2, max: 12 })],
        fc.constantFrom('prices' as const, 'amounts' as const),
        (first, size, count, kind) => {
          const ticks = Array.from({ length: count }, (_, i) => (first + i) * size);
          expect(new Set(axisLabels(ticks, 'usd', kind)).size).toBe(count);
        },
      ),
    );
  });
});

it.each([
  ['2026-11-21T00:00:00Z', 'time', 'Nov 21'],
  ['2026-11-21T09:05:17Z', 'time', '9:05 AM'],
  ['2026-11-21T00:00:00Z', 'day', 'Nov 21'],
  ['2026-11-01T00:00:00Z', 'month', 'Nov 2026'],
  ['2026-01-01T00:00:00Z', 'year', '2026'],
] as const)('the label at %s for the unit %s is %s', (iso, unit, label) => {
  expect(timeLabel(Date.parse(iso) / 1000, unit)).toBe(label);
});
