import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { statisticsRecord } from '#statistics/record';
import type { ChainSample } from '#statistics/statistics-sources';
import { createStatisticsStore } from '#statistics/statistics-store';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';

let database: TestDatabase;
let store: ReturnType<typeof createStatisticsStore>;
beforeAll(async () => {
  database = await openTestDatabase();
  store = createStatisticsStore(database.prisma);
});
afterAll(() => database?.close());

const NOW = Date.parse('2026-05-15T14:00:07Z');
const EVER = { from: NOW - 100 * DAY, thru: NOW + 100 * DAY };

function row(at: number, figures: ChainSample['figures'], fetchedAt = at) {
  return {
    symbol: 'sol' as const,
    source: 'solana-rpc' as const,
    record: statisticsRecord('sol', { at, figures }),
    at,
    fetchedAt,
  };
}

test('the last good record replaces the previous one, and is read unchanged', async () => {
  await store.record('statistics:sol', row(NOW - HOUR, { block_height: 1 }), undefined);
  // A value that a double represents, and a text with fewer digits would not.
  const figures = {
    block_height: 405_123_456,
    average_transaction_value: 27692567959233.586,
    current_supply: 0.1 + 0.2,
  };
  const newer = row(NOW, figures, NOW + 300);
  await store.record('statistics:sol', newer, undefined);
  const [only, ...others] = await store.latest(EVER);
  expect(only).toEqual(newer);
  expect(Object.keys(only?.record ?? {})).toEqual(Object.keys(newer.record));
  expect(others).toEqual([]);
  const refreshes = await createRefreshStore(database.prisma).read(['statistics:sol']);
  expect(refreshes).toEqual([{ what: 'statistics:sol', fetchedAt: NOW + 300, version: 2 }]);
});

test('a row of an unknown source, token or format is ignored', async () => {
  const instants = { at: new Date(NOW), fetchedAt: new Date(NOW) };
  await database.prisma.latestStatistics.createMany({
    data: [
      { token: 'btc', source: 'another', record: {}, ...instants },
      { token: 'doge', source: 'cryptocompare', record: {}, ...instants },
      { token: 'ar', source: 'arweave-node', record: { id: 'in another format' }, ...instants },
    ],
  });
  expect((await store.latest(EVER)).map(({ symbol }) => symbol)).toEqual(['sol']);
});

test('counters are stored by source, in order, and for three days', async () => {
  const at = (days: number) => NOW - days * DAY;
  for (const days of [4, 3, 2, 1]) {
    const counters = { at: at(days), transaction_count_all_time: 400_000_000_000 - days };
    await store.record('statistics:sol', row(at(days), {}), counters);
  }
  const other = { ...row(at(1), {}), source: 'cryptocompare' as const };
  await store.record('statistics:sol', other, { at: at(1), unique_addresses_all_time: 5 });
  expect(await store.counters('sol', 'solana-rpc', EVER)).toHaveLength(4);

  await store.record('statistics:sol', row(NOW, {}), { at: NOW, transaction_count_all_time: 7 });
  expect(await store.counters('sol', 'solana-rpc', EVER)).toEqual([
    { at: at(3), transaction_count_all_time: 399_999_999_997 },
    { at: at(2), transaction_count_all_time: 399_999_999_998 },
    { at: at(1), transaction_count_all_time: 399_999_999_999 },
    { at: NOW, transaction_count_all_time: 7 },
  ]);
  expect(await store.counters('sol', 'cryptocompare', EVER)).toEqual([{ at: at(1), unique_addresses_all_time: 5 }]);
  expect(await store.counters('sol', 'solana-rpc', { from: at(2), thru: at(1) })).toHaveLength(2);
  expect(await store.counters('ar', 'solana-rpc', EVER)).toEqual([]);
});

test('a second sample of the same time replaces the first', async () => {
  const sample = { at: NOW, transaction_count_all_time: 8, unique_addresses_all_time: 9 };
  await store.record('statistics:sol', row(NOW, {}), sample);
  expect((await store.counters('sol', 'solana-rpc', EVER)).at(-1)).toEqual(sample);
});

test('a failed write leaves no rows', async () => {
  const before = await store.latest(EVER);
  const tooLarge = { at: NOW + HOUR, transaction_count_all_time: 1e30 };
  await expect(store.record('statistics:sol', row(NOW + HOUR, {}), tooLarge)).rejects.toThrow();
  expect(await store.latest(EVER)).toEqual(before);
});
