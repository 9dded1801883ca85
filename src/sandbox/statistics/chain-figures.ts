import { DAY, SECOND } from '../domain/clock.ts';
import type { StatisticsSymbol } from '../domain/statistics.ts';
import type { TokenName } from '../domain/token.ts';
import { supplyAt } from './market.ts';
import { hashed, valueNoise } from './noise.ts';

/**
 * A chain's pace: blocks come every `blockSeconds` from `began` on, and by the day so many transactions and so many
 * addresses that were not there before.
 */
type Pace = {
  token: TokenName;
  began: number;
  blockSeconds: number;
  blockBytes: number;
  dailyTransactions: number;
  dailyAddresses: number;
};

// Invented figures of the right magnitude: no chain's data is in here.
const PACES: Record<StatisticsSymbol, Pace> = {
  btc: {
    ...{
      token: 'bitcoin',
      began: Date.parse('2009-01-03T18:15:05Z'),
      blockSeconds: 598,
      blockBytes: 1_450_000,
    },
    ...{ dailyTransactions: 200_000, dailyAddresses: 220_000 },
  },
  ar: {
    ...{
      token: 'arweave',
      began: Date.parse('2018-06-08T12:00:00Z'),
      blockSeconds: 128,
      blockBytes: 90_000_000,
    },
    ...{ dailyTransactions: 60_000, dailyAddresses: 300 },
  },
  eth: {
    ...{ token: 'ethereum', began: Date.parse('2015-07-30T15:26:13Z'), blockSeconds: 13, blockBytes: 95_000 },
    ...{ dailyTransactions: 800_000, dailyAddresses: 110_000 },
  },
  sol: {
    ...{ token: 'solana', began: Date.parse('2020-03-16T14:29:00Z'), blockSeconds: 0.48, blockBytes: 90_000 },
    ...{ dailyTransactions: 220_000_000, dailyAddresses: 1_500_000 },
  },
};

const LANES = { transactions: 5_000, addresses: 5_100, blockTimes: 5_200, blockBytes: 5_300 };
// The noise rises by at most three in a day, so a total with this much of a day's rate in noise never falls.
const SWING = 0.2;

export type SandboxChain = ReturnType<typeof createChain>;

/** A chain whose figures follow from the seed alone; what counts something only grows in time. */
export function createChain(seed: number, symbol: StatisticsSymbol) {
  const { token, began, blockSeconds, blockBytes, dailyTransactions, dailyAddresses } = PACES[symbol];
  const blockMs = blockSeconds * SECOND;
  const place = Object.keys(PACES).indexOf(symbol);

  function totalAt(t: number, daily: number, lane: number): number {
    const days = (t - began) / DAY;
    return Math.max(0, Math.round(daily * (days + 1 + SWING * valueNoise(seed, lane + place, days))));
  }

  return {
    blockSeconds,
    blockBytes,
    /** The height of the newest block at `t` (Unix ms). */
    heightAt: (t: number) => Math.max(0, Math.floor((t - began) / blockMs)),
    /** When a block was found, in Unix ms: never before the one ahead of it. */
    blockAt: (height: number) =>
      Math.floor(began + (height + 0.9 * hashed(seed, LANES.blockTimes + place, height)) * blockMs - blockMs),
    /** The bytes of one block: half to one and a half times the mean. */
    blockBytesAt: (height: number) =>
      Math.floor(blockBytes * (0.5 + hashed(seed, LANES.blockBytes + place, height))),
    transactionsAt: (t: number) => totalAt(t, dailyTransactions, LANES.transactions),
    addressesAt: (t: number) => totalAt(t, dailyAddresses, LANES.addresses),
    /** Coins there are. */
    supplyAt: (t: number) => supplyAt(token, t),
  };
}
