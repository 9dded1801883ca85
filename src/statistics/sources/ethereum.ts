import { z } from 'zod';
import { SECOND } from '#core/clock';
import { errorText, listOf, maybe, numeric, type ReportedError, whole } from '#upstream/transport/json-answer';
import { type FigureRules, reportedFigures, rounded, sampleOf, statisticsSource, unlessRefused } from './source.ts';

const statsAnswer = z.object({
  average_block_time: maybe(numeric),
  total_addresses: maybe(whole),
  total_transactions: maybe(whole),
  transactions_today: maybe(whole),
});
/** The explorer returns fifty blocks of some forty fields, 3 KB each. */
const MOST_BLOCKS = 250;
const MAX_BLOCKS_BYTES = 512 * 1024;
const blocksAnswer = z.object({ items: listOf(z.object({ height: whole, size: maybe(whole) }), MOST_BLOCKS) });

type Answers = {
  stats: z.infer<typeof statsAnswer>;
  /** Undefined if the explorer does not list blocks. */
  blocks: z.infer<typeof blocksAnswer>['items'] | undefined;
};

/** Null unless every block has a size. */
function meanSize(blocks: Answers['blocks'] = []): number | null {
  let total = 0;
  for (const { size } of blocks) {
    if (size == null) return null;
    total += size;
  }
  return rounded(blocks.length > 0 ? total / blocks.length : null);
}

/**
 * Blockscout, REST API v2 (docs.blockscout.com/api-reference). `/stats` has the explorer's own counters, renewed about
 * every half hour; 0 means not counted yet. `total_blocks` is such a counter, not a height: the height comes from the
 * newest block.
 */
const RULES: FigureRules<Answers> = {
  unique_addresses_all_time: ({ stats }) => stats.total_addresses,
  block_height: ({ blocks }) => blocks?.reduce((highest, { height }) => Math.max(highest, height), 0),
  // Milliseconds: the mean of a hundred recent blocks.
  block_time: ({ stats: { average_block_time: ms } }) => ms && ms / SECOND,
  // Bytes: the mean of the newest fifty blocks.
  block_size: ({ blocks }) => meanSize(blocks),
  // For the last full day (UTC): despite the name, the explorer reads the last completed row.
  transaction_count: ({ stats }) => stats.transactions_today,
  transaction_count_all_time: ({ stats }) => stats.total_transactions,
};

/** Blockscout's hosted service reports an invalid key in a different body for each of these. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 402]);

function errorIn(body: unknown, status: number, hasKey: boolean): ReportedError | undefined {
  if (!KEY_REFUSED.has(status)) return errorText(body);
  return { message: hasKey ? 'the API key was refused, or its credits are used up' : 'an API key is required' };
}

/** Blockscout, or its hosted service with a key (docs.blockscout.com/devs/pro-api-responses-and-routes). */
export const openEthereumStats = statisticsSource({
  kind: 'ethereum-stats',
  figuresByToken: { eth: reportedFigures(RULES) },
  authorization: (apiKey) => `Bearer ${apiKey}`,
  errorIn,
  async take(send, { name, clock }) {
    const stats = await send({ path: '/stats' }, statsAnswer);
    const newest = { path: '/blocks', query: { type: 'block' }, maxBytes: MAX_BLOCKS_BYTES };
    const blocks = await unlessRefused(send(newest, blocksAnswer, ({ items }) => items));
    return sampleOf(name, RULES, { stats, blocks }, clock.now());
  },
});
