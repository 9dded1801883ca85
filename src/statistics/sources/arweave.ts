import { z } from 'zod';
import { SECOND } from '#core/clock';
import { UpstreamFailure } from '#upstream/failures/failure';
import { digits, instant, maybe, whole } from '#upstream/transport/json-response';
import { type FigureRules, reportedFigures, rounded, sampleOf, statisticsSource } from './source.ts';

/** The number of blocks in about a day. */
const BLOCKS_BACK = 720;
/** In bytes. A block may contain the proofs of two chunks, 256 KiB each before they are encoded. */
const MAX_BLOCK_BYTES = 1024 * 1024;
const MAX_DIFF = 2n ** 256n;
const infoResponse = z.object({ height: whole });
const blockResponse = z.object({
  height: whole,
  timestamp: instant(SECOND),
  // Older nodes send numbers. Newer nodes send strings, because the values exceed a safe integer.
  diff: maybe(digits).catch(null),
  weave_size: maybe(digits).catch(null),
});
type Block = z.infer<typeof blockResponse>;
/** The newest block, and the block `BLOCKS_BACK` blocks before it, if the node returns it. */
type Ends = { tip: Block; base: Block | undefined };

function perBlock({ tip, base }: Ends, of: (block: Block) => bigint | number | null | undefined) {
  if (!base) return null;
  const last = of(tip);
  const first = of(base);
  if (last == null || first == null) return null;
  return Number(BigInt(last) - BigInt(first)) / (tip.height - base.height);
}

/** An Arweave node (docs.arweave.org/developers/arweave-node-server/http-api; the fields: the node's own `ar.hrl`). */
const RULES: FigureRules<Ends> = {
  // `height` of `/info`.
  block_height: ({ tip }) => tip.height,
  // A hash must exceed `diff`, which is too close to 2^256 for a double. As in the node's `cumulative_diff`, the figure
  // is the mean number of hashes needed for a block: 2^256 / (2^256 - diff).
  difficulty: ({ tip: { diff } }) => (diff != null && diff < MAX_DIFF ? Number(MAX_DIFF / (MAX_DIFF - diff)) : null),
  // `timestamp`, in seconds: the mean interval between the last 720 blocks.
  block_time: (ends) => perBlock(ends, ({ timestamp }) => timestamp / SECOND),
  // `weave_size`, in bytes: the mean growth per block over the last 720 blocks.
  block_size: (ends) => rounded(perBlock(ends, ({ weave_size }) => weave_size)),
};

/** The time of the sample is the time of the newest block. */
export const openArweaveNode = statisticsSource({
  kind: 'arweave-node',
  figuresByToken: { ar: reportedFigures(RULES) },
  async take(send, { name, sendOptional }) {
    const requestOf = (height: number) => ({ path: `/block/height/${height}`, maxBytes: MAX_BLOCK_BYTES });
    const isBlock = (height: number) => (found: Block) => {
      if (found.height === height) return found;
      throw new UpstreamFailure(name, 'unexpected', `block ${found.height} instead of ${height}`);
    };
    const { height } = await send({ path: '/info' }, infoResponse);
    const back = Math.min(BLOCKS_BACK, height);
    const [tip, base] = await Promise.all([
      send(requestOf(height), blockResponse, isBlock(height)),
      back > 0 ? sendOptional(requestOf(height - back), blockResponse, isBlock(height - back)) : undefined,
    ]);
    return sampleOf(name, RULES, { tip, base }, tip.timestamp);
  },
});
