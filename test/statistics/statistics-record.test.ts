import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FIGURES } from '#statistics/figures';
import { readStatisticsRecord, statisticsRecord } from '#statistics/record';
import { tokenStatistics } from '#statistics/records';
import { STATISTICS_SYMBOLS } from '#statistics/statistics-sources';

const AT = Date.parse('2026-05-15T14:00:07Z');

test('a record has all documented members in order, null if the source did not report them', () => {
  const record = statisticsRecord('sol', { at: AT, figures: { block_height: 7, block_time: 0.4 } });
  expect(Object.entries(record)).toEqual([
    ['id', null],
    ['time', AT / 1000],
    ['symbol', 'SOL'],
    ['partner_symbol', 'SOL'],
    ['zero_balance_addresses_all_time', null],
    ['unique_addresses_all_time', null],
    ['new_addresses', null],
    ['active_addresses', null],
    ['average_transaction_value', null],
    ['block_height', 7],
    ['hashrate', null],
    ['difficulty', null],
    ['block_time', 0.4],
    ['block_size', null],
    ['current_supply', null],
    ['transaction_count', null],
    ['transaction_count_all_time', null],
    ['large_transaction_count', null],
  ]);
});

test('the source’s own ID and symbol are returned if it has them', () => {
  const record = statisticsRecord('btc', { at: AT, id: 1182, partnerSymbol: 'XBT', figures: {} });
  expect(record).toMatchObject({ id: 1182, symbol: 'BTC', partner_symbol: 'XBT' });
});

test('every value is unchanged, including zero, and the record conforms to its schema', () => {
  const figures = fc.record(Object.fromEntries(FIGURES.map((name) => [name, fc.nat()])), {
    requiredKeys: [],
  });
  fc.assert(
    fc.property(fc.constantFrom(...STATISTICS_SYMBOLS), figures, (symbol, received) => {
      const record = statisticsRecord(symbol, { at: AT, figures: received });
      for (const name of FIGURES) expect(record[name]).toBe(received[name] ?? null);
      expect(tokenStatistics.parse(record)).toEqual(record);
    }),
  );
});

test('a record stored by an earlier release may have a fraction of a byte, which is rounded', () => {
  const record = statisticsRecord('eth', { at: AT, figures: { block_size: 95364 } });
  expect(readStatisticsRecord({ ...record, block_size: 95363.6 })).toEqual(record);
});

test('a stored record of a proof-of-stake chain has no hash rate and no difficulty', () => {
  const figures = { block_height: 7, hashrate: 0, difficulty: 5.875e22 };
  const read = (symbol: 'btc' | 'eth') => readStatisticsRecord(statisticsRecord(symbol, { at: AT, figures }));
  expect(read('eth')).toMatchObject({ block_height: 7, hashrate: null, difficulty: null });
  expect(read('btc')).toMatchObject(figures);
});

test('a stored record without a value has null for it; a record without another member is invalid', () => {
  const record = statisticsRecord('btc', { at: AT, id: 1182, figures: { block_height: 7, hashrate: 9 } });
  expect(readStatisticsRecord(record)).toEqual(record);
  for (const figure of FIGURES) {
    const { [figure]: _left, ...rest } = record;
    expect(readStatisticsRecord(rest)).toEqual({ ...record, [figure]: null });
  }
  const backwards = Object.fromEntries(Object.entries(record).reverse());
  expect(Object.keys(readStatisticsRecord(backwards) ?? {})).toEqual(Object.keys(record));
  for (const name of ['id', 'time', 'symbol', 'partner_symbol'] as const) {
    const { [name]: _left, ...rest } = record;
    expect(readStatisticsRecord(rest), name).toBeUndefined();
  }
  for (const malformed of [null, 7, 'BTC', [], { ...record, hashrate: 'much' }]) {
    expect(readStatisticsRecord(malformed)).toBeUndefined();
  }
});
