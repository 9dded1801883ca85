import { tokenOf } from '#catalogue/token';
import { type Clock, iso } from '#core/clock';
import type { Log } from '#core/log';
import { traced } from '#core/tracing';
import type { DataResponse } from '#server/responses/response-body';
import type { CachedResponses } from '#server/responses/response-cache';
import { UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';
import { createFetchRunner, type FetchOutcome, NOTHING_TO_FETCH } from '#upstream/fetch-runner';
import { ageAt, createLastRequested, dueAfter, type Staleness, waitOnRefresh } from '#upstream/freshness';
import type { SingleFlight } from '#upstream/single-flight';
import type { Failover, FailoverResult } from './failover.ts';
import type { StatisticsCache, StatisticsFetch } from './statistics-cache.ts';
import { isOutdated, STATISTICS_SYMBOLS, type StatisticsSymbol } from './statistics-sources.ts';
import type { StatisticsRow } from './statistics-store.ts';

const nothingStored = new UpstreamFailure('statistics', 'empty', 'no valid record is stored');

const outdated = ({ source, at }: StatisticsRow) =>
  new UpstreamFailure(source, 'stale', `the newest figures are from ${iso(at)}`);

type Dependencies = {
  cache: StatisticsCache;
  cachedResponses: Pick<CachedResponses, 'get' | 'keep'>;
  failover: Failover;
  singleFlight: SingleFlight<StatisticsFetch>;
  clock: Clock;
  log: Log;
};

/** Fetches statistics when they are requested and due. During or after a failed fetch, serves the last record. */
export function createStatistics({ cache, cachedResponses, failover, singleFlight, clock, log }: Dependencies) {
  const lastRequested = createLastRequested<StatisticsSymbol>(clock);
  const ageOf = (resource: StatisticsFetch): number => ageAt(cache.fetchedAt(resource), clock.now());

  /** Logs each change of source only once: later fetches compare with the source stored in the record. */
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
    const stored = cache.of(symbol)?.row;
    if (result.failure && stored && stored.at > result.sample.at) throw result.failure;
    await traced('store', {}, () => cache.record(symbol, result.source, result.sample, clock.now()));
    logSwitch(symbol, from, result);
  }

  async function fill(symbol: StatisticsSymbol, every: number): Promise<FetchOutcome> {
    const runner = createFetchRunner({ singleFlight, clock });
    const resource = `statistics:${symbol}` as const;
    const until = cache.of(symbol) ? waitOnRefresh(ageOf(resource), every) : 'end';
    await runner.run(resource, until, () => fetch(symbol));
    return runner.outcome;
  }

  function createResponse(symbol: StatisticsSymbol, outcome: FetchOutcome): DataResponse {
    const stored = cache.of(symbol);
    if (!stored) {
      throw upstreamProblem(outcome.failure ?? nothingStored, { who: 'The statistics source' });
    }
    const { body, row } = stored;
    // An outdated record is served as stale until a source has newer figures. It is fetched again on schedule.
    const isOld = isOutdated(row.source, row.at, row.fetchedAt);
    return {
      body,
      source: row.source,
      modifiedAt: row.at,
      fetchedAt: row.fetchedAt,
      dueAt: isOld ? row.fetchedAt : dueAfter(row.fetchedAt, failover.interval(symbol), clock.now()),
      isImmutable: false,
      gaps: [],
      outcome: isOld ? { ...outcome, failure: outcome.failure ?? outdated(row) } : outcome,
    };
  }

  return {
    /** Returns immediately if nothing is due. Throws a problem if no record exists. */
    latest(symbol: StatisticsSymbol): DataResponse | Promise<DataResponse> {
      const cachedResponse = cachedResponses.get(symbol);
      if (cachedResponse) return cachedResponse;
      lastRequested.mark(symbol);
      const every = failover.interval(symbol);
      if (ageOf(`statistics:${symbol}`) < every)
        return cachedResponses.keep(symbol, createResponse(symbol, NOTHING_TO_FETCH));
      return fill(symbol, every).then((outcome) => createResponse(symbol, outcome));
    },

    sync: cache.sync,
    /** Warnings for the operator: failed fetches and failed sources, with the causes. */
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
