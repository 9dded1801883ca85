import type { Token } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { union } from '#core/span';
import type { CoverageRow } from '#prices/archive/coverage-report';
import { INTERVALS } from '#prices/model/interval';
import { MARKET_SOURCES } from '#prices/model/market-sources';
import { plausibleTimes } from '#upstream/plausible';
import type { CandleStore } from './candle-store.ts';
import { candleGaps } from './candle-window.ts';

/** As a row of samples; `first` and `last` are the beginnings of candles. */
export type CandleReportRow = Omit<CoverageRow, 'points'> & { candles: number };

/**
 * What the archive holds of candles, from whom, and its gaps: a row for each token, interval and source that told any.
 *
 * @param tokens those that are served
 * @param beginning the first instant of which prices of a token are known, in Unix ms
 */
export async function candleReport(
  store: Pick<CandleStore, 'summary' | 'coverage'>,
  tokens: readonly Token[],
  beginning: (token: Token) => number,
  clock: Clock,
): Promise<CandleReportRow[]> {
  const now = clock.now();
  const [summary, coverage] = await Promise.all([store.summary(plausibleTimes(now)), store.coverage()]);
  const series = tokens.flatMap((token) => INTERVALS.map((interval) => ({ token, interval })));

  return series.flatMap(({ token, interval }) => {
    const isMine = (row: { token: string; interval: string }) =>
      row.token === token.name && row.interval === interval;
    const told = summary.filter(isMine);
    const covered = coverage.filter(isMine);
    const from = Math.min(beginning(token), ...told.map((row) => row.from));
    const all = union(covered.map(({ span }) => span));
    const gaps = candleGaps({ from, thru: now }, from, { now, interval, coverage: all });
    return MARKET_SOURCES.flatMap((source): CandleReportRow[] => {
      const row = told.find((one) => one.source === source);
      const spans = union(covered.filter((one) => one.source === source).map(({ span }) => span));
      if (!row && spans.length === 0) return [];
      const { candles = 0, from: first, thru: last } = row ?? {};
      return [{ token: token.name, interval, source, candles, first, last, spans, gaps }];
    });
  });
}
