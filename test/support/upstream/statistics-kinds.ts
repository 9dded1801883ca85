import type { Sandbox } from '#sandbox/server';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openBitcoinStats, openMempool } from '#statistics/sources/bitcoin';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openSolanaRpc } from '#statistics/sources/solana';
import type { StatisticsOptions } from '#statistics/sources/source';
import type { StatisticsKind, StatisticsSource, StatisticsSymbol } from '#statistics/statistics-sources';

type Kind = {
  open: (options: StatisticsOptions) => StatisticsSource;
  url: (sandbox: Sandbox) => string;
  symbol: StatisticsSymbol;
  /** The calls of a sample without failures. */
  calls: number;
  /** The members that identify or date the sample, without which there is none. */
  required: RegExp;
};

export const KINDS: Record<StatisticsKind, Kind> = {
  cryptocompare: {
    open: (options) => openCryptoCompare({ ...options, apiKey: 'a-key' }),
    url: ({ cryptocompareUrl }) => cryptocompareUrl,
    symbol: 'btc',
    calls: 1,
    required: /^(Data|Response|Data\.(symbol|time))$/,
  },
  'bitcoin-stats': {
    open: openBitcoinStats,
    url: ({ bitcoinUrl }) => bitcoinUrl,
    symbol: 'btc',
    calls: 1,
    required: /^timestamp$/,
  },
  'bitcoin-mempool': {
    open: openMempool,
    url: ({ mempoolUrl }) => mempoolUrl,
    symbol: 'btc',
    calls: 3,
    required: /^never$/,
  },
  'ethereum-stats': {
    open: openEthereumStats,
    url: ({ ethereumUrl }) => ethereumUrl,
    symbol: 'eth',
    calls: 2,
    required: /^never$/,
  },
  'solana-rpc': {
    open: openSolanaRpc,
    url: ({ solanaUrl }) => solanaUrl,
    symbol: 'sol',
    calls: 3,
    required: /^(id|result)$/,
  },
  'arweave-node': {
    open: openArweaveNode,
    url: ({ arweaveUrl }) => arweaveUrl,
    symbol: 'ar',
    calls: 3,
    required: /^(height|timestamp)$/,
  },
};
