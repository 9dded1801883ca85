import { BUILT_IN_TOKENS, type BuiltInToken } from '#catalogue/token';
import type { Figure } from './figures.ts';

type Symbols<T> = T extends { symbol: infer S extends string; statistics: true } ? S : never;
export type StatisticsSymbol = Symbols<BuiltInToken>;

export const STATISTICS_SYMBOLS = BUILT_IN_TOKENS.flatMap(({ symbol, statistics }) =>
  statistics ? [symbol] : [],
) as unknown as [StatisticsSymbol, ...StatisticsSymbol[]];

export const STATISTICS_KINDS = [
  'cryptocompare',
  'bitcoin-stats',
  'bitcoin-mempool',
  'ethereum-stats',
  'solana-rpc',
  'arweave-node',
] as const;
export type StatisticsKind = (typeof STATISTICS_KINDS)[number];
/** The source's kind, numbered from the second URL on (`solana-rpc-2`). It is not a URL, which may contain a secret. */
export type StatisticsSourceName = StatisticsKind | `${StatisticsKind}-${number}`;
const STATISTICS_SOURCE = `^(${STATISTICS_KINDS.join('|')})(-([2-9]|[1-9]\\d+))?$`;

export const isStatisticsSymbol = (text: string): text is StatisticsSymbol =>
  (STATISTICS_SYMBOLS as readonly string[]).includes(text);
export const isStatisticsSource = (text: string): text is StatisticsSourceName =>
  new RegExp(STATISTICS_SOURCE).test(text);

/** A figure that the source did not report is missing. */
export type ChainSample = {
  /** The sample's own time in Unix ms, always a whole second. */
  at: number;
  /** The source's own ID for the chain. */
  id?: number;
  /** The source's own symbol for the token. */
  partnerSymbol?: string;
  figures: Partial<Record<Figure, number>>;
};

export type StatisticsSource = {
  name: StatisticsSourceName;
  /** The figures for each chain if the response has every field. */
  figuresByToken: Partial<Record<StatisticsSymbol, readonly Figure[]>>;
  /** `withinMs` limits the whole sample. Throws `UpstreamFailure`, with `not_listed` for a chain that is not served. */
  sample(symbol: StatisticsSymbol, withinMs?: number): Promise<ChainSample>;
  close(): Promise<void>;
};

export type ConfiguredSource = {
  name: StatisticsSourceName;
  kind: StatisticsKind;
  url: string;
  /** The key, which is sent to this source only. */
  apiKey?: string | undefined;
};

/** Each chain's URLs, in the order in which they are tried. */
export type StatisticsConfiguration = {
  cryptocompare: { url: string; apiKey: string | undefined };
  bitcoin: readonly string[];
  ethereum: { urls: readonly string[]; apiKey: string | undefined };
  solana: readonly string[];
  arweave: readonly string[];
};

const pathOf = (url: string) => new URL(url).pathname.replace(/\/+$/, '');

/** mempool's API is under a path that ends in `/api`; the API of blockchain.info is under the root. */
export const isMempool = (url: string): boolean => pathOf(url).endsWith('/api');

/** Paths of Blockscout's hosted service start with the chain ID (`/1/api/v2`). A single URL always gets the key. */
export const keyedUrls = (urls: readonly string[]): readonly string[] =>
  urls.length === 1 ? urls : urls.filter((url) => /\/\d+\/api\/v2$/.test(pathOf(url)));

/** All sources in order of preference: CryptoCompare, which reports the most figures, then each chain's own sources. */
export function sourceOrder(configuration: StatisticsConfiguration): ConfiguredSource[] {
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
