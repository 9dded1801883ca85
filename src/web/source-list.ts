import { MARKET_SOURCES, type MarketSourceName, type SourceFacts } from '#prices/model/market-sources';
import { SOURCE_FACTS } from '#prices/sources/price-sources';
import { STATISTICS_KINDS, type StatisticsKind } from '#statistics/statistics-sources';

export const DATA_KINDS = ['latest', 'history', 'candles', 'statistics', 'rates'] as const;

const ENTRIES: Readonly<Record<MarketSourceName | StatisticsKind | 'ecb', SourceFacts>> = {
  ...SOURCE_FACTS,
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
