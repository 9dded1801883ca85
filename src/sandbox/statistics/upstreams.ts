import type { Clock } from '../domain/clock.ts';
import { createArweave } from './arweave.ts';
import { createBlockchainInfo } from './blockchain-info.ts';
import { createBlockscout } from './blockscout.ts';
import { createCryptoCompare } from './cryptocompare.ts';
import { createSolana } from './solana.ts';

/** The stand-ins for the sources of on-chain statistics, all of them telling of the same chains. */
export const createStatisticsUpstreams = (options: { seed: number; clock: Clock }) => ({
  cryptocompare: createCryptoCompare(options),
  bitcoin: createBlockchainInfo(options),
  ethereum: createBlockscout(options),
  solana: createSolana(options),
  arweave: createArweave(options),
});
