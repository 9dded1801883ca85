import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { FIGURES } from '#statistics/figures';
import { statisticsRecord } from '#statistics/record';
import { tokenStatistics } from '#statistics/records';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openBitcoinStats, openMempool } from '#statistics/sources/bitcoin';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openSolanaRpc } from '#statistics/sources/solana';
import type { StatisticsOptions } from '#statistics/sources/source';
import {
  STATISTICS_KINDS,
  type StatisticsKind,
  type StatisticsSource,
  type StatisticsSymbol,
} from '#statistics/statistics-sources';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { startUpstreamServer, type UpstreamCall, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

/** An upstream's response to each of its calls. */
type Answers = (call: UpstreamCall) => unknown;

const measure = fc.double({ min: 0, max: 1e21, noNaN: true });
const mean = fc.double({ min: 0.51, max: 1e9, noNaN: true });
const count = fc.integer({ min: 1, max: 2 ** 50 });
const written = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, value.map(String));
const seconds = fc.integer({ min: 1_600_000_000, max: 1_700_000_000 });

const TALLIES = FIGURES.filter((figure) => /address|height|transaction_count/.test(figure));
const MEASURES = FIGURES.filter((figure) => !TALLIES.includes(figure) && figure !== 'block_size');
const each = <T>(names: readonly string[], value: fc.Arbitrary<T>) =>
  fc.record(Object.fromEntries(names.map((name) => [name, value])));

const cryptocompare = fc
  .tuple(fc.record({ id: count, time: seconds }), each(TALLIES, written(count)), each(MEASURES, measure), mean)
  .map(([head, tallies, measures, block_size]): Answers => {
    const Data = { ...head, symbol: 'ETH', ...tallies, ...measures, block_size };
    return () => ({ Response: 'Success', Data });
  });

const blockchainInfo = fc
  .record({
    timestamp: seconds.map((at) => at * 1000),
    ...{ n_blocks_total: count, n_tx: count, n_blocks_mined: fc.integer({ min: 1, max: 300 }) },
    ...{ hash_rate: measure, difficulty: measure, minutes_between_blocks: mean, totalbc: measure },
    blocks_size: fc.integer({ min: 1_000_000, max: 2 ** 40 }),
  })
  .map(
    (stats): Answers =>
      () =>
        stats,
  );

const mempool = fc.record({ height: count, timeAvg: mean, currentHashrate: measure, currentDifficulty: measure }).map(
  ({ height, timeAvg, ...rates }): Answers =>
    ({ path }) =>
      path.endsWith('/height') ? height : path.endsWith('/3d') ? rates : { timeAvg, remainingBlocks: 7 },
);

const blockscout = fc
  .record({
    average_block_time: mean,
    ...{
      total_addresses: written(count),
      total_transactions: written(count),
      transactions_today: written(count),
    },
    items: fc.array(fc.record({ height: count, size: fc.integer({ min: 1, max: 1e7 }) }), {
      minLength: 1,
      maxLength: 50,
    }),
  })
  .map(
    ({ items, ...stats }): Answers =>
      ({ path }) =>
        path.endsWith('/blocks') ? { items } : stats,
  );

const samples = fc.array(
  fc.record({
    numSlots: fc.integer({ min: 1, max: 200 }),
    samplePeriodSecs: fc.integer({ min: 1, max: 90 }),
  }),
);
const solana = fc
  .record({ blockHeight: count, transactionCount: count, total: measure, samples })
  .map(({ blockHeight, transactionCount, total, ...rest }): Answers => {
    const results: Record<string, unknown> = {
      getEpochInfo: { blockHeight, transactionCount },
      getSupply: { value: { total } },
      getRecentPerformanceSamples: rest.samples,
    };
    return ({ body }) => ({ id: 1, result: results[(JSON.parse(body) as { method: string }).method] });
  });

const arweave = fc
  .record({
    height: fc.integer({ min: 1, max: 2 ** 31 }),
    at: seconds,
    took: fc.integer({ min: 0, max: 1e6 }),
    grew: fc.bigInt({ min: 0n, max: 2n ** 52n }),
    diff: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  })
  .map(({ height, at, took, grew, diff }): Answers => {
    const block = (requested: number) => ({
      height: requested,
      timestamp: requested === height ? at : at - took,
      weave_size: String(requested === height ? 2n ** 60n + grew : 2n ** 60n),
      diff: String(diff),
    });
    return ({ path }) => (path === '/info' ? { height } : block(Number(path.replace('/block/height/', ''))));
  });

type Kind = {
  open: (options: StatisticsOptions) => StatisticsSource;
  symbol: StatisticsSymbol;
  answers: fc.Arbitrary<Answers>;
};
const KINDS: Record<StatisticsKind, Kind> = {
  cryptocompare: { open: openCryptoCompare, symbol: 'eth', answers: cryptocompare },
  'bitcoin-stats': { open: openBitcoinStats, symbol: 'btc', answers: blockchainInfo },
  'bitcoin-mempool': { open: openMempool, symbol: 'btc', answers: mempool },
  'ethereum-stats': { open: openEthereumStats, symbol: 'eth', answers: blockscout },
  'solana-rpc': { open: openSolanaRpc, symbol: 'sol', answers: solana },
  'arweave-node': { open: openArweaveNode, symbol: 'ar', answers: arweave },
};

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

/** The record as the API description defines it: `integer` allows no fraction. */
const isPublished = new Ajv2020({ strict: false, validateFormats: false }).compile(z.toJSONSchema(tokenStatistics));

test.each(STATISTICS_KINDS)('whatever values %s reports, its record conforms to the description', async (kind) => {
  const { open, symbol, answers } = KINDS[kind];
  const source = openTestStatistics(open, upstream.url);
  try {
    await fc.assert(
      fc.asyncProperty(answers, async (answer) => {
        upstream.follow((call) => ({ body: JSON.stringify(answer(call)) }));
        const record = statisticsRecord(symbol, await source.sample(symbol));
        const onTheWire: unknown = JSON.parse(JSON.stringify(record));
        expect(isPublished(onTheWire), JSON.stringify([isPublished.errors, record])).toBe(true);
        expect(record.block_height).toBeGreaterThan(0);
      }),
    );
  } finally {
    await source.close();
  }
});
