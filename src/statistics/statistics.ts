import { tokenOf } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import type { Answer } from '#server/replies/answer-body';
import type { Answers } from '#server/replies/response-cache';
import { UpstreamFailure, upstreamProblem } from '#upstream/failure';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH, type SingleFlight } from '#upstream/fetch-runner';
import { ageAt, createLastRequested, dueAfter, type Staleness, waitOnRefresh } from '#upstream/freshness';
import type { Failover, FailoverResult } from './failover.ts';
import type { StatisticsCache, StatisticsFetch } from './statistics-cache.ts';
import { STATISTICS_SYMBOLS, type StatisticsSymbol } from './statistics-sources.ts';

const nothingStored = new UpstreamFailure('statistics', 'empty', 'no valid record is stored');

type Dependencies = {
  cache: StatisticsCache;
  answers: Pick<Answers, 'get' | 'keep'>;
  failover: Failover;
  singleFlight: SingleFlight<StatisticsFetch>;
  clock: Clock;
  log: Log;
};

/** On-chain statistics, fetched when requested and due. During or after a failed fetch, the last record is served. */
export function createStatistics({ cache, answers, failover, singleFlight, clock, log }: Dependencies) {
  const lastRequested = createLastRequested<StatisticsSymbol>(clock);
  const ageOf = (what: StatisticsFetch): number => ageAt(cache.fetchedAt(what), clock.now());

  /** Logs a change of the source once, because the record stores the source. */
  function logSwitch(symbol: StatisticsSymbol, from: FailoverResult['source'] | undefined, result: FailoverResult) {
    const { source: to, passedOver } = result;
    if (from === undefined || from === to) return;
    const cause = passedOver.get(from);
    const reason = cause ?? (failover.isOpen(from) ? 'preferred' : 'not_configured');
    const isFailure = cause !== undefined && cause !== 'not_listed';
    log[isFailure ? 'warn' : 'info']({ token: symbol, from, to, reason }, 'statistics source switched');
  }

  async function fetch(symbol: StatisticsSymbol): Promise<void> {
    const from = cache.of(symbol)?.row.source ?? failover.preferred(symbol);
    const result = await failover.sample(symbol);
    await traced('store', {}, () => cache.record(symbol, result.source, result.sample, clock.now()));
    logSwitch(symbol, from, result);
  }

  async function fill(symbol: StatisticsSymbol, every: number): Promise<FetchOutcome> {
    const runner = createFetchRunner({ singleFlight, clock });
    const what = `statistics:${symbol}` as const;
    const until = cache.of(symbol) ? waitOnRefresh(ageOf(what), every) : 'end';
    await runner.run(what, until, () => fetch(symbol));
    return runner.outcome;
  }

  function answer(symbol: StatisticsSymbol, outcome: FetchOutcome): Answer {
    const known = cache.of(symbol);
    if (!known) {
      throw upstreamProblem(outcome.failure ?? nothingStored, { who: 'The statistics source' });
    }
    const { body, row } = known;
    return {
      body,
      source: row.source,
      modifiedAt: row.at,
      fetchedAt: row.fetchedAt,
      dueAt: dueAfter(row.fetchedAt, failover.interval(symbol), clock.now()),
      settled: false,
      gaps: [],
      outcome,
    };
  }

  return {
    /** Returns immediately if nothing is due. Throws a problem if no record exists. */
    latest(symbol: StatisticsSymbol): Answer | Promise<Answer> {
      const known = answers.get(symbol);
      if (known) return known;
      lastRequested.mark(symbol);
      const every = failover.interval(symbol);
      if (ageOf(`statistics:${symbol}`) < every) return answers.keep(symbol, answer(symbol, NOTHING_TO_FETCH));
      return fill(symbol, every).then((outcome) => answer(symbol, outcome));
    },

    sync: cache.sync,
    /** For the operator: failed fetches and failed sources, with the causes. */
    warnings: () => [...singleFlight.warnings(), ...failover.warnings()],

    staleness: (): Staleness[] =>
      STATISTICS_SYMBOLS.map((symbol) => ({
        token: tokenOf(symbol).name,
        kind: 'statistics',
        age: Math.max(0, ageOf(`statistics:${symbol}`)),
        every: failover.interval(symbol),
        idle: lastRequested.since(symbol),
      })),

    idle: singleFlight.idle,
  };
}

export type Statistics = ReturnType<typeof createStatistics>;
