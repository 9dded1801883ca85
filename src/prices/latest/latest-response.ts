import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import { convertFigure, convertLatest } from '#prices/currencies/conversion';
import { currencyText, type LatestValuation, rateUnavailable, withRates } from '#prices/currencies/valuation';
import { type Currency, DOLLAR } from '#prices/model/currency';
import { PRIMARY_SOURCE } from '#prices/model/market-sources';
import { frozenAfter } from '#prices/model/price-check';
import type { LatestPrice } from '#prices/model/prices-records';
import type { DataResponse } from '#server/responses/response-body';
import type { CachedResponses } from '#server/responses/response-cache';
import { upstreamProblem } from '#upstream/failures/failure';
import { allOutcomes, type FetchOutcome } from '#upstream/fetch-runner';
import type { ArchiveCache } from './latest-cache.ts';
import type { SourcedLatest } from './latest-composition.ts';
import {
  type Line,
  type Named,
  priceOf,
  sourcesOf,
  versionOf,
  versionOfAll,
  withLine,
  writeRows,
} from './latest-rows.ts';

type LatestFetches = {
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

type LatestResponseRow = { latest: SourcedLatest | undefined; line?: Line };

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
function knownPrices(rows: readonly LatestResponseRow[], { failure }: FetchOutcome): SourcedLatest[] {
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
      const { line } = row;
      const prices = () => line?.prices().map((price) => convertFigure(price, valuation.now)) ?? [];
      return { ...row, latest: { ...row.latest, record }, ...(line && { line: { ...line, prices } }) };
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
      return latestResponse({ requestKey, tokens: names, read, versionOf: versionOfAll, write: writeRows }, currency);
    },
  };
}

export type LatestPrices = ReturnType<typeof createLatestPrices>;
