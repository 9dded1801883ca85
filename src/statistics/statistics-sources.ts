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
