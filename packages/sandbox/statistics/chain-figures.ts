import { hashed, valueNoise } from '../core/noise.ts';
import { DAY, SECOND } from '../core/time.ts';
import { supplyAt } from '../market/price-model.ts';
import { sandboxToken } from '../market/tokens.ts';

// How each chain grows: invented values of the right magnitude, taken from no chain.
const CHAINS = {
  bitcoin: { blockSeconds: 598, blockBytes: 1_450_000, dailyTransactions: 200_000, dailyAddresses: 220_000 },
  arweave: { blockSeconds: 128, blockBytes: 90_000_000, dailyTransactions: 60_000, dailyAddresses: 300 },
  ethereum: { blockSeconds: 13, blockBytes: 95_000, dailyTransactions: 800_000, dailyAddresses: 110_000 },
  solana: { blockSeconds: 0.48, blockBytes: 90_000, dailyTransactions: 2.2e8, dailyAddresses: 1_500_000 },
};

/** Of Bitcoin; its hash rate follows from it. */
export const DIFFICULTY = 110_000_000_000_000;

const LANES = { transactions: 5_000, addresses: 5_100, blockTimes: 5_200, blockBytes: 5_300 };
// The noise changes by at most three in a day, so that with this share of it a total never falls.
const SWING = 0.2;

export type ChainFigures = ReturnType<typeof createChainFigures>;

/** The figures of a chain, which follow from the seed. Counts only grow. */
export function createChainFigures(seed: number, token: keyof typeof CHAINS) {
  const { blockSeconds, blockBytes, dailyTransactions, dailyAddresses } = CHAINS[token];
  const began = Date.parse(sandboxToken(token)?.begins ?? '');
  const blockMs = blockSeconds * SECOND;
  const place = Object.keys(CHAINS).indexOf(token);

  function totalAt(t: number, daily: number, lane: number): number {
    const days = (t - began) / DAY;
    return Math.max(0, Math.round(daily * (days + 1 + SWING * valueNoise(seed, lane + place, days))));
  }

  return {
    blockSeconds,
    blockBytes,
    /** The height of the newest block at `t` (Unix ms). */
    heightAt: (t: number) => Math.max(0, Math.floor((t - began) / blockMs)),
    /** The time of a block (Unix ms), never before that of the previous one. */
    blockAt: (height: number) =>
      Math.floor(began + (height + 0.9 * hashed(seed, LANES.blockTimes + place, height)) * blockMs - blockMs),
    /** The size of a block: 0.5 to 1.5 times the average. */
    blockBytesAt: (height: number) =>
      Math.floor(blockBytes * (0.5 + hashed(seed, LANES.blockBytes + place, height))),
    transactionsAt: (t: number) => totalAt(t, dailyTransactions, LANES.transactions),
    addressesAt: (t: number) => totalAt(t, dailyAddresses, LANES.addresses),
    supplyAt: (t: number) => supplyAt(token, t),
  };
}
