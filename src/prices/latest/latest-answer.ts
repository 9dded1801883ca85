import type { Token, TokenName } from '#catalogue/token';
import { type Clock, DAY, MINUTE, SECOND } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { SourcedLatest } from '#prices/archive/latest-prices';
import { convertLatest } from '#prices/currencies/conversion';
import { currencyText, rateUnavailable, withRates } from '#prices/currencies/valuation';
import type { Valuations } from '#prices/currencies/valuations';
import { type Currency, DOLLAR } from '#prices/model/currency';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { NO_FIGURES } from '#prices/model/sample';
import { type PointSeries, samplesOf } from '#prices/model/series';
import type { Backfill } from '#prices/refresh/backfill';
import type { Answer } from '#server/replies/answer-body';
import type { Answers } from '#server/replies/response-cache';
import { UpstreamFailure, upstreamProblem } from '#upstream/failure';
import { allOutcomes, type FetchOutcome } from '#upstream/fetch-runner';
import type { TokenPrice } from './records.ts';

/** The largest accepted distance, in ms, between a sample and the instant 24 hours earlier. */
const TOLERANCE = 30 * MINUTE;

/**
 * The change of a price over the 24 hours before an instant (Unix ms), in percent. The reference is the sample,
 * of any series, that is nearest to 24 hours earlier. If two samples of a series are equally near, it is the earlier
 * one. Null if no sample is within the tolerance.
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

type Named = Pick<Token, 'name' | 'symbol'>;
type Row = Named & { latest: SourcedLatest | undefined; change: number | null };

const versionOfAll = (rows: readonly Row[]): string =>
  rows.map(({ symbol, latest, change }) => [symbol, latest && versionOf(latest), change].join()).join(';');

export function toRecord({ name, symbol, latest, change }: Row): TokenPrice {
  const named = { tokenName: name, symbol };
  if (!latest) return { ...named, at: null, change_24h: null, ...NO_FIGURES };
  return { ...named, at: new Date(latest.at).toUTCString(), change_24h: change, ...latest.record };
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

type Dependencies = { archive: Archive; latestAnswer: LatestAnswers };

export function createLatestTable({ archive, latestAnswer }: Dependencies) {
  /** Returns records in the order of the tokens. Unknown figures are null. Throws a problem if no token has a price. */
  return function latestTable(tokens: readonly Named[], currency = DOLLAR): Answer | Promise<Answer> {
    const names = tokens.map(({ name }) => name);
    const requestKey = `latest ${currency} ${names.join()}`;
    const read = () => tokens.map((token) => priceOf(archive, token));
    return latestAnswer({ requestKey, tokens: names, read, versionOf: versionOfAll, write }, currency);
  };
}

export function createLatestPrice({ archive, latestAnswer }: Dependencies) {
  return function latestPrice(token: TokenName, currency = DOLLAR): Answer | Promise<Answer> {
    return latestAnswer(
      {
        requestKey: currency === DOLLAR ? token : `${token},${currency}`,
        tokens: [token],
        read: () => [{ latest: archive.latest(token) }],
        versionOf: ([{ latest } = { latest: undefined }]) => (latest ? versionOf(latest) : ''),
        write: ([row]) => JSON.stringify(row?.latest?.record),
      },
      currency,
    );
  };
}

const versionOf = ({ sources }: SourcedLatest): string => sources.flatMap(Object.values).join();

/**
 * Returns the value of `Quotient-Source`: the most frequent source first, each with the age of its oldest price in
 * seconds. If all prices are from the primary source, no age is stated.
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

/** Why a token has no price although no fetch failed. */
export const notInResponse = new UpstreamFailure('coingecko', 'empty', 'the response does not contain the token');
type LatestAnswerRow = { latest: SourcedLatest | undefined };

type LatestRequest<R extends LatestAnswerRow> = {
  requestKey: string;
  tokens: readonly TokenName[];
  read: () => R[];
  versionOf: (rows: readonly R[]) => string;
  write: (rows: readonly R[]) => string;
};

type LatestAnswerDependencies = {
  archive: Pick<ArchiveCache, 'load'>;
  backfill: Pick<Backfill, 'latest' | 'dueAt'>;
  answers: Pick<Answers, 'get' | 'keep' | 'body'>;
  valuations: Pick<Valuations, 'ofLatest'>;
  clock: Clock;
};

const isThere = (outcome: FetchOutcome | Promise<FetchOutcome>): outcome is FetchOutcome =>
  !(outcome instanceof Promise);

/** Throws a problem if no token has a price. */
function knownPrices(rows: readonly LatestAnswerRow[], { failure }: FetchOutcome): SourcedLatest[] {
  const latest = rows.flatMap(({ latest }) => latest ?? []);
  if (latest.length === 0) throw upstreamProblem(failure ?? notInResponse);
  return latest;
}

export function createLatestAnswers({ archive, backfill, answers, valuations, clock }: LatestAnswerDependencies) {
  function answerOf(
    requestKey: string,
    version: string,
    rows: readonly LatestAnswerRow[],
    write: () => string,
    outcome: FetchOutcome,
  ): Answer {
    const latest = knownPrices(rows, outcome);
    const oldest = Math.min(...latest.map(({ fetchedAt }) => fetchedAt));
    return {
      body: answers.body(requestKey, version, write),
      source: sourcesOf(latest, clock.now()),
      modifiedAt: Math.max(...latest.map(({ at }) => at)),
      fetchedAt: oldest,
      dueAt: backfill.dueAt(oldest),
      settled: false,
      gaps: [],
      outcome,
    };
  }

  function inDollars<R extends LatestAnswerRow>(
    { requestKey, read, versionOf, write }: LatestRequest<R>,
    outcome: FetchOutcome,
  ) {
    const rows = read();
    return answerOf(requestKey, versionOf(rows), rows, () => write(rows), outcome);
  }

  /** Throws a problem if the currency's value is unknown. */
  async function inCurrency<R extends LatestAnswerRow>(request: LatestRequest<R>, currency: Currency): Promise<Answer> {
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
      return { ...row, latest: { ...row.latest, record } };
    });
    const version = `${versionOf(rows)};${valuation.version}`;
    return {
      ...answerOf(requestKey, version, rows, () => write(converted), withRates(outcome, valuation.outcome)),
      currency: currencyText({ ...valuation, usdRate: () => valuation.now }, now),
    };
  }

  /** Returns synchronously if all prices are in memory and none is due. */
  return function latestAnswer<R extends LatestAnswerRow>(
    request: LatestRequest<R>,
    currency: Currency,
  ): Answer | Promise<Answer> {
    const { requestKey, tokens } = request;
    const known = answers.get(requestKey);
    if (known) return known;
    const keep = (answer: Answer) => answers.keep(requestKey, answer);
    if (currency !== DOLLAR) return inCurrency(request, currency).then(keep);
    const loading = tokens.flatMap((token) => archive.load(token) ?? []);
    if (loading.length > 0) return Promise.all(loading).then(() => latestAnswer(request, currency));
    const outcomes = tokens.map(backfill.latest);
    if (outcomes.every(isThere)) return keep(inDollars(request, allOutcomes(outcomes)));
    return Promise.all(outcomes).then((all) => inDollars(request, allOutcomes(all)));
  };
}

type LatestAnswers = ReturnType<typeof createLatestAnswers>;
