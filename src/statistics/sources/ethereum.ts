import { z } from 'zod';
import { SECOND } from '#core/clock';
import { isOutdated } from '#statistics/statistics-sources';
import { errorText, numberOrNumericString, type ReportedError, whole } from '#upstream/transport/json-response';
import {
  type FigureRules,
  figure,
  readableList,
  reportedFigures,
  rounded,
  sampleOf,
  statisticsSource,
} from './source.ts';

const statsResponse = z.object({
  average_block_time: figure(numberOrNumericString),
  total_addresses: figure(whole),
  total_transactions: figure(whole),
  transactions_today: figure(whole),
});
/** The explorer returns fifty blocks. A block has about forty fields and takes 3 KB. */
const MAX_BLOCKS = 250;
const MAX_BLOCKS_BYTES = 512 * 1024;
const block = z.object({ height: whole, size: figure(whole), timestamp: z.string().optional().catch(undefined) });
const blocksResponse = z.object({ items: readableList(block, MAX_BLOCKS) });

type Responses = {
  stats: z.infer<typeof statsResponse>;
  /** The newest blocks; undefined if the explorer does not return them. */
  blocks: z.infer<typeof blocksResponse>['items'] | undefined;
};

function meanSize(blocks: Responses['blocks'] = []): number | null {
  let total = 0;
  for (const { size } of blocks) {
    if (size == null) return null;
    total += size;
  }
  return rounded(blocks.length > 0 ? total / blocks.length : null);
}

/** The time of the newest block in Unix ms, which reveals an explorer that no longer indexes blocks. */
function newestTime(blocks: Responses['blocks'] = []): number | undefined {
  const times = blocks.map(({ timestamp }) => Date.parse(timestamp ?? '')).filter((at) => !Number.isNaN(at));
  return times.length > 0 ? Math.max(...times) : undefined;
}

/**
 * Blockscout, REST API v2 (docs.blockscout.com/api-reference). `/stats` contains the explorer's own counters, which are
 * updated about every half hour. A counter of 0 has not been calculated yet. `total_blocks` is a counter, not a height,
 * so the height comes from the newest block.
 */
const RULES: FigureRules<Responses> = {
  unique_addresses_all_time: ({ stats }) => stats.total_addresses,
  block_height: ({ blocks }) => blocks?.reduce((highest, { height }) => Math.max(highest, height), 0),
  // The mean over a hundred recent blocks, reported in ms.
  block_time: ({ stats: { average_block_time: ms } }) => ms && ms / SECOND,
  // The mean of the fifty newest blocks, in bytes.
  block_size: ({ blocks }) => meanSize(blocks),
  // The count for the last full day (UTC). Despite the field's name, the explorer reads the last completed row.
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
  async take(send, { name, clock, sendOptional }) {
    const stats = await send({ path: '/stats' }, statsResponse);
    const request = { path: '/blocks', query: { type: 'block' }, maxBytes: MAX_BLOCKS_BYTES };
    const blocks = await sendOptional(request, blocksResponse, ({ items }) => items);
    const newest = newestTime(blocks);
    const now = clock.now();
    const at = newest !== undefined && isOutdated(name, newest, now) ? newest : now;
    return sampleOf(name, RULES, { stats, blocks }, at);
  },
});
