import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_VIEW, METRICS, RANGES, SCALES } from '#console/history/chart-choice';
import { MODES } from '#console/history/comparison';
import { defaultInterval, INTERVALS } from '#console/history/intervals';
import { intervalFaults, pageTitle, readAddress, searchOf, type View } from '#console/prices/address';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const read = (search: string) => readAddress(search, NOW, (code) => ['usd', 'eur', 'btc'].includes(code));
const view = (parts: Partial<View> = {}): View => {
  const dates = { ...DEFAULT_VIEW, ...parts };
  return { ...dates, interval: parts.interval ?? defaultInterval(dates) };
};

const views = fc
  .record({
    token: fc.constantFrom('bitcoin', 'usd-coin', 'a token & more'),
    currency: fc.constantFrom('usd', 'eur', 'btc'),
    metric: fc.constantFrom(...METRICS.map(([name]) => name)),
    range: fc.constantFrom(...RANGES.map(([name]) => name)),
    scale: fc.constantFrom(...SCALES),
    compare: fc.constantFrom([], ['solana'], ['ethereum', 'usd-coin', 'a token & more']),
    mode: fc.constantFrom(...MODES.map(([name]) => name)),
    interval: fc.constantFrom(...INTERVALS.map(([name]) => name)),
  })
  .map((parts) => {
    const isCustom = parts.range === 'custom';
    // Without a comparison, the mode is not in the URL.
    const mode = parts.compare.length > 0 ? parts.mode : DEFAULT_VIEW.mode;
    return view({ ...parts, mode, ...(isCustom && { from: '2026-01-31', thru: '2026-02-28' }) });
  });

describe('the URL of a view', () => {
  it('omits defaults', () => {
    expect(searchOf(view())).toBe('');
    expect(searchOf(view({ token: 'solana', metric: 'market_cap', range: '7', currency: 'eur' }))).toBe(
      '?token=solana&metric=market_cap&range=7d&currency=eur',
    );
    expect(searchOf(view({ range: '36500', scale: 'log' }))).toBe('?range=all&scale=log');
    expect(searchOf(view({ range: 'custom', from: '2026-01-01', thru: '2026-02-01' }))).toBe(
      '?range=2026-01-01..2026-02-01',
    );
    expect(searchOf(view({ compare: ['solana', 'arweave'], mode: 'price' }))).toBe(
      '?compare=solana,arweave&mode=price',
    );
    expect(searchOf(view({ compare: ['solana'] }))).toBe('?compare=solana');
    expect(searchOf(view({ range: '7', interval: 'hourly' }))).toBe('?range=7d');
    expect(searchOf(view({ range: '7', interval: 'daily' }))).toBe('?range=7d&interval=daily');
  });

  it('round-trips through parsing', () => {
    fc.assert(
      fc.property(views, (written) => {
        const { faults, token, currency, interval, namesChart: _, ...rest } = read(searchOf(written));
        expect(faults).toEqual([]);
        const { metric, range, scale, compare, mode, from, thru } = written;
        expect([token ?? 'bitcoin', currency ?? 'usd', rest]).toEqual([
          ...[written.token, written.currency],
          { metric, range, scale, compare, mode, from, thru },
        ]);
        expect(interval ?? defaultInterval(written)).toBe(written.interval);
      }),
    );
  });

  it.each([
    ['', false],
    ['currency=eur', false],
    ['from=mail', false],
    ['token=solana', true],
    ['range=7d&currency=eur', true],
    ['metric=candles', true],
    ['scale=log', true],
    ['interval=hourly', true],
  ])('%j names a chart: %s', (search, names) => expect(read(search).namesChart).toBe(names));

  it.each([
    ['range=7w', 'Unknown time range “7w”. Showing the last 30 days.'],
    ['range=5d', 'Unknown time range “5d”. Showing the last 30 days.'],
    ['range=', 'Unknown time range “”. Showing the last 30 days.'],
    ['range=2026-02-31..2026-03-01', 'Unknown time range “2026-02-31..2026-03-01”. Showing the last 30 days.'],
    ['range=2026-03-01..2026-02-01', 'Unknown time range “2026-03-01..2026-02-01”. Showing the last 30 days.'],
    ['range=2026-03-16..2026-03-17', 'Unknown time range “2026-03-16..2026-03-17”. Showing the last 30 days.'],
    ['range=custom', 'Unknown time range “custom”. Showing the last 30 days.'],
    ['metric=profit', 'Unknown metric “profit”. Showing the price.'],
    ['scale=cubic', 'Unknown scale “cubic”. Showing the linear scale.'],
    ['currency=xyz', 'Unknown currency “xyz”.'],
    ['interval=yearly', 'Unknown interval “yearly”. Showing the default interval.'],
    ['interval=', 'Unknown interval “”. Showing the default interval.'],
  ])('%s is replaced by the default, with a notice', (query, fault) => {
    const { metric, range, faults } = read(`?${query}`);
    expect([metric, range, faults]).toEqual(['prices', '30', [fault]]);
  });

  it('accepts any text, and quotes only the beginning of an invalid part', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 60, maxLength: 90 }), (search, long) => {
        expect(RANGES.map(([name]) => name)).toContain(read(search).range);
        const { faults } = read(`?${new URLSearchParams({ metric: long })}`);
        expect(faults.join('').length).toBeLessThan(90);
      }),
    );
  });

  it('accepts a currency in upper case', () => expect(read('?currency=EUR').currency).toBe('eur'));
});

it('names the interval that replaces an unavailable one', () => {
  const available = {
    prices: { minute: '2026-03-14', hour: '2025-03-15', day: '2013-04-28' },
    candles: { minute: '2026-03-13', hour: '2026-02-13', day: '2024-03-27' },
  };
  const faults = (query: string) => intervalFaults(read(query), { available }, NOW);
  expect(faults('?range=30d&interval=hourly')).toEqual([]);
  expect(faults('?range=30d&metric=candles&interval=4h')).toEqual([]);
  expect(faults('?range=365d')).toEqual([]);
  expect(faults('?range=all&interval=minute')).toEqual([
    'The interval “minute” is not available for this time range. Showing daily data.',
  ]);
  expect(faults('?range=2026-02-11..2026-02-14&metric=candles&interval=hourly')).toHaveLength(1);
});

it('derives the page title from the view', () => {
  expect(pageTitle('Solana', view({ currency: 'eur' }))).toBe('Solana price, 30 days, EUR · Quotient');
  expect(pageTitle('Solana', view({ metric: 'candles', range: '36500' }))).toBe(
    'Solana candles, all available data, USD · Quotient',
  );
});
