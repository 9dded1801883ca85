import type { Token } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { union } from '#core/span';
import { type CoverageRow, reportRows } from '#prices/archive/coverage-report';
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
  const rows = reportRows({
    ...{ tokens, summary, coverage },
    complete: (rows) => union(rows.map(({ span }) => span)),
    gapsOf(token, interval, told, complete) {
      const from = Math.min(beginning(token), ...told.map((row) => row.from));
      return candleGaps({ from, thru: now }, from, { now, interval, coverage: complete });
    },
  });
  return rows.map(({ points: candles, ...row }) => ({ candles, ...row }));
}
