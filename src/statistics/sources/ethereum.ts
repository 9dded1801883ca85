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
/** The explorer returns fifty blocks. A block has about forty fields and takes 3 KB. */
const MOST_BLOCKS = 250;
const MAX_BLOCKS_BYTES = 512 * 1024;
const blocksAnswer = z.object({ items: listOf(z.object({ height: whole, size: maybe(whole) }), MOST_BLOCKS) });

type Answers = {
  stats: z.infer<typeof statsAnswer>;
  /** The newest blocks; undefined if the explorer does not list blocks. */
  blocks: z.infer<typeof blocksAnswer>['items'] | undefined;
};

function meanSize(blocks: Answers['blocks'] = []): number | null {
  let total = 0;
  for (const { size } of blocks) {
    if (size == null) return null;
    total += size;
  }
  return rounded(blocks.length > 0 ? total / blocks.length : null);
}

/**
 * Blockscout, REST API v2 (docs.blockscout.com/api-reference). `/stats` contains the explorer's own counters, which are
 * updated about every half hour. A counter of 0 has not been calculated yet. `total_blocks` is a counter, not a height,
 * so the height comes from the newest block.
 */
const RULES: FigureRules<Answers> = {
  unique_addresses_all_time: ({ stats }) => stats.total_addresses,
  block_height: ({ blocks }) => blocks?.reduce((highest, { height }) => Math.max(highest, height), 0),
  // In ms: the mean over a hundred recent blocks.
  block_time: ({ stats: { average_block_time: ms } }) => ms && ms / SECOND,
  // In bytes: the mean of the fifty newest blocks.
  block_size: ({ blocks }) => meanSize(blocks),
  // For the last full day (UTC). Despite the field's name, the explorer reads the last completed row.
  transaction_count: ({ stats }) => stats.transactions_today,
  transaction_count_all_time: ({ stats }) => stats.total_transactions,
};

/** Statuses for an invalid key. The body of Blockscout's hosted service differs for each of these statuses. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 402]);

function errorIn(body: unknown, status: number, hasKey: boolean): ReportedError | undefined {
  if (!KEY_REFUSED.has(status)) return errorText(body);
  return { message: hasKey ? 'the API key was rejected, or has no credits left' : 'an API key is required' };
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
