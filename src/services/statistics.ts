import { ageAt, dueAfter } from '../domain/age.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { STATISTICS_SYMBOLS, type StatisticsSymbol } from '../domain/statistics.ts';
import { tokenOf } from '../domain/token.ts';
import { UpstreamFailure } from '../domain/upstream-failure.ts';
import type { Answer } from './answer.ts';
import { createAttempt, type Filled, FRESH } from './attempt.ts';
import { createDemand, type Freshness } from './demand.ts';
import { createRecall } from './recall.ts';
import type { Refreshing } from './refreshing.ts';
import type { Sampled, Sampling } from './sampling.ts';
import type { StatisticsFetch, StatisticsHoldings } from './statistics-holdings.ts';
import { upstreamProblem } from './upstream-problem.ts';

const nothingStored = new UpstreamFailure('statistics', 'empty', 'nothing was stored that can be read');

type Parts = {
  holdings: StatisticsHoldings;
  sampling: Sampling;
  refreshing: Refreshing<StatisticsFetch>;
  clock: Clock;
  log: Log;
};

/**
 * The latest on-chain statistics of a token: fetched when their time has come and somebody asks, from the first
 * source that tells; while a refresh runs or when all sources fail, the last good ones.
 */
export function createStatistics({ holdings, sampling, refreshing, clock, log }: Parts) {
  const recall = createRecall({ holdings, clock });
  const demand = createDemand(clock);
  const ageOf = (what: StatisticsFetch): number => ageAt(holdings.fetchedAt(what), clock.now());

  /** A token's statistics come from another source than before: said once, since the next record has it stored. */
  function tellSwitch(symbol: StatisticsSymbol, from: Sampled['source'] | undefined, sampled: Sampled): void {
    const { source: to, passedOver } = sampled;
    if (from === undefined || from === to) return;
    const cause = passedOver.get(from);
    const reason = cause ?? (sampling.isOpen(from) ? 'preferred' : 'not_configured');
    const isTrouble = cause !== undefined && cause !== 'not_listed';
    log[isTrouble ? 'warn' : 'info']({ token: symbol, from, to, reason }, 'statistics from another source');
  }

  async function fetch(symbol: StatisticsSymbol): Promise<void> {
    const from = holdings.of(symbol)?.row.source ?? sampling.preferred(symbol);
    const sampled = await sampling.sample(symbol);
    await holdings.record(symbol, sampled.source, sampled.sample, clock.now());
    tellSwitch(symbol, from, sampled);
  }

  async function fill(symbol: StatisticsSymbol, every: number): Promise<Filled> {
    const attempt = createAttempt({ refreshing, ageOf });
    const what = `statistics:${symbol}` as const;
    if (holdings.of(symbol)) await attempt.refresh(what, every, () => fetch(symbol));
    else await attempt.arrival(what, () => fetch(symbol));
    return attempt.filled;
  }

  function answer(symbol: StatisticsSymbol, filled: Filled): Answer {
    const known = holdings.of(symbol);
    if (!known) {
      throw upstreamProblem(filled.failure ?? nothingStored, { who: 'The source of these statistics' });
    }
    const { body, row } = known;
    return {
      body,
      source: row.source,
      modifiedAt: row.at,
      fetchedAt: row.fetchedAt,
      dueAt: dueAfter(row.fetchedAt, sampling.every(symbol), clock.now()),
      settled: false,
      gaps: [],
      filled,
    };
  }

  return {
    /** The latest statistics record: at once when its time has not come. Throws a problem when there is none. */
    latest(symbol: StatisticsSymbol): Answer | Promise<Answer> {
      const known = recall.get(symbol);
      if (known) return known;
      demand.note(tokenOf(symbol), 'statistics');
      const every = sampling.every(symbol);
      if (ageOf(`statistics:${symbol}`) < every) return recall.keep(symbol, answer(symbol, FRESH));
      return fill(symbol, every).then((filled) => answer(symbol, filled));
    },

    /** Takes over what was written since the last look. */
    sync: holdings.sync,

    /** What an operator should know: what could not be fetched, and why. */
    warnings: refreshing.warnings,

    /** How old what is kept is. */
    ages: (): Freshness[] =>
      STATISTICS_SYMBOLS.map((symbol) => ({
        token: tokenOf(symbol),
        kind: 'statistics',
        age: Math.max(0, ageOf(`statistics:${symbol}`)),
        every: sampling.every(symbol),
        idle: demand.idle(tokenOf(symbol), 'statistics'),
      })),

    /** When nothing is being fetched any more. */
    idle: refreshing.idle,
  };
}

export type Statistics = ReturnType<typeof createStatistics>;
