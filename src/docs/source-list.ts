import { MARKET_SOURCES, type MarketSourceName } from '#prices/model/market-sources';
import { STATISTICS_KINDS, type StatisticsKind } from '#statistics/statistics-sources';

export const DATA_KINDS = ['latest', 'history', 'candles', 'statistics', 'rates'] as const;

type SourceEntry = {
  title: string;
  url: string;
  provides: (typeof DATA_KINDS)[number][];
  /** The URL of the terms; undefined for self-hosted software, whose terms depend on the host. */
  terms?: string;
  /** The required attribution, in which `title` becomes a link to `url`. */
  attribution?: string;
};

const ENTRIES: Readonly<Record<MarketSourceName | StatisticsKind | 'ecb', SourceEntry>> = {
  coingecko: {
    title: 'CoinGecko',
    url: 'https://www.coingecko.com',
    provides: ['latest', 'history'],
    terms: 'https://www.coingecko.com/en/terms',
    attribution: 'Powered by CoinGecko',
  },
  kraken: {
    title: 'Kraken',
    url: 'https://www.kraken.com',
    provides: ['latest', 'history', 'candles'],
    terms: 'https://www.kraken.com/legal',
  },
  ecb: {
    title: 'European Central Bank',
    url: 'https://www.ecb.europa.eu',
    provides: ['rates'],
    terms: 'https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html',
    attribution: 'Exchange rates: European Central Bank',
  },
  cryptocompare: {
    title: 'CryptoCompare (CoinDesk Data)',
    url: 'https://www.cryptocompare.com',
    provides: ['statistics'],
    terms: 'https://www.cryptocompare.com/terms-and-conditions/',
  },
  'bitcoin-stats': {
    title: 'Blockchain.com',
    url: 'https://www.blockchain.com',
    provides: ['statistics'],
    terms: 'https://www.blockchain.com/legal/terms',
  },
  'bitcoin-mempool': {
    title: 'mempool.space',
    url: 'https://mempool.space',
    provides: ['statistics'],
    terms: 'https://mempool.space/terms-of-service',
  },
  'ethereum-stats': { title: 'Blockscout', url: 'https://www.blockscout.com', provides: ['statistics'] },
  'solana-rpc': { title: 'a Solana RPC node', url: 'https://solana.com', provides: ['statistics'] },
  'arweave-node': { title: 'an Arweave gateway', url: 'https://arweave.org', provides: ['statistics'] },
};

const NAMES = [...MARKET_SOURCES, 'ecb', ...STATISTICS_KINDS] as const;
/** All sources: price sources first, then exchange rates, then statistics. */
export const SOURCES = NAMES.map((name) => {
  const { title, url, provides, terms = null, attribution = null } = ENTRIES[name];
  return { name, title, url, tells: provides, terms, attribution };
});
export const SOURCE_NAMES = NAMES as unknown as [(typeof NAMES)[number], ...(typeof NAMES)[number][]];

export const attributions = (link: (title: string, url: string) => string): string[] =>
  SOURCES.flatMap(({ title, url, attribution }) => attribution?.replace(title, link(title, url)) ?? []);
