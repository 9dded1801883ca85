import type { Sandbox } from '../../src/sandbox/server.ts';

/** The settings that have statistics asked of the sandbox, and of no public host. */
export const statisticsSettings = (sandbox: Sandbox): Record<string, string> => ({
  CRYPTOCOMPARE_URL: sandbox.cryptocompareUrl,
  BITCOIN_STATS_URL: sandbox.bitcoinUrl,
  ETHEREUM_STATS_URL: sandbox.ethereumUrl,
  SOLANA_RPC_URL: sandbox.solanaUrl,
  ARWEAVE_URL: sandbox.arweaveUrl,
});
