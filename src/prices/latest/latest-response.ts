import type { Token, TokenName } from '#catalogue/token';
import { type Clock, DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { convertFigure, convertLatest } from '#prices/currencies/conversion';
import { currencyText, type LatestValuation, rateUnavailable, withRates } from '#prices/currencies/valuation';
import { type Currency, DOLLAR } from '#prices/model/currency';
import { intervalStart } from '#prices/model/interval';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { frozenAfter } from '#prices/model/price-check';
import type { LatestPrice } from '#prices/model/prices-records';
import { NO_FIGURES } from '#prices/model/sample';
import { type PointSeries, samplesOf } from '#prices/model/series';
import type { DataResponse } from '#server/responses/response-body';
import type { CachedResponses } from '#server/responses/response-cache';
import { upstreamProblem } from '#upstream/failures/failure';
import { allOutcomes, type FetchOutcome } from '#upstream/fetch-runner';
import type { ArchiveCache } from './latest-cache.ts';
import type { SourcedLatest } from './latest-composition.ts';
import type { TokenPrice } from './latest-records.ts';

export const versionOf = ({ sources }: SourcedLatest): string => sources.flatMap(Object.values).join();

/**
 * The value of `Quotient-Source`: the sources by number of prices, each with the age of its oldest price in seconds. No
 * age is stated if all prices are from the primary source.
 */
export function sourcesOf(prices: readonly SourcedLatest[], now: number): string {
  const oldest = new Map<MarketSourceName, number>();
  const latest = new Map<MarketSourceName, number>();
  for (const { sources } of prices) {
    for (const [place, { source, fetchedAt }] of sources.entries()) {
      oldest.set(source, Math.min(fetchedAt, oldest.get(source) ?? fetchedAt));
      if (place === 0) latest.set(source, (latest.get(source) ?? 0) + 1);
    }
  }
  if (oldest.size === 1 && oldest.has(PRIMARY_SOURCE)) return PRIMARY_SOURCE;
  return MARKET_SOURCES.filter((source) => oldest.has(source))
    .sort((a, b) => (latest.get(b) ?? 0) - (latest.get(a) ?? 0))
    .map((source) => {
      const age = Math.max(0, Math.floor((now - (oldest.get(source) as number)) / SECOND));
      return `${source};age=${age}`;
    })
    .join(', ');
}

export type LatestFetches = {
  latest(token: TokenName): FetchOutcome | Promise<FetchOutcome>;
  /** The interval of the latest prices, in ms. */
  latestEvery(): number;
  dueAt(fetchedAt: number): number;
};

/** Creates the function that builds a response with some prices, except the body. */
export const createLatestFacts =
  ({ backfill, clock }: { backfill: Omit<LatestFetches, 'latest'>; clock: Clock }) =>
  (latest: readonly SourcedLatest[], outcome: FetchOutcome): Omit<DataResponse, 'body'> => {
    const now = clock.now();
    // When the oldest price was fetched. If a source no longer updates a price, the time of the price itself counts.
    const limit = frozenAfter(backfill.latestEvery());
    const times = latest.map(({ at, fetchedAt }) => (fetchedAt - at > limit ? at : fetchedAt));
    const oldest = times.length > 0 ? Math.min(...times) : now;
    return {
      source: latest.length > 0 ? sourcesOf(latest, now) : PRIMARY_SOURCE,
      modifiedAt: latest.length > 0 ? Math.max(...latest.map(({ at }) => at)) : now,
      fetchedAt: oldest,
      dueAt: backfill.dueAt(oldest),
      isImmutable: false,
      gaps: [],
      outcome,
    };
  };

/** The largest accepted distance, in ms, between a sample and the instant 24 hours earlier. */
const TOLERANCE = 30 * MINUTE;

/**
 * The change of a price over the 24 hours before an instant (Unix ms), in percent, since the nearest sample of any
 * series. The earlier of two equally near samples counts. Null if no sample is within the tolerance.
 */
export function dayChange(series: readonly Pick<PointSeries, 'slice'>[], price: number, at: number): number | null {
  const dayBefore = at - DAY;
  let before: number | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  const slices = series.map((one) => one.slice(dayBefore - TOLERANCE, dayBefore + TOLERANCE));
  for (const sample of slices.flatMap((slice) => [...samplesOf(slice)])) {
    const distance = Math.abs(sample.at - dayBefore);
    if (!sample.price || distance >= nearest) continue;
    before = sample.price;
    nearest = distance;
  }
  return before === null ? null : ((price - before) / before) * 100;
}

type HourlyPrices = readonly (number | null)[];

/** The price of each of the 24 hours up to an instant (Unix ms). Null for an hour without a sample. */
function dayOfPrices(hours: Pick<PointSeries, 'slice'>, at: number): HourlyPrices {
  const from = intervalStart('hour', at) - DAY + HOUR;
  const prices = Array<number | null>(DAY / HOUR).fill(null);
  for (const sample of samplesOf(hours.slice(from, at))) prices[Math.floor((sample.at - from) / HOUR)] = sample.price;
  return prices;
}

const LINE_DIGITS = 5;
const rounded = (price: number | null) => price && Number(price.toPrecision(LINE_DIGITS));

type Named = Pick<Token, 'name' | 'symbol'>;
type Row = Named & {
  latest: SourcedLatest | undefined;
  change: number | null;
  /** The prices of the last 24 hours, if they are requested, and the version of their series. */
  line?: HourlyPrices;
  lineVersion?: number;
};

const versionOfAll = (rows: readonly Row[]): string =>
  rows
    .map(({ symbol, latest, change, lineVersion }) =>
      [symbol, latest && versionOf(latest), change, ...(lineVersion === undefined ? [] : [lineVersion])].join(),
    )
    .join(';');

export function toRecord({ name, symbol, latest, change, line }: Row): TokenPrice {
  const named = { tokenName: name, symbol };
  const sparkline = line && { sparkline_24h: line.map(rounded) };
  if (!latest) return { ...named, at: null, change_24h: null, ...NO_FIGURES, ...sparkline };
  return { ...named, at: new Date(latest.at).toUTCString(), change_24h: change, ...latest.record, ...sparkline };
}

const write = (rows: readonly Row[]): string => JSON.stringify(rows.map(toRecord));
type Archive = Pick<ArchiveCache, 'latest' | 'series'>;

/** The latest price of a token and its 24-hour change, calculated in dollars from the chart's series. */
export function priceOf(archive: Archive, { name, symbol }: Named): Row {
  const latest = archive.latest(name);
  const series = [archive.series(name, 'minute'), archive.series(name, 'hour')];
  const change = latest ? dayChange(series, latest.record.current_price, latest.at) : null;
  return { name, symbol, latest, change };
}

function withLine(archive: Archive, row: Row): Row {
  const hours = archive.series(row.name, 'hour');
  return { ...row, line: row.latest ? dayOfPrices(hours, row.latest.at) : [], lineVersion: hours.version };
}

type LatestResponseRow = { latest: SourcedLatest | undefined; line?: HourlyPrices };

type LatestRequest<R extends LatestResponseRow> = {
  requestKey: string;
  tokens: readonly TokenName[];
  read: () => R[];
  versionOf: (rows: readonly R[]) => string;
  write: (rows: readonly R[]) => string;
};

export type LatestValuations = {
  ofLatest(currency: Currency, records: readonly LatestPrice[], since?: number): Promise<LatestValuation>;
};

export type LatestDeps = {
  archive: Pick<ArchiveCache, 'load' | 'latest' | 'series'>;
  backfill: LatestFetches;
  cachedResponses: CachedResponses;
  valuations: LatestValuations;
  clock: Clock;
};

const isThere = (outcome: FetchOutcome | Promise<FetchOutcome>): outcome is FetchOutcome =>
  !(outcome instanceof Promise);

const noPrice = () => new Problem('no_data', 'The price sources report no price for this token.');

/** Throws a problem if no token has a price. */
export function knownPrices(rows: readonly LatestResponseRow[], { failure }: FetchOutcome): SourcedLatest[] {
  const latest = rows.flatMap(({ latest }) => latest ?? []);
  if (latest.length === 0) throw failure === undefined ? noPrice() : upstreamProblem(failure);
  return latest;
}

export function createLatestPrices({ archive, backfill, cachedResponses, valuations, clock }: LatestDeps) {
  const factsOf = createLatestFacts({ backfill, clock });

  function responseOf(
    requestKey: string,
    version: string,
    rows: readonly LatestResponseRow[],
    write: () => string,
    outcome: FetchOutcome,
  ): DataResponse {
    const latest = knownPrices(rows, outcome);
    return { body: cachedResponses.body(requestKey, version, write), ...factsOf(latest, outcome) };
  }

  function inDollars<R extends LatestResponseRow>(
    { requestKey, read, versionOf, write }: LatestRequest<R>,
    outcome: FetchOutcome,
  ) {
    const rows = read();
    return responseOf(requestKey, versionOf(rows), rows, () => write(rows), outcome);
  }

  async function inCurrency<R extends LatestResponseRow>(
    request: LatestRequest<R>,
    currency: Currency,
  ): Promise<DataResponse> {
    const { requestKey, tokens, read, versionOf, write } = request;
    await Promise.all(tokens.map(archive.load));
    const outcome = allOutcomes(await Promise.all(tokens.map(backfill.latest)));
    const rows = read();
    const records = knownPrices(rows, outcome).map(({ record }) => record);
    const valuation = await valuations.ofLatest(currency, records);
    const now = clock.now();
    const converted = rows.map((row): R => {
      if (!row.latest) return row;
      const record = convertLatest(row.latest.record, valuation.now, valuation.usdRate);
      if (!record) throw rateUnavailable(valuation, { from: now, thru: now }, []);
      const line = row.line?.map((price) => convertFigure(price, valuation.now));
      return { ...row, latest: { ...row.latest, record }, ...(line && { line }) };
    });
    const version = `${versionOf(rows)};${valuation.version}`;
    return {
      ...responseOf(requestKey, version, rows, () => write(converted), withRates(outcome, valuation.outcome)),
      currency: currencyText({ ...valuation, usdRate: () => valuation.now }, now),
    };
  }

  /** Returns synchronously if all prices are in memory and none is due. */
  function latestResponse<R extends LatestResponseRow>(
    request: LatestRequest<R>,
    currency: Currency,
  ): DataResponse | Promise<DataResponse> {
    const { requestKey, tokens } = request;
    const cachedResponse = cachedResponses.get(requestKey);
    if (cachedResponse) return cachedResponse;
    const keep = (response: DataResponse) => cachedResponses.keep(requestKey, response);
    if (currency !== DOLLAR) return inCurrency(request, currency).then(keep);
    const loading = tokens.flatMap((token) => archive.load(token) ?? []);
    if (loading.length > 0) return Promise.all(loading).then(() => latestResponse(request, currency));
    const outcomes = tokens.map(backfill.latest);
    if (outcomes.every(isThere)) return keep(inDollars(request, allOutcomes(outcomes)));
    return Promise.all(outcomes).then((all) => inDollars(request, allOutcomes(all)));
  }

  return {
    latest(token: TokenName, currency = DOLLAR): DataResponse | Promise<DataResponse> {
      const request = {
        requestKey: currency === DOLLAR ? token : `${token},${currency}`,
        tokens: [token],
        read: () => [{ latest: archive.latest(token) }],
        versionOf: ([row]: readonly LatestResponseRow[]) => (row?.latest ? versionOf(row.latest) : ''),
        write: ([row]: readonly LatestResponseRow[]) => JSON.stringify(row?.latest?.record),
      };
      return latestResponse(request, currency);
    },

    /** Returns records in the order of the tokens. Unknown figures are null. Throws a problem if no token has a price. */
    latestOf(tokens: readonly Named[], currency = DOLLAR, hasLines = false): DataResponse | Promise<DataResponse> {
      const names = tokens.map(({ name }) => name);
      const requestKey = `latest ${currency} ${hasLines ? 'lines ' : ''}${names.join()}`;
      const priced = () => tokens.map((token) => priceOf(archive, token));
      const read = hasLines ? () => priced().map((row) => withLine(archive, row)) : priced;
      return latestResponse({ requestKey, tokens: names, read, versionOf: versionOfAll, write }, currency);
    },
  };
}

export type LatestPrices = ReturnType<typeof createLatestPrices>;
