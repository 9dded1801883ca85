import { describe, expect, test } from 'vitest';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openMempool } from '#statistics/sources/bitcoin';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { haveRecordings, recording, recordingNames } from '../../support/upstream/recordings.ts';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const upstream = useUpstreamServer();

const named = (pattern: RegExp) => recordingNames('chain').filter((name) => pattern.test(name));
const parsed = (name: string) => JSON.parse(String(recording('chain', name).body));

describe.runIf(haveRecordings)('recorded responses', () => {
  test('mempool: the examples of its documentation', async () => {
    const [height, adjustment, rates] = [/tip_height/, /difficulty_adjustment_/, /mining_hashrate/].map(
      (pattern) => named(pattern)[0] ?? '',
    );
    const { figures } = await sampleFrom(upstream, [openMempool, 'btc'], ({ path }) => {
      if (path === '/blocks/tip/height') return recording('chain', height ?? '');
      return recording('chain', (path === '/v1/difficulty-adjustment' ? adjustment : rates) ?? '');
    });
    expect(figures).toEqual({
      block_height: 698767,
      hashrate: 252033247.3552123,
      difficulty: 31251101365711.12,
      block_time: 596.239,
    });
  });

  test.each(named(/^stats_/))('Blockscout: %s', async (name) => {
    const stats = parsed(name);
    const { figures } = await sampleFrom(upstream, [openEthereumStats, 'eth'], ({ path }) =>
      path === '/stats' ? recording('chain', name) : { status: 404, body: '{"message":"Not found"}' },
    );
    expect(figures).toEqual({
      unique_addresses_all_time: Number(stats.total_addresses),
      block_time: stats.average_block_time / 1000,
      ...(stats.transactions_today && { transaction_count: Number(stats.transactions_today) }),
      transaction_count_all_time: Number(stats.total_transactions),
    });
  });

  test.each(named(/^arweave_info_/))('Arweave: %s', async (name) => {
    const { figures } = await sampleFrom(upstream, [openArweaveNode, 'ar'], ({ path }) => {
      if (path === '/info') return recording('chain', name);
      const height = Number(path.replace('/block/height/', ''));
      return { body: JSON.stringify({ height, timestamp: 1_600_000_000 + 130 * (height % 720) }) };
    });
    expect(figures).toEqual({ block_height: parsed(name).height });
  });
});
