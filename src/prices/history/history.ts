import type { TokenName } from '#catalogue/token';
import { currencyText, rateUnavailable, type Valuation, withRates } from '#prices/currencies/valuation';
import { fetchesOf } from '#prices/latest/latest-cache';
import { type Currency, DOLLAR } from '#prices/model/currency';
import { daysWindow, type Interval, rangeWindow, type Window } from '#prices/model/interval';
import type { DateSnapshot } from '#prices/model/prices-records';
import type { SourcedSample } from '#prices/model/sample';
import { columnsOf, POINTS, type PointColumns } from '#prices/model/series';
import { bodyOf, type DataResponse } from '#server/responses/response-body';
import type { CachedResponses } from '#server/responses/response-cache';
import type { Format } from '#server/responses/response-headers';
import type { FetchOutcome } from '#upstream/fetch-runner';
import { type Form, fileName, seriesCsv, seriesJson, withSemicolons } from './series-text.ts';
import { convertedRows, type Valuations } from './valuations.ts';
import type { ReaderDeps, WindowReader, WindowRows } from './window-reader.ts';
import { createWindowResponses } from './window-responses.ts';

type Deps = ReaderDeps & { cachedResponses: CachedResponses; reader: WindowReader; valuations: Valuations };

type Shape = 'object' | 'list' | Exclude<Format, 'json'>;
/** `list` is an array with a single series. */
const RENDER: Record<Shape, Form<PointColumns>['render']> = {
  object: seriesJson,
  *list(columns) {
    yield '[';
    yield* seriesJson(columns);
    yield ']';
  },
  csv: seriesCsv,
  'semicolon-csv': (columns, currency) => seriesCsv(columns, currency).map(withSemicolons),
};

function responseOf(
  { archive, backfill, reader, clock }: Deps,
  token: TokenName,
  window: Window,
  rows: Pick<WindowRows, 'isSettled' | 'lastAt' | 'sources'>,
  outcome: FetchOutcome,
  valuation?: Valuation,
) {
  const times = fetchesOf(token).flatMap((resource) => archive.fetchedAt(resource) ?? []);
  const fetchedAt = window.open && times.length > 0 ? Math.max(...times) : undefined;
  const gaps = reader.gaps(token, window, valuation?.missing);
  return {
    fileName: fileName([token], window, valuation?.currency),
    source: rows.sources.join(', '),
    ...(valuation && { currency: currencyText(valuation) }),
    modifiedAt: rows.lastAt,
    fetchedAt,
    dueAt: backfill.dueAt(fetchedAt ?? clock.now()),
    isImmutable: rows.isSettled && gaps.length === 0,
    gaps,
    outcome: withRates(outcome, valuation?.outcome),
  };
}

/** The responses with a token's history. Every method throws a problem if no data can be returned. */
export function createHistory(deps: Deps) {
  const { archive, cachedResponses, backfill, reader, valuations, clock } = deps;

  /** Throws a problem if the window has no rows. */
  async function read(token: TokenName, window: Window, currency: Currency) {
    await archive.load(token);
    const valuation = currency === DOLLAR ? undefined : await valuations.ofWindow(currency, window);
    const outcome = await backfill.window(token, window);
    const stored = reader.read(token, window, await reader.series(token, window));
    if (stored.isEmpty) throw reader.nothingToServe(token, window, outcome.failure);
    const rows = valuation ? convertedRows(stored, valuation) : stored;
    const response = responseOf(deps, token, window, rows, outcome, valuation);
    if (valuation && rows.isEmpty) throw rateUnavailable(valuation, window.span, response.gaps);
    return { rows, response, valuation };
  }

  const { respond, rangeAs } = createWindowResponses({
    ...{ cachedResponses, windowOf: rangeWindow, size: reader.size, read, clock },
  });

  return {
    /** Returns an array of one snapshot: the figures at 00:00 UTC on a date (Unix ms of its midnight). */
    async date(token: TokenName, date: number, format: Format, currency = DOLLAR): Promise<DataResponse> {
      const window = { ...rangeWindow('day', date, date, clock.now()), withLatest: false };
      const { rows, response, valuation } = await read(token, window, currency);
      const sample = rows.first() as SourcedSample;
      const { price: current_price, marketCap: market_cap, volume: total_volume } = sample;
      const snapshot: DateSnapshot = { current_price, market_cap, total_volume };
      const csv = (shape: Exclude<Format, 'json'>) =>
        [...RENDER[shape](columnsOf(POINTS, [sample]), valuation?.currency)].join('');
      return {
        body: bodyOf(format === 'json' ? JSON.stringify([snapshot]) : csv(format)),
        ...response,
        source: sample.source,
        modifiedAt: sample.at,
        ...(valuation && { currency: currencyText(valuation, sample.at) }),
      };
    },

    days(token: TokenName, days: number, format: Format, currency = DOLLAR): DataResponse | Promise<DataResponse> {
      const shape = format === 'json' ? 'list' : format;
      const window = daysWindow(days, clock.now());
      return respond([token, days, format], { token, window, render: RENDER[shape], currency });
    },

    /** Returns the series from one date through another, inclusive (Unix ms of their midnights). */
    range(token: TokenName, interval: Interval, from: number, thru: number, format: Format, currency = DOLLAR) {
      const form = { name: format, render: RENDER[format === 'json' ? 'object' : format] };
      return rangeAs(form, token, interval, from, thru, currency);
    },

    rangeAs,
    windowAs: respond,
    /** The sample of a date (Unix ms of its midnight) in US dollars, and its response without the body. */
    async sample(token: TokenName, date: number) {
      const window = { ...rangeWindow('day', date, date, clock.now()), withLatest: false };
      const { rows, response } = await read(token, window, DOLLAR);
      return { sample: rows.first() as SourcedSample, window, response };
    },
    size: reader.size,
  };
}

export type History = ReturnType<typeof createHistory>;
