import { hashed } from '../core/noise.ts';
import { jsonReply, textReply } from '../core/replies.ts';
import { SECOND } from '../core/time.ts';
import type { Answer, Setting, Upstream } from '../core/upstream.ts';
import { createChainFigures } from './chain-figures.ts';

const BLOCK_PATH = /^\/block\/height\/(\d+)$/;
const CHUNK = 262_144; // bytes; blocks are stored in whole chunks
const HASHES = 2_600_000_000_000n; // for a block, on average
const DIFF = 2n ** 256n - 2n ** 256n / HASHES;

const hash = (seed: number, height: number) =>
  Buffer.from(
    Array.from({ length: 48 }, (_, place) => Math.floor(256 * hashed(seed, 6_000 + place, height))),
  ).toString('base64url');

/** The stand-in Arweave node: `/info` and `/block/height/{height}`. */
export function createArweave({ seed, clock }: Setting): Upstream {
  const chain = createChainFigures(seed, 'arweave');
  const mean = Math.round(chain.blockBytes / CHUNK);
  /** How far a block's chunks deviate from the average. It cancels out in every pair of blocks, so that the sum is known. */
  const deviation = (height: number) =>
    Math.floor(mean * hashed(seed, 6_100, height >> 1)) * (height % 2 === 0 ? 1 : -1);
  const weaveSize = (height: number) =>
    CHUNK * (mean * (height + 1) + (height % 2 === 0 ? deviation(height) : 0));

  const info = (now: number): Answer => {
    const height = chain.heightAt(now);
    return jsonReply(200, {
      network: 'arweave.N.1',
      version: 5,
      release: 80,
      height,
      current: hash(seed, height),
      blocks: height + 1,
      peers: 312,
      queue_length: 0,
      node_state_latency: 1,
    });
  };

  const block = (height: number): Answer =>
    jsonReply(200, {
      indep_hash: hash(seed, height),
      previous_block: hash(seed, height - 1),
      timestamp: Math.floor(chain.blockAt(height) / SECOND),
      height,
      diff: String(DIFF),
      cumulative_diff: String(HASHES * BigInt(height)),
      txs: [],
      weave_size: String(weaveSize(height)),
      block_size: String(CHUNK * (mean + deviation(height))),
    });

  return {
    prefix: '/arweave',
    endpointOf: (path) => path.replace(BLOCK_PATH, '/block/height/{height}'),
    answer({ method, path }) {
      if (method !== 'GET') return jsonReply(405, { error: 'method_not_allowed' });
      const now = clock.now();
      if (path === '/info') return info(now);
      const [, height] = BLOCK_PATH.exec(path) ?? [];
      if (height === undefined) return jsonReply(400, { error: 'Request type not found.' });
      return Number(height) <= chain.heightAt(now)
        ? block(Number(height))
        : textReply(404, 'Block not found.');
    },
  };
}
