import type { StatisticsKind, StatisticsSourceName } from './statistics-sources.ts';

/** A source as it is configured. */
export type ConfiguredSource = {
  name: StatisticsSourceName;
  kind: StatisticsKind;
  url: string;
  /** Sent to this source and to no other. */
  apiKey?: string | undefined;
};

/** URLs of each chain in the order in which they are tried; keys where there are any. */
export type StatisticsConfiguration = {
  cryptocompare: { url: string; apiKey: string | undefined };
  bitcoin: readonly string[];
  ethereum: { urls: readonly string[]; apiKey: string | undefined };
  solana: readonly string[];
  arweave: readonly string[];
};

const pathOf = (url: string) => new URL(url).pathname.replace(/\/+$/, '');

/** mempool's interface lies below a path that ends in `/api`; blockchain.info's below its root. */
export const isMempool = (url: string): boolean => pathOf(url).endsWith('/api');

/**
 * The URLs that a key for Ethereum's statistics is sent to. Blockscout's own service has the chain's id before its path,
 * as in `/1/api/v2`, and an explorer, which needs no key, has not. A URL that is the only one is what its key is for.
 */
export const keyedUrls = (urls: readonly string[]): readonly string[] =>
  urls.length === 1 ? urls : urls.filter((url) => /\/\d+\/api\/v2$/.test(pathOf(url)));

/** All sources in the order of preference: CryptoCompare, which tells most, then each chain's own as they are listed. */
export function lineUp(configuration: StatisticsConfiguration): ConfiguredSource[] {
  const { cryptocompare, bitcoin, ethereum, solana, arweave } = configuration;
  const keyed = keyedUrls(ethereum.urls);
  const inOrder: Omit<ConfiguredSource, 'name'>[] = [
    { kind: 'cryptocompare', ...cryptocompare },
    ...bitcoin.map((url) => ({ kind: isMempool(url) ? 'bitcoin-mempool' : 'bitcoin-stats', url }) as const),
    ...ethereum.urls.map((url) => {
      const apiKey = keyed.includes(url) ? ethereum.apiKey : undefined;
      return { kind: 'ethereum-stats', url, apiKey } as const;
    }),
    ...solana.map((url) => ({ kind: 'solana-rpc', url }) as const),
    ...arweave.map((url) => ({ kind: 'arweave-node', url }) as const),
  ];
  const places = new Map<StatisticsKind, number>();
  return inOrder.map((source) => {
    const place = (places.get(source.kind) ?? 0) + 1;
    places.set(source.kind, place);
    return { name: place === 1 ? source.kind : `${source.kind}-${place}`, ...source };
  });
}
