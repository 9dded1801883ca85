import type { Token, TokenName } from '#catalogue/token';
import { type Clock, union } from '#core/clock';
import { memo } from '#core/memo';
import { mapNames } from '#core/names';
import { INTERVALS, type Interval } from '#prices/model/interval';
import { keptFrom, type Retention } from '#prices/model/market-sources';
import { type CoverageRow, reportRows } from '#prices/series/coverage-report';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import { plausibleTimes } from '#upstream/items/plausible';
import { candleGaps, firstRequested } from './candle-coverage.ts';
import type { CandleStore } from './candle-store.ts';

type Dependencies = {
  store: Pick<CandleStore, 'changes' | 'firsts' | 'coverage'>;
  source: Pick<OpenedExchange, 'name' | 'reach' | 'lists'>;
  retention: Retention;
  clock: Clock;
};

/** The start of the first available candle of each interval (Unix ms). */
export type FirstCandles = Record<Interval, number | undefined>;

/** Candles are available if they are stored or if the exchange still provides them. */
export function createCandleAvailability({ store, source, retention, clock }: Dependencies) {
  async function read() {
    const [firsts, coverage] = await Promise.all([store.firsts(plausibleTimes(clock.now())), store.coverage()]);
    return { firsts: Map.groupBy(firsts, ({ token }) => token), coverage: Map.groupBy(coverage, ({ token }) => token) };
  }
  /** The stored candles are read again after each change to the store. */
  const storedAt = memo(read, { ttl: Number.POSITIVE_INFINITY, clock });

  /** Returns a function of a token and its first price (Unix ms); undefined for a token without a pair. */
  return async () => {
    const { firsts, coverage } = await storedAt(await store.changes());
    const now = clock.now();
    const kept = keptFrom(retention, source.name, now);

    return function firstCandles(token: TokenName, listedAt: number): FirstCandles | undefined {
      if (!source.lists(token)) return undefined;
      function firstOf(interval: Interval): number | undefined {
        const isMine = (row: { interval: Interval }) => row.interval === interval;
        const covered = union((coverage.get(token) ?? []).filter(isMine).map(({ span }) => span));
        const from = firstRequested(interval, { reach: source.reach(interval, now), keptFrom: kept });
        const since = Math.max(from, listedAt);
        const [gap] = candleGaps({ from: since, thru: now }, since, { now, interval, coverage: covered });
        const stored = firsts.get(token)?.find(isMine);
        const found = [stored?.at, gap?.from].filter((at) => at !== undefined);
        return found.length > 0 ? Math.min(...found) : undefined;
      }
      return mapNames(INTERVALS, firstOf);
    };
  };
}

export type CandleAvailability = ReturnType<typeof createCandleAvailability>;

/** `first` and `last` are the starts of candles. */
export type CandleReportRow = Omit<CoverageRow, 'points'> & { candles: number };

/** Lists candles and gaps per token, interval and source. `beginning` returns the time of the first price (Unix ms). */
export async function candleReport(
  store: Pick<CandleStore, 'summary' | 'coverage'>,
  tokens: readonly Token[],
  beginning: (token: Token) => number,
  clock: Clock,
): Promise<CandleReportRow[]> {
  const now = clock.now();
  const names = tokens.map(({ name }) => name);
  const [summary, coverage] = await Promise.all([store.summary(plausibleTimes(now), names), store.coverage(names)]);
  const rows = reportRows({
    tokens,
    summary,
    coverage,
    complete: (rows) => union(rows.map(({ span }) => span)),
    gapsOf(token, interval, reported, complete) {
      const from = Math.min(beginning(token), ...reported.map((row) => row.from));
      return candleGaps({ from, thru: now }, from, { now, interval, coverage: complete });
    },
  });
  return rows.map(({ points: candles, ...row }) => ({ candles, ...row }));
}
