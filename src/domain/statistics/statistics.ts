import { TOKENS } from '#domain/market/token';
import type { Figure } from './figures.ts';

/*
 * On-chain statistics: the tokens that have them, and which source tells which figures of them.
 */

type Symbols<T> = T extends { symbol: infer S extends string; statistics: true } ? S : never;
/** A token that has statistics, by its symbol in lower case. */
export type StatisticsSymbol = Symbols<(typeof TOKENS)[number]>;

export const STATISTICS_SYMBOLS = TOKENS.flatMap(({ symbol, statistics }) =>
  statistics ? [symbol] : [],
) as unknown as [StatisticsSymbol, ...StatisticsSymbol[]];

export const STATISTICS_SOURCES = [
  'cryptocompare',
  'bitcoin-stats',
  'ethereum-stats',
  'solana-rpc',
  'arweave-node',
] as const;
/** As the header `Quotient-Source` names it, and the log, the metric and the budget. */
export type StatisticsSourceName = (typeof STATISTICS_SOURCES)[number];

export const isStatisticsSymbol = (text: string): text is StatisticsSymbol =>
  (STATISTICS_SYMBOLS as readonly string[]).includes(text);
export const isStatisticsSource = (text: string): text is StatisticsSourceName =>
  (STATISTICS_SOURCES as readonly string[]).includes(text);

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
   * whatever `tells` has of it.
   *
   * @param withinMs the deadline of the whole sample, however many calls it takes, when that is less than the source's own
   */
  sample(symbol: StatisticsSymbol, withinMs?: number): Promise<ChainSample>;
  close(): Promise<void>;
};
