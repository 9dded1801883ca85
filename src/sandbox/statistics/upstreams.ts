import type { Clock } from '#domain/clock';
import { createArweave } from './arweave.ts';
import { createBlockchainInfo } from './blockchain-info.ts';
import { createBlockscout } from './blockscout.ts';
import { createCryptoCompare } from './cryptocompare.ts';
import { createSolana } from './solana.ts';

/** The stand-ins for the sources of on-chain statistics. They agree on the state of each chain. */
export const createStatisticsUpstreams = (options: { seed: number; clock: Clock }) => ({
  cryptocompare: createCryptoCompare(options),
  bitcoin: createBlockchainInfo(options),
  ethereum: createBlockscout(options),
  solana: createSolana(options),
  arweave: createArweave(options),
});
