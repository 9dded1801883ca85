import { CANDLE_MINUTES, type CandleSource, candleLength } from '#domain/candles/candle';
import { type CandleColumns, candlesBetween, firstUnsettled } from '#domain/candles/candle-columns';
import { candlesCsv, candlesJson } from '#domain/candles/candle-text';
import {
  candleGaps,
  firstAsked,
  isCandleSettled,
  planCandles,
  runningCandle,
} from '#domain/candles/candle-window';
import { type Clock, HOUR, SECOND } from '#domain/clock';
import { type Interval, rangeWindow, samplesIn, type Window } from '#domain/market/interval';
import { keptFrom, keptOf, type Retention } from '#domain/market/sources/retention';
import type { MarketSource } from '#domain/market/sources/source';
import { overlap } from '#domain/market/span';
import type { TokenName } from '#domain/market/token';
import { UpstreamFailure } from '#domain/upstream/failure';
import { Problem } from '#problems';
import type { ArchiveCache } from '#services/archive/archive-cache';
import type { Answer } from '#services/caching/answer';
import { createAnswers } from '#services/caching/answers';
import { spanText } from '#services/market/gaps';
import { type WindowSize, windowSize } from '#services/market/window-rows';
import { createFetchRunner, type FetchOutcome } from '#services/upstream/fetch-outcome';
import { upstreamProblem } from '#services/upstream/problem';
import type { SingleFlight } from '#services/upstream/single-flight';
import type { CandleSeries } from '#stores/candles/candles';
import { type CandleCache, type CandleFetch, candleFetch } from './candle-cache.ts';

type Dependencies = {
  source: CandleSource & Pick<MarketSource, 'reach'>;
  cache: CandleCache;
  /** That of prices, which knows when a token begins. */
  archive: Pick<ArchiveCache, 'beginning' | 'load'>;
  retention: Retention;
  singleFlight: SingleFlight<CandleFetch>;
  clock: Clock;
};

const RENDER = { json: candlesJson, csv: candlesCsv } as const;

/** The verbs of candles. All throw a problem when there is no answer. */
export function createCandles({ source, cache, archive, retention, singleFlight, clock }: Dependencies) {
  const answers = createAnswers({ source: cache, clock });

  /** How far back candles may be asked for, and stored. */
  const bounds = (interval: Interval, now: number) => ({
    reach: source.reach(interval, now),
    keptFrom: keptFrom(retention, source.name, now),
  });

  /** The first instant of which candles can be known: that of prices, or a stored candle of before it. */
  const beginning = (series: CandleSeries): number =>
    Math.min(archive.beginning(series.token), cache.first(series) ?? Number.POSITIVE_INFINITY);

  /** One call for all candles from an instant on; what it has is stored, but for what would be deleted for its age. */
  async function fetch({ token, interval }: CandleSeries, from: number | undefined): Promise<void> {
    const told = await source.candles(token, CANDLE_MINUTES[interval], from);
    const now = clock.now();
    const length = candleLength(interval);
    const { rows, covers } = keptOf(told.candles, told.covers, keptFrom(retention, source.name, now));
    const settling = rows.map((candle) => ({
      ...candle,
      settled: isCandleSettled(candle.at, length, now),
    }));
    await cache.record({ token, interval, source: source.name, candles: settling, covers }, now);
  }

  /** Fetches what a window needs, if anything. */
  async function refresh(series: CandleSeries, { span }: Window): Promise<FetchOutcome> {
    const { interval } = series;
    const now = clock.now();
    const known = bounds(interval, now);
    const asked = candlesBetween(cache.columns(series), firstAsked(interval, known), now);
    const plan = planCandles(span, {
      ...{ ...known, now, interval, coverage: cache.coverage(series) },
      ...{ unsettledFrom: firstUnsettled(asked), fetchedAt: cache.fetchedAt(candleFetch(series)) },
    });
    const runner = createFetchRunner({ singleFlight, clock });
    if (plan) await runner.run(candleFetch(series), plan.wait, () => fetch(series, plan.from));
    return runner.outcome;
  }

  /** The parts of a window that are not known, but for a newest candle that is being fetched. */
  function missing(series: CandleSeries, { span, open }: Window) {
    const now = clock.now();
    const { interval } = series;
    const gaps = candleGaps(span, beginning(series), {
      ...{ now, interval, coverage: cache.coverage(series) },
    });
    const newest = runningCandle(interval, now) - candleLength(interval);
    return open ? gaps.filter(({ from }) => from < newest) : gaps;
  }

  /** What to throw for a window without a candle. */
  function nothingToServe(series: CandleSeries, window: Window, failure: unknown): unknown {
    const spans = missing(series, window);
    const members = { gaps: spans.map((span) => spanText(series.interval, span)) };
    if (failure instanceof UpstreamFailure && failure.reason === 'not_listed')
      return new Problem('no_data', 'The venue does not trade this token for US dollars.', {
        cause: failure,
      });
    if (failure) return upstreamProblem(failure, { who: 'The venue', members });
    const [first] = spans;
    if (!first) return new Problem('no_data', 'No finished candle of this token lies in the time asked for.');
    const oldest = firstAsked(series.interval, bounds(series.interval, clock.now()));
    if (spans.every(({ thru }) => thru < oldest)) {
      const detail =
        'The venue tells its newest candles alone, or older ones are not kept, and the archive has none of this time.';
      return new Problem('no_data', detail, { members });
    }
    const detail = 'The venue has not told this time yet, and the archive does not hold it.';
    return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / SECOND, members });
  }

  function facts(series: CandleSeries, window: Window, columns: CandleColumns, outcome: FetchOutcome) {
    const now = clock.now();
    const length = candleLength(series.interval);
    const gaps = missing(series, window).map((span) => spanText(series.interval, span));
    const running = runningCandle(series.interval, now);
    const isBehind =
      window.open &&
      candleGaps({ from: running - length, thru: now }, 0, {
        ...{ now, interval: series.interval, coverage: cache.coverage(series) },
      }).length > 0;
    const fetchedAt = cache.fetchedAt(candleFetch(series));
    return {
      source: source.name,
      modifiedAt: (columns.at.at(-1) as number) + length,
      fetchedAt: window.open ? fetchedAt : undefined,
      dueAt: isBehind ? now : running + length,
      settled: !window.open && gaps.length === 0 && firstUnsettled(columns) === undefined,
      gaps,
      outcome,
    };
  }

  async function history(question: string, series: CandleSeries, window: Window, format: 'json' | 'csv') {
    await Promise.all([archive.load(series.token), cache.load(series)]);
    const outcome = await refresh(series, window);
    const version = cache.versionOf(series, window.span);
    const columns = await cache.between(series, window.span);
    const count = columns.at.length;
    if (count === 0) throw nothingToServe(series, window, outcome.failure);
    const answer = facts(series, window, columns, outcome);
    const rows = { version, isWide: windowSize(count) !== 'short' };
    return { body: await answers.bodyOf(question, rows, () => RENDER[format](columns)), ...answer };
  }

  /** How large the answer to a window may be. */
  function size(series: CandleSeries, { span }: Window): WindowSize {
    const known = overlap(span, { from: beginning(series), thru: clock.now() });
    return windowSize(known === undefined ? 0 : samplesIn(series.interval, known));
  }

  return {
    /** The finished candles that begin from one date thru another (Unix ms of their midnights), both included. */
    range(
      token: TokenName,
      interval: Interval,
      from: number,
      thru: number,
      format: 'json' | 'csv',
    ): Answer | Promise<Answer> {
      const series = { token, interval };
      const window = rangeWindow(interval, from, thru, clock.now());
      const question = [token, interval, from, thru, format].join();
      const isLong = () => size(series, window) !== 'short';
      return answers.ask(question, isLong, () => history(question, series, window, format));
    },

    size: (token: TokenName, window: Window): WindowSize =>
      size({ token, interval: window.interval }, window),

    /** What could not be fetched, and why. */
    warnings: singleFlight.warnings,

    /** When nothing is being fetched any more. */
    idle: singleFlight.idle,
  };
}

export type Candles = ReturnType<typeof createCandles>;
