import type { PriceSeries, Token } from '../../client/index.ts';
import { onDate, onDateAt } from '../../pages/format.ts';
import { toError } from '../../pages/problem.ts';
import { type DataAge, oldest, type Result } from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';
import {
  type Drawn,
  drawnOf,
  gapsInView,
  type History,
  type HistoryView,
  historyCall,
  inView,
} from './chart-choice.ts';
import { compared, pointsOf } from './comparison.ts';

type Loaded = { token: Token; path: string; result: Result<History> };
/** The history of the view's token, followed by those of the compared tokens. */
export type LoadedHistory = readonly Loaded[];

export const ageOf = (loaded: LoadedHistory): DataAge => oldest(loaded.map(({ result }) => result));

const EMPTY: PriceSeries = { prices: [], market_cap: [], total_volume: [] };

/** A compared token without data has an empty line. If the chart shows one token, the panel shows the reason. */
function orEmpty(error: unknown): Result<History> {
  const { code, gaps } = toError(error);
  if (code !== 'no_data') throw error;
  return { value: EMPTY, fetchedAt: undefined, stale: undefined, gaps, sources: [] };
}

type Options = {
  tokens: readonly Token[];
  now: number;
  refresh: boolean;
  /** Loads only what is free. */
  isFree: boolean;
  /** The shown histories, which are reused. */
  known: LoadedHistory;
};

/** The number of calls that adding a token to the chart costs. The free sample is loaded like the other tokens. */
export const costOfOneMore = (known: LoadedHistory): number => 1 + known.filter(({ result }) => result.isSample).length;

/** Makes one call per token. Returns undefined if a history is not free. Rejects with the first error. */
export async function loadHistory(
  marketData: MarketData,
  view: HistoryView,
  { tokens, now, refresh, isFree, known }: Options,
): Promise<LoadedHistory | undefined> {
  const loads = tokens.map(async (token): Promise<Loaded | undefined> => {
    const call = historyCall({ ...view, token: token.tokenName, listed: token.listed }, now);
    const { path } = call;
    const shown = known.find((one) => one.path === path && !one.result.isSample && !one.result.failure);
    if (shown) return shown;
    const loading = isFree ? marketData.free(call) : marketData.fetch(call, { refresh });
    const result = await (tokens.length > 1 ? loading.catch(orEmpty) : loading);
    if (!result) return undefined;
    const gaps = gapsInView(view, result.gaps, now);
    return { token, path, result: { ...result, gaps, value: inView(view, result.value, now) } };
  });
  const loaded = await Promise.all(loads);
  return loaded.every((one) => one !== undefined) ? loaded : undefined;
}

/** Returns the figures of one token, or the lines of several. */
export function drawnOfLoaded(view: HistoryView, loaded: LoadedHistory): Drawn {
  const [first, ...others] = loaded;
  if (first && others.length === 0) return drawnOf(view, first.result.value);
  const series = loaded.map(({ token, result }) => ({ token, points: drawnOf(view, result.value).points }));
  const comparison = compared(series, view.interval, view.mode);
  return { view, points: pointsOf(comparison), candles: undefined, comparison };
}

/** Which data is missing, or an empty text. */
export function gapsInWords(loaded: LoadedHistory): string {
  // Gaps of daily points are given as dates; gaps of finer points are given as times.
  const format = (text: string) => (text.includes('T') ? onDateAt : onDate)(new Date(text));
  const parts = loaded
    .filter(({ result }) => result.gaps.length > 0)
    .map(({ token, result }) => {
      const spans = result.gaps.map(({ from, thru }) => `${format(from)} to ${format(thru)}`).join('; ');
      return loaded.length > 1 ? `${token.title}: ${spans}` : spans;
    });
  if (parts.length === 0) return '';
  return `No data for ${parts.join('; ')}. The source does not provide older data or is unavailable.`;
}
