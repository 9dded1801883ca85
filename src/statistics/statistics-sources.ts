import { BUILT_IN_TOKENS, type BuiltInToken } from '#catalogue/token';
import { DAY, HOUR } from '#core/clock';
import { isOneOf, memberNames } from '#core/names';
import { type Budget, leftOf, monthOf, type SpentBudget } from '#upstream/budget';
import { FIGURES, type Figure } from './statistics-records.ts';

type Symbols<T> = T extends { symbol: infer S extends string; statistics: true } ? S : never;
export type StatisticsSymbol = Symbols<BuiltInToken>;

export const STATISTICS_SYMBOLS = BUILT_IN_TOKENS.flatMap(({ symbol, statistics }) =>
  statistics ? [symbol] : [],
) as unknown as [StatisticsSymbol, ...StatisticsSymbol[]];

/** The calls per sample, the tokens of a source, and the interval at which it updates figures, in ms. */
const KINDS = {
  // CryptoCompare currently lists two of the four chains. The service requests the other chains once a day. Publishes
  // one record per UTC day.
  cryptocompare: { calls: 1, tokens: 4, updateInterval: DAY },
  'bitcoin-stats': { calls: 1, tokens: 1, updateInterval: HOUR },
  // The height, the mean block time, and the hash rate with the difficulty.
  'bitcoin-mempool': { calls: 3, tokens: 1, updateInterval: HOUR },
  // The counters, and the newest blocks.
  'ethereum-stats': { calls: 2, tokens: 1, updateInterval: HOUR },
  // getEpochInfo, getSupply and getRecentPerformanceSamples.
  'solana-rpc': { calls: 3, tokens: 1, updateInterval: HOUR },
  // The node's height, and the blocks at both ends of a day.
  'arweave-node': { calls: 3, tokens: 1, updateInterval: HOUR },
} as const;
export type StatisticsKind = keyof typeof KINDS;
export const STATISTICS_KINDS = memberNames(KINDS);

/** Chains without mining. For these chains, sources report 0 or the figure of the last mined block. */
const PROOF_OF_STAKE: ReadonlySet<StatisticsSymbol> = new Set<StatisticsSymbol>(['eth', 'sol']);
const MINING: ReadonlySet<Figure> = new Set<Figure>(['hashrate', 'difficulty']);

export const figuresOf = (symbol: StatisticsSymbol): readonly Figure[] =>
  PROOF_OF_STAKE.has(symbol) ? FIGURES.filter((figure) => !MINING.has(figure)) : FIGURES;

/** How often a requested token's statistics are fetched, in ms. No figure changes more often. */
const FETCH_INTERVAL = HOUR;

/**
 * Allows twice the scheduled calls per month, which leaves half for retries, probes and restarts. Allows six samples
 * per token and minute, because blockchain.info, the strictest public host, allows one call every ten seconds.
 */
export function statisticsBudget(kind: StatisticsKind): Budget {
  const { calls, tokens } = KINDS[kind];
  return { perMinute: 6 * calls * tokens, perMonth: ((2 * 31 * DAY) / FETCH_INTERVAL) * calls * tokens };
}

/** Throttles the schedule proportionally to the budget. Returns the times between samples and between calls, in ms. */
export function throttledStatistics(kind: StatisticsKind, { limits, spent, now }: SpentBudget) {
  const { calls, tokens } = KINDS[kind];
  const timeLeft = monthOf(now).end - now;
  const left = leftOf(limits, spent);
  if (left <= 0) return { every: Number.POSITIVE_INFINITY, apart: Number.POSITIVE_INFINITY };
  const planned = (timeLeft / FETCH_INTERVAL) * calls * tokens;
  return { every: FETCH_INTERVAL * Math.max(1, planned / left), apart: timeLeft / left };
}
/** The source's kind, numbered from the second URL on (`solana-rpc-2`). It is not a URL, which may contain a secret. */
export type StatisticsSourceName = StatisticsKind | `${StatisticsKind}-${number}`;
const STATISTICS_SOURCE = `^(${STATISTICS_KINDS.join('|')})(-([2-9]|[1-9]\\d+))?$`;

export const isStatisticsSymbol = (text: string): text is StatisticsSymbol => isOneOf(STATISTICS_SYMBOLS, text);
export const isStatisticsSource = (text: string): text is StatisticsSourceName =>
  new RegExp(STATISTICS_SOURCE).test(text);

/** The age, in intervals of a source, from which its record counts as outdated. */
const MAX_INTERVALS = 3;

/** Whether a source's record was outdated when it was fetched. Both times are in Unix ms. */
export const isOutdated = (source: StatisticsSourceName, at: number, fetchedAt: number): boolean =>
  fetchedAt - at > MAX_INTERVALS * KINDS[source.replace(/-\d+$/, '') as StatisticsKind].updateInterval;

/** A sample of a chain. Figures that the source did not report are omitted. */
export type ChainSample = {
  /** The sample's own time in Unix ms, always a whole second. */
  at: number;
  id?: number;
  partnerSymbol?: string;
  figures: Partial<Record<Figure, number>>;
  /** The figures that the source reported with an unusable value. */
  malformed?: readonly Figure[];
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
  apiKey?: string | undefined;
};

const pathOf = (url: string) => new URL(url).pathname.replace(/\/+$/, '');

/** mempool's API is under a path that ends in `/api`; the API of blockchain.info is under the root. */
export const isMempool = (url: string): boolean => pathOf(url).endsWith('/api');

/** Paths of Blockscout's hosted service start with the chain ID (`/1/api/v2`). A single URL always gets the key. */
export const keyedUrls = (urls: readonly string[]): readonly string[] =>
  urls.length === 1 ? urls : urls.filter((url) => /\/\d+\/api\/v2$/.test(pathOf(url)));

type SourceUrls = Record<'bitcoin' | 'ethereum' | 'solana' | 'arweave', readonly string[]> & {
  cryptocompare: { url: string; apiKey: string | undefined };
  ethereumKey: string | undefined;
};

/** All sources in order of preference: CryptoCompare, which reports the most figures, then each chain's own sources. */
export function sourceOrder({ cryptocompare, ethereumKey, ...urls }: SourceUrls): ConfiguredSource[] {
  const keyed = keyedUrls(urls.ethereum);
  const inOrder: Omit<ConfiguredSource, 'name'>[] = [
    { kind: 'cryptocompare', ...cryptocompare },
    ...urls.bitcoin.map((url) => ({ kind: isMempool(url) ? 'bitcoin-mempool' : 'bitcoin-stats', url }) as const),
    ...urls.ethereum.map(
      (url) => ({ kind: 'ethereum-stats', url, apiKey: keyed.includes(url) ? ethereumKey : undefined }) as const,
    ),
    ...urls.solana.map((url) => ({ kind: 'solana-rpc', url }) as const),
    ...urls.arweave.map((url) => ({ kind: 'arweave-node', url }) as const),
  ];
  return inOrder.map((source, place) => {
    const earlier = inOrder.slice(0, place).filter(({ kind }) => kind === source.kind).length;
    return { name: earlier === 0 ? source.kind : `${source.kind}-${earlier + 1}`, ...source };
  });
}
