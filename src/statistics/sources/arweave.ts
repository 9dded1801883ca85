import { z } from 'zod';
import { SECOND } from '#core/clock';
import { UpstreamFailure } from '#upstream/failure';
import { digits, instant, maybe, whole } from '#upstream/transport/json-answer';
import { type FigureRules, figuresTold, rounded, sampleOf, statisticsSource } from './source.ts';

/** How far back the other end of a mean lies: about a day of blocks. */
const BLOCKS_BACK = 720;
/** The largest block, in bytes: it may have the proofs of two chunks in it, 256 KiB each before they become text. */
const MAX_BLOCK_BYTES = 1024 * 1024;
/** One more than the largest hash. */
const MAX_DIFF = 2n ** 256n;

const infoAnswer = z.object({ height: whole });
const blockAnswer = z.object({
  height: whole,
  timestamp: instant(SECOND),
  // Both were numbers once and are texts now: they outgrow what a number holds.
  diff: maybe(digits),
  weave_size: maybe(digits),
});
type Block = z.infer<typeof blockAnswer>;
/** The newest block, and the one so many before it; the genesis block has none before it. */
type Ends = { tip: Block; base: Block | undefined };

/** How much something grew with each block between the two. */
function perBlock({ tip, base }: Ends, of: (block: Block) => bigint | number | null | undefined) {
  if (!base) return null;
  const [last, first] = [of(tip), of(base)];
  if (last == null || first == null) return null;
  return Number(BigInt(last) - BigInt(first)) / (tip.height - base.height);
}

/** An Arweave node (docs.arweave.org/developers/arweave-node-server/http-api; the fields: the node's own `ar.hrl`). */
const RULES: FigureRules<Ends> = {
  // `height` of `/info`.
  block_height: ({ tip }) => tip.height,
  // `diff` of the newest block is the number that a hash must exceed, too near 2^256 for a number to tell. The node's
  // own measure, which it adds up as `cumulative_diff`, is the hashes that takes on average: 2^256 / (2^256 - diff).
  difficulty: ({ tip: { diff } }) => (diff != null && diff < MAX_DIFF ? Number(MAX_DIFF / (MAX_DIFF - diff)) : null),
  // `timestamp`, seconds: the mean distance of the last 720 blocks.
  block_time: (ends) => perBlock(ends, ({ timestamp }) => timestamp / SECOND),
  // `weave_size`, bytes: what each of the last 720 blocks added to it on average.
  block_size: (ends) => rounded(perBlock(ends, ({ weave_size }) => weave_size)),
};

/** Statistics of Arweave from a node. The sample's time is that of the newest block. */
export const openArweaveNode = statisticsSource({
  kind: 'arweave-node',
  figuresByToken: { ar: figuresTold(RULES) },
  async take(ask, { name }) {
    const block = (height: number) =>
      ask({ path: `/block/height/${height}`, maxBytes: MAX_BLOCK_BYTES }, blockAnswer, (found) => {
        if (found.height === height) return found;
        throw new UpstreamFailure(name, 'unexpected', `block ${found.height} in place of ${height}`);
      });
    const { height } = await ask({ path: '/info' }, infoAnswer);
    const back = Math.min(BLOCKS_BACK, height);
    const [tip, base] = await Promise.all([block(height), back > 0 ? block(height - back) : undefined]);
    return sampleOf(name, RULES, { tip, base }, tip.timestamp);
  },
});
