import { type Clock, HOUR, isoDate, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { overlap, union } from '#core/span';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { currencyText, type Valuation, withRates } from '#prices/currencies/valuation';
import { fileName } from '#prices/history/file-name';
import { type CandleColumns, candleLength } from '#prices/model/candle';
import { spanText } from '#prices/model/gaps';
import type { Interval, Window } from '#prices/model/interval';
import { keptFrom, type Retention } from '#prices/model/retention-periods';
import { firstUnsettled, wholeOf } from '#prices/model/series';
import type { Kraken } from '#prices/sources/kraken';
import { UpstreamFailure, upstreamProblem } from '#upstream/failure';
import type { FetchOutcome } from '#upstream/fetch-outcome';
import { type CandleCache, candleFetch } from './candle-cache.ts';
import type { CandleSeries } from './candle-store.ts';
import { candleGaps, firstAsked, runningCandle } from './candle-window.ts';

type Dependencies = {
  source: Pick<Kraken, 'name' | 'reach'>;
  cache: CandleCache;
  /** That of prices, which knows when a token begins. */
  archive: Pick<ArchiveCache, 'beginning'>;
  retention: Retention;
  clock: Clock;
};

/** What is known of a window of candles beside the candles: its bounds and gaps, and what there is to say of an answer. */
export function createCandleFacts({ source, cache, archive, retention, clock }: Dependencies) {
  /** How far back candles may be asked for, and stored. */
  const bounds = (interval: Interval, now: number) => ({
    reach: source.reach(interval, now),
    keptFrom: keptFrom(retention, source.name, now),
  });

  /** The first instant of which candles can be known: that of prices, or a stored candle of before it. */
  const beginning = (series: CandleSeries): number =>
    Math.min(archive.beginning(series.token), cache.first(series) ?? Number.POSITIVE_INFINITY);

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
    if (!first) return new Problem('no_data', 'This time range contains no finished candle of this token.');
    const oldest = firstAsked(series.interval, bounds(series.interval, clock.now()));
    if (spans.every(({ thru }) => thru < oldest)) {
      const available = isoDate(Math.min(oldest, cache.first(series) ?? oldest));
      const detail =
        `Neither the venue nor the archive has candles of this interval for this time range. ` +
        `They are available from ${available}.`;
      return new Problem('no_data', detail, { members });
    }
    const detail = 'The venue does not provide candles of this time range yet, and the archive has none.';
    return new Problem('upstream_unavailable', detail, { retryAfter: HOUR / SECOND, members });
  }

  function facts(
    series: CandleSeries,
    window: Window,
    columns: CandleColumns,
    outcome: FetchOutcome,
    valuation?: Valuation,
  ) {
    const now = clock.now();
    const length = candleLength(series.interval);
    const known = overlap(window.span, { from: beginning(series), thru: now });
    const unvalued = known && valuation ? valuation.missing(known) : [];
    const gaps = union([...missing(series, window), ...unvalued]).map((span) =>
      spanText(series.interval, span),
    );
    const lastAt = columns.at.at(-1) ?? window.span.from;
    const running = runningCandle(series.interval, now);
    const isBehind =
      window.open &&
      candleGaps({ from: running - length, thru: now }, 0, {
        ...{ now, interval: series.interval, coverage: cache.coverage(series) },
      }).length > 0;
    const fetchedAt = cache.fetchedAt(candleFetch(series));
    return {
      fileName: fileName([series.token, 'candles'], window, valuation?.currency),
      source: source.name,
      ...(valuation && { currency: currencyText(valuation) }),
      modifiedAt: lastAt + length,
      fetchedAt: window.open ? fetchedAt : undefined,
      dueAt: isBehind ? now : running + length,
      settled:
        !window.open &&
        gaps.length === 0 &&
        firstUnsettled(wholeOf(columns)) === undefined &&
        (valuation?.isSettled(lastAt) ?? true),
      gaps,
      outcome: withRates(outcome, valuation?.outcome),
    };
  }

  return { bounds, beginning, missing, nothingToServe, facts };
}
