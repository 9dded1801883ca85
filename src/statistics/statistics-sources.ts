import { BUILT_IN_TOKENS, type BuiltInToken } from '#catalogue/token';
import type { Figure } from './figures.ts';

/*
 * On-chain statistics: the tokens that have them, and which source tells which figures of them.
 */

type Symbols<T> = T extends { symbol: infer S extends string; statistics: true } ? S : never;
/** A token that has statistics, by its symbol in lower case. */
export type StatisticsSymbol = Symbols<BuiltInToken>;

export const STATISTICS_SYMBOLS = BUILT_IN_TOKENS.flatMap(({ symbol, statistics }) =>
  statistics ? [symbol] : [],
) as unknown as [StatisticsSymbol, ...StatisticsSymbol[]];

/** The kinds of source: what is asked, in which dialect, and what it tells. */
export const STATISTICS_KINDS = [
  'cryptocompare',
  'bitcoin-stats',
  'bitcoin-mempool',
  'ethereum-stats',
  'solana-rpc',
  'arweave-node',
] as const;
export type StatisticsKind = (typeof STATISTICS_KINDS)[number];
/**
 * As the header `Quotient-Source` names it, and the log, the metric and the budget: its kind, and from the second URL of
 * a kind on its place among them, as in `solana-rpc-2`. A URL may hold a secret, so no name is made of one.
 */
export type StatisticsSourceName = StatisticsKind | `${StatisticsKind}-${number}`;
/** What the name of a source matches. */
const STATISTICS_SOURCE = `^(${STATISTICS_KINDS.join('|')})(-([2-9]|[1-9]\\d+))?$`;

export const isStatisticsSymbol = (text: string): text is StatisticsSymbol =>
  (STATISTICS_SYMBOLS as readonly string[]).includes(text);
export const isStatisticsSource = (text: string): text is StatisticsSourceName =>
  new RegExp(STATISTICS_SOURCE).test(text);

/** What a source told of a chain at one moment; a figure that it did not tell is left out. */
export type ChainSample = {
  /** The sample's own time, in Unix ms; a whole second. */
  at: number;
  /** The source's own id of the chain, where it has one. */
  id?: number;
  /** The source's own name of the symbol, where it has one. */
  partnerSymbol?: string;
  figures: Partial<Record<Figure, number>>;
};

/** A source of statistics, open. */
export type StatisticsSource = {
  name: StatisticsSourceName;
  /** What it tells of each chain that it serves, when its answer has every field. */
  figuresByToken: Partial<Record<StatisticsSymbol, readonly Figure[]>>;
  /**
   * One sample of a chain. Throws `UpstreamFailure`; with `not_listed` when the source does not serve this chain,
   * whatever `figuresByToken` has of it.
   *
   * @param withinMs the deadline of the whole sample, however many calls it takes, when that is less than the source's own
   */
  sample(symbol: StatisticsSymbol, withinMs?: number): Promise<ChainSample>;
  close(): Promise<void>;
};

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
