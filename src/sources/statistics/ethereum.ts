import { z } from 'zod';
import { SECOND } from '#domain/clock';
import type { StatisticsSource } from '#domain/statistics/statistics';
import { createJsonReader, errorText } from '#sources/transport/json-answer';
import { listOf, maybe, numeric, whole } from '#sources/transport/number';
import { type FigureRules, figuresTold, sampleOf } from './chain-figures.ts';
import { openStatisticsUpstream, type StatisticsOptions, unlessRefused } from './source.ts';

const NAME = 'ethereum-stats';

const statsAnswer = z.object({
  average_block_time: maybe(numeric),
  total_addresses: maybe(whole),
  total_transactions: maybe(whole),
  transactions_today: maybe(whole),
});
/** The newest blocks: the explorer gives fifty, each of some forty fields, 3 KB. */
const MOST_BLOCKS = 250;
const MAX_BLOCKS_BYTES = 512 * 1024;
const blocksAnswer = z.object({
  items: listOf(z.object({ height: whole, size: maybe(whole) }), MOST_BLOCKS),
});

type Answers = {
  stats: z.infer<typeof statsAnswer>;
  /** The newest blocks, fifty of them; nothing where the explorer does not list them. */
  blocks: z.infer<typeof blocksAnswer>['items'] | undefined;
};

/** The mean of the blocks' sizes; nothing unless each has one. */
function meanSize(blocks: Answers['blocks'] = []): number | null {
  let total = 0;
  for (const { size } of blocks) {
    if (size == null) return null;
    total += size;
  }
  return blocks.length > 0 ? total / blocks.length : null;
}

/**
 * Blockscout, REST API v2 (docs.blockscout.com/api-reference). The totals are the explorer's own counters, which it
 * renews every half hour or so. Its `total_blocks` is such a counter too, no height, and stays out: the newest block
 * tells its height itself. It writes 0 for what it has not counted yet.
 */
export const ETHEREUM_FIGURES: FigureRules<Answers> = {
  unique_addresses_all_time: {
    origin: '`total_addresses` of `/stats`: every address the explorer has seen, as it last counted',
    of: ({ stats }) => stats.total_addresses,
  },
  block_height: {
    origin: '`height` of the newest block of `/blocks?type=block`',
    of: ({ blocks }) => blocks?.reduce((highest, { height }) => Math.max(highest, height), 0),
  },
  block_time: {
    origin: '`average_block_time` of `/stats`, ms, divided by 1,000: the mean of a hundred recent blocks',
    of: ({ stats: { average_block_time: ms } }) => ms && ms / SECOND,
  },
  block_size: {
    origin: '`size` (bytes), the mean of the blocks of `/blocks?type=block`, the newest fifty',
    of: ({ blocks }) => meanSize(blocks),
  },
  transaction_count: {
    // "today" in name alone: the explorer reads the row of the day before, the last one that is over.
    origin: '`transactions_today` of `/stats`: of the last full day, UTC',
    of: ({ stats }) => stats.transactions_today,
  },
  transaction_count_all_time: {
    origin: '`total_transactions` of `/stats`, as the explorer last counted',
    of: ({ stats }) => stats.total_transactions,
  },
};

const read = createJsonReader(NAME, errorText);

/** Statistics of Ethereum from a Blockscout explorer. The sample's time is the moment of the answer. */
export function openEthereumStats(options: StatisticsOptions): StatisticsSource {
  const { clock } = options;
  const tells = { eth: figuresTold(ETHEREUM_FIGURES) };
  const upstream = openStatisticsUpstream(NAME, tells, options);

  return {
    name: NAME,
    tells,
    async sample(symbol, withinMs) {
      upstream.serving(symbol);
      const left = upstream.deadline(withinMs);
      const stats = await upstream.ask({ path: '/stats', withinMs: left() }, (answer) =>
        read(statsAnswer, answer, clock.now()),
      );
      const newest = {
        path: '/blocks',
        query: { type: 'block' },
        withinMs: left(),
        maxBytes: MAX_BLOCKS_BYTES,
      };
      const blocks = await unlessRefused(
        upstream.ask(newest, (answer) => read(blocksAnswer, answer, clock.now()).items),
      );
      return sampleOf(NAME, ETHEREUM_FIGURES, { stats, blocks }, clock.now());
    },
    close: upstream.close,
  };
}
