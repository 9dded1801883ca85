import type { TokenName } from '#catalogue/token';
import { type Clock, overlap, type Span } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { convertCandles } from '#prices/currencies/conversion';
import type { Rates } from '#prices/currencies/rates';
import { rateUnavailable, type Valuation, valuationBySamples } from '#prices/currencies/valuation';
import { type WindowSize, windowSize } from '#prices/history/window-reader';
import { CANDLE_MINUTES, CANDLES, type CandleColumns, candleLength } from '#prices/model/candle';
import { withSemicolons } from '#prices/model/csv';
import { type Currency, DOLLAR, tokenOfCurrency } from '#prices/model/currency';
import { type Interval, rangeWindow, samplesIn, type Window } from '#prices/model/interval';
import { keptFrom, keptOf, type Retention } from '#prices/model/market-sources';
import { columnsOf, firstUnsettled } from '#prices/model/series';
import type { Kraken } from '#prices/sources/kraken';
import type { Answer } from '#server/replies/answer-body';
import type { Format } from '#server/replies/answer-headers';
import type { Answers } from '#server/replies/response-cache';
import { createFetchRunner, type FetchOutcome, type SingleFlight } from '#upstream/fetch-runner';
import { type CandleCache, type CandleFetch, candleFetch, candleGroup } from './candle-cache.ts';
import { createCandleFacts, firstRequested, isCandleSettled, planCandles } from './candle-facts.ts';
import { candlesCsv, candlesJson } from './candle-import.ts';
import type { CandleSeries } from './candle-store.ts';

type Dependencies = {
  source: Pick<Kraken, 'name' | 'reach' | 'candles'>;
  cache: CandleCache;
  answers: Answers;
  archive: Pick<ArchiveCache, 'beginning' | 'load'>;
  retention: Retention;
  singleFlight: SingleFlight<CandleFetch>;
  rates: Rates;
  clock: Clock;
};

type CandleRequest = {
  requestKey: string;
  series: CandleSeries;
  window: Window;
  format: Format;
  currency: Currency;
};

const RENDER: Record<Format, (columns: CandleColumns, currency?: Currency) => Iterable<string>> = {
  json: candlesJson,
  csv: candlesCsv,
  'semicolon-csv': (columns, currency) => candlesCsv(columns, currency).map(withSemicolons),
};

/** Every method throws a problem if there is no response. */
export function createCandles(dependencies: Dependencies) {
  const { source, cache, answers, archive, retention, singleFlight, rates, clock } = dependencies;
  const candleFacts = createCandleFacts({ source, cache, archive, retention, clock });
  const { beginning, bounds, missing } = candleFacts;

  const load = ({ token, interval }: CandleSeries) =>
    Promise.all([archive.load(token), cache.load(candleGroup(token, interval))]);

  /** A copy of a span's candles, and their version. The version is undefined if the candles are not in memory. */
  async function read({ token, interval }: CandleSeries, { from, thru }: Span) {
    const stored = await cache.reaching(token, interval, { from, thru });
    const isInMemory = stored === cache.series(token, interval);
    return {
      columns: columnsOf(CANDLES, [], stored.slice(from, thru)),
      version: isInMemory ? String(stored.version) : undefined,
    };
  }

  /** Makes one call for all candles from an instant on. Does not store candles older than the retention period. */
  async function fetch({ token, interval }: CandleSeries, from: number | undefined): Promise<void> {
    const candleFacts = await source.candles(token, CANDLE_MINUTES[interval], from);
    const now = clock.now();
    const length = candleLength(interval);
    const { rows, covers } = keptOf(candleFacts.candles, candleFacts.covers, keptFrom(retention, source.name, now));
    const settling = rows.map((candle) => ({ ...candle, settled: isCandleSettled(candle.at, length, now) }));
    const update = { interval, rows: settling, covers };
    await cache.record(source.name, candleFetch({ token, interval }), token, [update], now);
  }

  async function refresh(series: CandleSeries, { span }: Window): Promise<FetchOutcome> {
    const { token, interval } = series;
    const now = clock.now();
    const known = bounds(interval, now);
    const requested = cache.series(token, interval).slice(firstRequested(interval, known), now);
    const plan = planCandles(span, {
      ...known,
      now,
      interval,
      coverage: cache.coverage(token, interval),
      unsettledFrom: firstUnsettled(requested),
      fetchedAt: cache.fetchedAt(candleFetch(series)),
    });
    const runner = createFetchRunner({ singleFlight, clock });
    if (plan) await runner.run(candleFetch(series), plan.wait, () => fetch(series, plan.from));
    return runner.outcome;
  }

  /** Values a token that serves as a currency, at the open prices of its own candles. */
  async function valuationBy(currency: Currency, token: TokenName, window: Window): Promise<Valuation> {
    const series = { token, interval: window.interval };
    await load(series);
    const outcome = await refresh(series, window);
    const { columns, version } = await read(series, window.span);
    const gaps = missing(series, window);
    const known = { outcome, version, gaps, isSettled: true, beginning: beginning(series) };
    return valuationBySamples(
      { currency, source: source.name, ...known },
      { at: columns.at, price: columns.open },
      window.interval,
    );
  }

  function valuationOf(currency: Currency, window: Window): Promise<Valuation> {
    const token = tokenOfCurrency(currency);
    return token ? valuationBy(currency, token, window) : rates.valuation(currency, window.span.from);
  }

  /** Throws a problem if the window has no candles. */
  async function readCandles(series: CandleSeries, window: Window, currency: Currency) {
    await load(series);
    const valuation = currency === DOLLAR ? undefined : await valuationOf(currency, window);
    const outcome = await refresh(series, window);
    const { columns: dollars, version: stored } = await read(series, window.span);
    if (dollars.at.length === 0) throw candleFacts.nothingToServe(series, window, outcome.failure);
    const columns = valuation ? convertCandles(dollars, valuation.usdRate) : dollars;
    const answer = candleFacts.facts(series, window, columns, outcome, valuation);
    if (valuation && columns.at.length === 0) throw rateUnavailable(valuation, window.span, answer.gaps);
    const isNamed = stored !== undefined && (!valuation || valuation.version !== undefined);
    const version = isNamed ? [stored, valuation?.version].join(';') : undefined;
    return { columns, answer, version, valuation };
  }

  async function history({ requestKey, series, window, format, currency }: CandleRequest): Promise<Answer> {
    const { columns, answer, version, valuation } = await readCandles(series, window, currency);
    const rows = { version, isWide: windowSize(columns.at.length) !== 'short' };
    const pieces = () => RENDER[format](columns, valuation?.currency);
    return { body: await answers.bodyOfRows(requestKey, rows, pieces), ...answer };
  }

  function size(series: CandleSeries, { span }: Window): WindowSize {
    const known = overlap(span, { from: beginning(series), thru: clock.now() });
    return windowSize(known === undefined ? 0 : samplesIn(series.interval, known));
  }

  return {
    /** The finished candles that start from one date through another, inclusive (Unix ms of their midnights). */
    range(
      token: TokenName,
      interval: Interval,
      from: number,
      thru: number,
      format: Format,
      currency = DOLLAR,
    ): Answer | Promise<Answer> {
      const series = { token, interval };
      const window = rangeWindow(interval, from, thru, clock.now());
      const about = [token, interval, from, thru, format];
      const requestKey = (currency === DOLLAR ? about : [...about, currency]).join();
      const isLong = () => size(series, window) !== 'short';
      return answers.respond(requestKey, isLong, () => history({ requestKey, series, window, format, currency }));
    },

    /** Like `range`, as columns instead of text. */
    async points(token: TokenName, interval: Interval, from: number, thru: number, currency = DOLLAR) {
      const window = rangeWindow(interval, from, thru, clock.now());
      const { columns, answer } = await readCandles({ token, interval }, window, currency);
      return { columns, ...answer };
    },

    size: (token: TokenName, window: Window): WindowSize => size({ token, interval: window.interval }, window),
    warnings: singleFlight.warnings,
    idle: singleFlight.idle,
  };
}

export type Candles = ReturnType<typeof createCandles>;
