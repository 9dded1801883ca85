import { type Catalogue, knownSince } from '#catalogue/catalogue';
import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { type ArchiveCache, fetchesOf } from '#prices/archive/archive-cache';
import type { createArchiveSummary } from '#prices/archive/coverage-report';
import type { SeriesSummary } from '#prices/archive/series-store';
import type { Rates } from '#prices/currencies/rates';
import { convertedRows, currencyText, rateUnavailable, type Valuation, withRates } from '#prices/currencies/valuation';
import { createValuations } from '#prices/currencies/valuations';
import { fileName, seriesCsv, seriesJson } from '#prices/history/series-text';
import { createWindowReader, type WindowRows } from '#prices/history/window-reader';
import { createLatestAnswers, createLatestPrice, createLatestTable } from '#prices/latest/latest-answer';
import { createPriceEvents } from '#prices/latest/price-events';
import { withSemicolons } from '#prices/model/csv';
import { type Currency, DOLLAR } from '#prices/model/currency';
import type { DateSnapshot } from '#prices/model/records';
import { columnsOf, POINTS, type PointColumns } from '#prices/model/series';
import type { Backfill } from '#prices/refresh/backfill';
import { firstProvided } from '#prices/refresh/backfill-plan';
import type { KeyCheck } from '#prices/refresh/key-check';
import { createStaleness } from '#prices/refresh/staleness';
import { type Answer, bodyOf } from '#server/replies/answer-body';
import type { Format } from '#server/replies/answer-headers';
import type { Answers } from '#server/replies/response-cache';
import type { FetchOutcome } from '#upstream/fetch-runner';
import type { Warning } from '#upstream/freshness';
import { daysWindow, INTERVALS, type Interval, rangeWindow, type Window } from './model/interval.ts';
import type { SourcedSample } from './model/sample.ts';

type Dependencies = {
  archive: ArchiveCache;
  answers: Answers;
  summary: ReturnType<typeof createArchiveSummary>;
  catalogue: Pick<Catalogue, 'all'>;
  backfill: Backfill;
  keyCheck: KeyCheck;
  rates: Rates;
  clock: Clock;
};

type Shape = 'object' | 'list' | Exclude<Format, 'json'>;
/** `list` is an array with a single series. */
const RENDER: Record<Shape, (columns: PointColumns, currency?: Currency) => Iterable<string>> = {
  object: seriesJson,
  *list(columns) {
    yield '[';
    yield* seriesJson(columns);
    yield ']';
  },
  csv: seriesCsv,
  'semicolon-csv': (columns, currency) => seriesCsv(columns, currency).map(withSemicolons),
};

type WindowRequest = { requestKey: string; token: TokenName; window: Window; shape: Shape; currency: Currency };

/** The archived span and number of points of an interval, across all sources. */
function heldOf(rows: readonly SeriesSummary[], interval: Interval) {
  const mine = rows.filter((row) => row.interval === interval);
  if (mine.length === 0) return undefined;
  return {
    interval,
    from: Math.min(...mine.map(({ from }) => from)),
    thru: Math.max(...mine.map(({ thru }) => thru)),
    points: mine.reduce((sum, { points }) => sum + points, 0),
  };
}

/** Every method throws a problem if there is no response. */
export function createMarket(dependencies: Dependencies) {
  const { archive, answers, summary, catalogue, backfill, keyCheck, rates, clock } = dependencies;
  const reader = createWindowReader({ archive, backfill, clock });
  const valuations = createValuations({ archive, backfill, reader, rates, clock });
  const latestAnswer = createLatestAnswers({ archive, backfill, answers, valuations, clock });

  function facts(
    token: TokenName,
    window: Window,
    rows: Pick<WindowRows, 'isSettled' | 'lastAt' | 'sources'>,
    outcome: FetchOutcome,
    valuation?: Valuation,
  ) {
    const times = fetchesOf(token).flatMap((what) => archive.fetchedAt(what) ?? []);
    const fetchedAt = window.open && times.length > 0 ? Math.max(...times) : undefined;
    const gaps = reader.gaps(token, window, valuation?.missing);
    return {
      fileName: fileName([token], window, valuation?.currency),
      source: rows.sources.join(', '),
      ...(valuation && { currency: currencyText(valuation) }),
      modifiedAt: rows.lastAt,
      fetchedAt,
      dueAt: backfill.dueAt(fetchedAt ?? clock.now()),
      settled: rows.isSettled && gaps.length === 0,
      gaps,
      outcome: valuation ? withRates(outcome, valuation.outcome) : outcome,
    };
  }

  /** Throws a problem if the window has no rows. */
  async function readRows(token: TokenName, window: Window, currency: Currency) {
    await archive.load(token);
    const valuation = currency === DOLLAR ? undefined : await valuations.ofWindow(currency, window);
    const outcome = await backfill.window(token, window);
    const stored = reader.read(token, window, await reader.series(token, window));
    if (stored.isEmpty) throw reader.nothingToServe(token, window, outcome.failure);
    const rows = valuation ? convertedRows(stored, valuation) : stored;
    const answer = facts(token, window, rows, outcome, valuation);
    if (valuation && rows.isEmpty) throw rateUnavailable(valuation, window.span, answer.gaps);
    return { rows, answer, valuation };
  }

  async function history({ requestKey, token, window, shape, currency }: WindowRequest): Promise<Answer> {
    const { rows, answer, valuation } = await readRows(token, window, currency);
    // Copied, because the rows may be replaced while a large body is written.
    const wide = rows.isWide ? rows.columns() : undefined;
    const pieces = () => RENDER[shape](wide ?? rows.columns(), valuation?.currency);
    return { body: await answers.bodyOfRows(requestKey, rows, pieces), ...answer };
  }

  function respond(about: readonly (string | number)[], { currency, ...request }: Omit<WindowRequest, 'requestKey'>) {
    const requestKey = (currency === DOLLAR ? about : [...about, currency]).join();
    const isLong = () => reader.size(request.token, request.window) !== 'short';
    return answers.respond(requestKey, isLong, () => history({ ...request, requestKey, currency }));
  }

  return {
    latest: createLatestPrice({ archive, latestAnswer }),
    latestOf: createLatestTable({ archive, latestAnswer }),
    priceEvents: createPriceEvents({ archive, valuations }),

    /** Returns an array of one snapshot: the figures at 00:00 UTC on a date (Unix ms of its midnight). */
    async date(token: TokenName, date: number, format: Format, currency = DOLLAR): Promise<Answer> {
      const window = { ...rangeWindow('day', date, date, clock.now()), withLatest: false };
      const { rows, answer, valuation } = await readRows(token, window, currency);
      const sample = rows.first() as SourcedSample;
      const { price: current_price, marketCap: market_cap, volume: total_volume } = sample;
      const snapshot: DateSnapshot = { current_price, market_cap, total_volume };
      const csv = (shape: Exclude<Format, 'json'>) =>
        [...RENDER[shape](columnsOf(POINTS, [sample]), valuation?.currency)].join('');
      return {
        body: bodyOf(format === 'json' ? JSON.stringify([snapshot]) : csv(format)),
        ...answer,
        source: sample.source,
        modifiedAt: sample.at,
        ...(valuation && { currency: currencyText(valuation, sample.at) }),
      };
    },

    days(token: TokenName, days: number, format: Format, currency = DOLLAR): Answer | Promise<Answer> {
      const shape = format === 'json' ? 'list' : format;
      const window = daysWindow(days, clock.now());
      return respond([token, days, format], { token, window, shape, currency });
    },

    /** Returns the series from one date through another, inclusive (Unix ms of their midnights). */
    range(token: TokenName, interval: Interval, from: number, thru: number, format: Format, currency = DOLLAR) {
      const shape = format === 'json' ? 'object' : format;
      const window = rangeWindow(interval, from, thru, clock.now());
      return respond([token, interval, from, thru, format], { token, window, shape, currency });
    },

    /** Like `range`, as columns instead of text. */
    async points(token: TokenName, interval: Interval, from: number, thru: number, currency = DOLLAR) {
      const window = rangeWindow(interval, from, thru, clock.now());
      const { rows, answer } = await readRows(token, window, currency);
      return { columns: rows.columns(), ...answer };
    },

    size: reader.size,
    /** For the operator: how the key's plan differs from the configured plan, failed fetches, and failover. */
    warnings: (): Warning[] => [...keyCheck.warnings(), ...backfill.warnings()],
    staleness: createStaleness({ archive, backfill, clock }),

    async idle(): Promise<void> {
      await keyCheck.done;
      await backfill.idle();
    },

    generation: archive.generation,

    /** Returns each token's first known instant (Unix ms), archived spans, and first available price per interval. */
    async tokens() {
      const rowsOf = Map.groupBy(await summary(), ({ token }) => token);
      return catalogue.all().map((token) => {
        const rows = rowsOf.get(token.name) ?? [];
        const held = INTERVALS.flatMap((interval) => heldOf(rows, interval) ?? []);
        const firstDay = held.find(({ interval }) => interval === 'day')?.from;
        const listedAt = knownSince(token, firstDay);
        const firstPrice = (interval: Interval) => {
          const stored = held.find((one) => one.interval === interval)?.from ?? Number.POSITIVE_INFINITY;
          const provided = firstProvided(interval, { reach: backfill.reach(interval), now: clock.now() });
          return Math.min(stored, Math.max(listedAt, provided));
        };
        return { token, listedAt, held, firstPrice };
      });
    },
  };
}

export type Market = ReturnType<typeof createMarket>;
