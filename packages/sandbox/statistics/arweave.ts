import { z } from 'zod';
import { parseJson } from '../../cosmos/parsers.ts';
import { hashed, valueNoise } from '../noise.ts';
import { supplyAt } from '../prices/price-model.ts';
import { sandboxToken } from '../tokens.ts';
import { type Answer, DAY, jsonReply, MINUTE, routed, SECOND, type Setting, type Upstream } from '../upstream.ts';

const CHUNK = 262_144; // In bytes. A block's size is a multiple of the chunk size.
const HASHES = 2_600_000_000_000n; // The average number of hashes per block.
const DIFF = 2n ** 256n - 2n ** 256n / HASHES;

/** The stand-in for an Arweave node: `/info` and `/block/height/{height}`. */
export function createArweave({ seed, clock }: Setting): Upstream {
  const chain = createChainFigures(seed, 'arweave');
  const mean = Math.round(chain.blockBytes / CHUNK);
  /** The deviations of two adjacent blocks cancel out, so the total size can be computed. */
  const deviation = (height: number) =>
    Math.floor(mean * hashed(seed, 6_100, height >> 1)) * (height % 2 === 0 ? 1 : -1);
  const weaveSize = (height: number) => CHUNK * (mean * (height + 1) + (height % 2 === 0 ? deviation(height) : 0));

  const block = (height: number): Answer =>
    jsonReply(200, {
      timestamp: Math.floor(chain.blockAt(height) / SECOND),
      height,
      diff: String(DIFF),
      weave_size: String(weaveSize(height)),
      block_size: String(CHUNK * (mean + deviation(height))),
    });

  const routes = {
    'GET /info': ({ now }: { now: number }) => jsonReply(200, { network: 'arweave.N.1', height: chain.heightAt(now) }),
    'GET /block/height/{height}': (_request: unknown, height: string) => block(Number(height)),
  };
  return routed('/arweave', clock, routes, () => jsonReply(400, { error: 'Request type not found.' }));
}

const LAMPORTS = 1e9;
const FILLED_SLOTS = 0.95;

const rpcRequest = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()).default([]) });

const failed = (id: number | null, code: number, message: string) =>
  jsonReply(200, { jsonrpc: '2.0', error: { code, message }, id });

/** The stand-in for a Solana node: JSON-RPC 2.0. JSON-RPC errors have HTTP status 200. */
export function createSolana({ seed, clock }: Setting): Upstream {
  const chain = createChainFigures(seed, 'solana');
  const slotMs = chain.blockSeconds * SECOND * FILLED_SLOTS;
  const slotAt = (now: number) => Math.floor(chain.heightAt(now) / FILLED_SLOTS);

  const methods: Record<string, (now: number, count: unknown) => unknown> = {
    getEpochInfo(now) {
      const absoluteSlot = slotAt(now);
      return { absoluteSlot, blockHeight: chain.heightAt(now), transactionCount: chain.transactionsAt(now) };
    },

    getSupply(now) {
      const total = chain.supplyAt(now) * LAMPORTS;
      return { context: { slot: slotAt(now) }, value: { total } };
    },

    getRecentPerformanceSamples(now, count) {
      const minute = Math.floor(now / MINUTE);
      return Array.from({ length: Number(count) }, (_, back) => {
        const at = (minute - back) * MINUTE;
        const transactions = chain.transactionsAt(at) - chain.transactionsAt(at - MINUTE);
        return { numSlots: Math.round(MINUTE / slotMs), numTransactions: transactions, samplePeriodSecs: 60 };
      });
    },
  };

  return {
    prefix: '/solana',
    rateLimited: () => failed(null, 429, 'Too many requests for a specific RPC call'),
    answer({ body }) {
      const { id, method, params } = rpcRequest.parse(parseJson(body));
      const respond = methods[method];
      if (!respond) return failed(id, -32601, 'Method not found');
      return jsonReply(200, { jsonrpc: '2.0', result: respond(clock.now(), params[0]), id });
    },
  };
}

// The growth of each chain: synthetic values of a realistic magnitude.
const CHAINS = {
  bitcoin: { blockSeconds: 598, blockBytes: 1_450_000, dailyTransactions: 200_000, dailyAddresses: 220_000 },
  arweave: { blockSeconds: 128, blockBytes: 90_000_000, dailyTransactions: 60_000, dailyAddresses: 300 },
  ethereum: { blockSeconds: 13, blockBytes: 95_000, dailyTransactions: 800_000, dailyAddresses: 110_000 },
  solana: { blockSeconds: 0.48, blockBytes: 90_000, dailyTransactions: 2.2e8, dailyAddresses: 1_500_000 },
};

export const DIFFICULTY = 110_000_000_000_000;
const LANES = { transactions: 5_000, addresses: 5_100, blockTimes: 5_200, blockBytes: 5_300 };
// The noise changes by at most 3 per day. With this factor, totals never decrease.
const SWING = 0.2;

export type ChainFigures = ReturnType<typeof createChainFigures>;

/** The figures of a chain, determined by the seed. Totals never decrease. */
export function createChainFigures(seed: number, token: keyof typeof CHAINS) {
  const { blockSeconds, blockBytes, dailyTransactions, dailyAddresses } = CHAINS[token];
  const launchedAt = Date.parse(sandboxToken(token)?.begins ?? '');
  const blockMs = blockSeconds * SECOND;
  const place = Object.keys(CHAINS).indexOf(token);

  function totalAt(t: number, daily: number, lane: number): number {
    const days = (t - launchedAt) / DAY;
    return Math.max(0, Math.round(daily * (days + 1 + SWING * valueNoise(seed, lane + place, days))));
  }

  return {
    blockSeconds,
    blockBytes,
    heightAt: (t: number) => Math.max(0, Math.floor((t - launchedAt) / blockMs)),
    /** The time of a block in Unix ms. It increases with the height. */
    blockAt: (height: number) =>
      Math.floor(launchedAt + (height + 0.9 * hashed(seed, LANES.blockTimes + place, height)) * blockMs - blockMs),
    /** The size of a block: 0.5 to 1.5 times the average. */
    blockBytesAt: (height: number) => Math.floor(blockBytes * (0.5 + hashed(seed, LANES.blockBytes + place, height))),
    transactionsAt: (t: number) => totalAt(t, dailyTransactions, LANES.transactions),
    addressesAt: (t: number) => totalAt(t, dailyAddresses, LANES.addresses),
    supplyAt: (t: number) => supplyAt(token, t),
  };
}
