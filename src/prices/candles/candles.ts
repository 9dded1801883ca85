import type { TokenName } from '#catalogue/token';
import { type Clock, overlap, type Span } from '#core/clock';
import { convertCandles } from '#prices/currencies/conversion';
import type { Rates } from '#prices/currencies/rates';
import { rateUnavailable, type Valuation, valuationBySamples } from '#prices/currencies/valuation';
import { type Form, withSemicolons } from '#prices/history/series-text';
import { type WindowSize, windowSize } from '#prices/history/window-reader';
import { createWindowResponses } from '#prices/history/window-responses';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import {
  CANDLE_MINUTES,
  CANDLES,
  type CandleColumns,
  type CandleInterval,
  type CandleWindow,
  candleLength,
  candleWindow,
  finishedCandles,
  isStored,
} from '#prices/model/candle';
import { type Currency, DOLLAR, tokenOfCurrency } from '#prices/model/currency';
import { samplesIn, type Window } from '#prices/model/interval';
import { keptFrom, keptOf, type Retention } from '#prices/model/market-sources';
import { isNewlyMissing } from '#prices/model/missing-samples';
import { columnsOf, firstUnsettled } from '#prices/model/series';
import type { OpenedExchange } from '#prices/sources/open-exchange';
import type { CachedResponses } from '#server/responses/response-cache';
import type { Format } from '#server/responses/response-headers';
import { createFetchRunner, type FetchOutcome } from '#upstream/fetch-runner';
import type { SingleFlight } from '#upstream/single-flight';
import { type CandleCache, type CandleFetch, candleFetch, candleGroup, missingCandlesOf } from './candle-cache.ts';
import {
  candleBeginning,
  candleBounds,
  candleFacts,
  firstRequested,
  isCandleSettled,
  missingIn,
  nothingToServe,
  planCandles,
} from './candle-coverage.ts';
import type { CandleSeries } from './candle-store.ts';
import { candlesCsv, candlesJson } from './candle-text.ts';

type Deps = {
  source: Pick<OpenedExchange, 'name' | 'title' | 'reach' | 'candles'>;
  cache: CandleCache;
  cachedResponses: CachedResponses;
  archive: Pick<ArchiveCache, 'beginning' | 'load'>;
  retention: Retention;
  singleFlight: SingleFlight<CandleFetch>;
  rates: Rates;
  clock: Clock;
};

const RENDER: Record<Format, Form<CandleColumns>['render']> = {
  json: candlesJson,
  csv: candlesCsv,
  'semicolon-csv': (columns, currency) => candlesCsv(columns, currency).map(withSemicolons),
};

const load = ({ archive, cache }: Deps, { token, interval }: CandleSeries) =>
  Promise.all([archive.load(token), cache.load(candleGroup(token, interval))]);

/** Returns a copy of a span's candles, and their version, which is undefined if they are not in memory. */
async function readStored({ cache }: Deps, { token, interval }: CandleSeries, { from, thru }: Span) {
  const stored = await cache.reaching(token, interval, { from, thru });
  const isInMemory = stored === cache.series(token, interval);
  return {
    columns: columnsOf(CANDLES, [], stored.slice(from, thru)),
    version: isInMemory ? String(stored.version()) : undefined,
  };
}

/** Makes one call for all candles from an instant on. Does not store candles older than the retention period. */
async function fetch(deps: Deps, { token, interval }: CandleSeries, from: number | undefined): Promise<void> {
  const { source, cache, retention, clock } = deps;
  const fetched = await source.candles(token, CANDLE_MINUTES[interval], from);
  const now = clock.now();
  const length = candleLength(interval);
  const { rows, covers } = keptOf(fetched.candles, fetched.covers, keptFrom(retention, source.name, now));
  const settling = rows.map((candle) => ({ ...candle, final: isCandleSettled(candle.at, length, now) }));
  const update = { interval, rows: settling, covers };
  const before = cache.missing(token, interval);
  await cache.record(source.name, candleFetch({ token, interval }), token, [update], now);
  const name = missingCandlesOf({ token, interval });
  if (isNewlyMissing(cache.missing(token, interval), before, cache.fetchedAt(name)))
    await cache.record(source.name, name, token, [], now);
}

async function refresh(deps: Deps, series: CandleSeries, { span }: Window): Promise<FetchOutcome> {
  const { cache, singleFlight, clock } = deps;
  const { token, interval } = series;
  const now = clock.now();
  const bounds = candleBounds(deps, interval, now);
  const requested = cache.series(token, interval).slice(firstRequested(interval, bounds), now);
  const plan = planCandles(span, {
    ...bounds,
    now,
    interval,
    coverage: cache.coverage(token, interval),
    missing: cache.missing(token, interval),
    missingSince: cache.fetchedAt(missingCandlesOf(series)),
    unsettledFrom: firstUnsettled(requested),
    fetchedAt: cache.fetchedAt(candleFetch(series)),
  });
  const runner = createFetchRunner({ singleFlight, clock });
  if (plan) await runner.run(candleFetch(series), plan.wait, () => fetch(deps, series, plan.from));
  return runner.outcome;
}

/** Returns the value of a token that serves as a currency, from the open prices of the token's candles. */
async function valuationBy(deps: Deps, currency: Currency, token: TokenName, window: Window): Promise<Valuation> {
  const series = { token, interval: window.interval };
  await load(deps, series);
  const outcome = await refresh(deps, series, window);
  const { columns, version } = await readStored(deps, series, window.span);
  const gaps = missingIn(deps, series, window);
  const origin = { outcome, version, gaps, isSettled: true, beginning: candleBeginning(deps, series) };
  return valuationBySamples(
    { currency, source: deps.source.name, ...origin },
    { at: columns.at, price: columns.open },
    window.interval,
  );
}

function valuationOf(deps: Deps, currency: Currency, window: Window): Promise<Valuation> {
  const token = tokenOfCurrency(currency);
  return token ? valuationBy(deps, currency, token, window) : deps.rates.valuation(currency, window.span.from);
}

/** Throws a problem if the window has no candles. */
async function readCandles(deps: Deps, token: TokenName, window: CandleWindow, currency: Currency) {
  const series = { token, interval: window.interval };
  await load(deps, series);
  const valuation = currency === DOLLAR ? undefined : await valuationOf(deps, currency, window);
  const outcome = await refresh(deps, series, window);
  const { columns: dollars, version: storedVersion } = await readStored(deps, series, window.span);
  if (dollars.at.length === 0) throw nothingToServe(deps, series, window, outcome.failure);
  const stored = valuation ? convertCandles(dollars, valuation.usdRate) : dollars;
  const { columns, gaps } = isStored(window)
    ? { columns: stored, gaps: [] }
    : combineCandles(stored, finishedCandles(window, deps.clock.now()), candleLength(window.interval));
  const response = candleFacts(deps, series, window, { stored, columns, gaps }, outcome, valuation);
  if (valuation && stored.at.length === 0) throw rateUnavailable(valuation, window.span, response.gaps);
  if (columns.at.length === 0) throw nothingToServe(deps, series, window, outcome.failure, response.gaps);
  const isNamed = storedVersion !== undefined && (!valuation || valuation.version !== undefined);
  const version = isNamed ? [storedVersion, valuation?.version].join(';') : undefined;
  const isWide = windowSize(columns.at.length) !== 'short';
  return { rows: { isWide, version, columns: () => columns }, response, valuation };
}

/** Every method throws a problem if no data can be returned. */
export function createCandles(deps: Deps) {
  const { cachedResponses, singleFlight, clock } = deps;

  const size = (token: TokenName, { interval, span }: Window): WindowSize => {
    const servedSpan = overlap(span, { from: candleBeginning(deps, { token, interval }), thru: clock.now() });
    return windowSize(servedSpan === undefined ? 0 : samplesIn(interval, servedSpan));
  };
  const read = (...window: [TokenName, CandleWindow, Currency]) => readCandles(deps, ...window);
  const { rangeAs } = createWindowResponses({ cachedResponses, windowOf: candleWindow, size, read, clock });

  return {
    /** The finished candles that start from one date through another, inclusive (Unix ms of their midnights). */
    range: (
      token: TokenName,
      interval: CandleInterval,
      from: number,
      thru: number,
      format: Format,
      currency = DOLLAR,
    ) => rangeAs({ name: format, render: RENDER[format] }, token, interval, from, thru, currency),

    rangeAs,
    size,
    warnings: singleFlight.warnings,
    idle: singleFlight.idle,
  };
}

export type Candles = ReturnType<typeof createCandles>;

type Combined = { columns: CandleColumns; gaps: Span[] };

/** Combines candles of `length` ms into the candles of ascending spans. A candle that lacks a part is a gap. */
export function combineCandles(stored: CandleColumns, spans: Iterable<Span>, length: number): Combined {
  const { at, open, high, low, close, volume, final } = stored;
  const rows = [];
  const gaps: Span[] = [];
  let start = 0;
  for (const span of spans) {
    while (start < at.length && (at[start] as number) < span.from) start += 1;
    const count = (span.thru + 1 - span.from) / length;
    const end = start + count;
    if (end > at.length || at[start] !== span.from || at[end - 1] !== span.thru + 1 - length) {
      gaps.push(span);
      continue;
    }
    let highest = Number.NEGATIVE_INFINITY;
    let lowest = Number.POSITIVE_INFINITY;
    let sum = 0;
    let isFinal = true;
    for (let i = start; i < end; i++) {
      highest = Math.max(highest, high[i] as number);
      lowest = Math.min(lowest, low[i] as number);
      sum += volume[i] as number;
      isFinal &&= final[i] === 1;
    }
    rows.push({
      at: span.from,
      ...{ open: open[start] as number, high: highest, low: lowest, close: close[end - 1] as number, volume: sum },
      final: isFinal,
    });
    start = end;
  }
  return { columns: columnsOf(CANDLES, rows), gaps };
}
