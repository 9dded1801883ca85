import type { Token, TokenName } from '#catalogue/token';
import { type Clock, DAY, MINUTE, SECOND } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { SourcedLatest } from '#prices/archive/latest-prices';
import { convertLatest } from '#prices/currencies/conversion';
import { currencyText, rateUnavailable, withRates } from '#prices/currencies/valuation';
import type { Valuations } from '#prices/currencies/valuations';
import { type Currency, DOLLAR } from '#prices/model/currency';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import { NO_FIGURES, type PointSeries, samplesOf } from '#prices/model/sample';
import type { Backfill } from '#prices/refresh/backfill';
import type { Answer } from '#server/replies/answer-body';
import type { Answers } from '#server/replies/response-cache';
import { UpstreamFailure, upstreamProblem } from '#upstream/failure';
import { allOutcomes, type FetchOutcome } from '#upstream/fetch-runner';
import type { TokenPrice } from './records.ts';

/** The largest distance from 24 hours earlier, in ms. */
const TOLERANCE = 30 * MINUTE;

/**
 * The change in per cent of a price (at an instant, Unix ms) since the sample nearest to 24 hours before it in any
 * series; of two equally near ones of a series, the earlier. Null if no sample with a price is within the tolerance.
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
type Row = Named & { told: SourcedLatest | undefined; change: number | null };

const versionOfAll = (rows: readonly Row[]): string =>
  rows.map(({ symbol, told, change }) => [symbol, told && versionOf(told), change].join()).join(';');

export function toRecord({ name, symbol, told, change }: Row): TokenPrice {
  const named = { tokenName: name, symbol };
  if (!told) return { ...named, at: null, change_24h: null, ...NO_FIGURES };
  return { ...named, at: new Date(told.at).toUTCString(), change_24h: change, ...told.record };
}

const write = (rows: readonly Row[]): string => JSON.stringify(rows.map(toRecord));
type Archive = Pick<ArchiveCache, 'latest' | 'series'>;

/** The latest price of a token, and its change in dollars between samples of the chart's series. */
export function priceOf(archive: Archive, { name, symbol }: Named): Row {
  const told = archive.latest(name);
  const series = [archive.series(name, 'minute'), archive.series(name, 'hour')];
  const change = told ? dayChange(series, told.record.current_price, told.at) : null;
  return { name, symbol, told, change };
}

type Dependencies = { archive: Archive; latestAnswer: LatestAnswers };

export function createLatestTable({ archive, latestAnswer }: Dependencies) {
  /** In the order of the tokens. A token without a price has nulls; throws a problem if none has one. */
  return function latestTable(tokens: readonly Named[], currency = DOLLAR): Answer | Promise<Answer> {
    const names = tokens.map(({ name }) => name);
    const question = `latest ${currency} ${names.join()}`;
    const read = () => tokens.map((token) => priceOf(archive, token));
    return latestAnswer({ question, tokens: names, read, versionOf: versionOfAll, write }, currency);
  };
}

export function createLatestPrice({ archive, latestAnswer }: Dependencies) {
  return function latestPrice(token: TokenName, currency = DOLLAR): Answer | Promise<Answer> {
    return latestAnswer(
      {
        question: currency === DOLLAR ? token : `${token},${currency}`,
        tokens: [token],
        read: () => [{ told: archive.latest(token) }],
        versionOf: ([{ told } = { told: undefined }]) => (told ? versionOf(told) : ''),
        write: ([row]) => JSON.stringify(row?.told?.record),
      },
      currency,
    );
  };
}

export const versionOf = ({ sources }: SourcedLatest): string => sources.flatMap(Object.values).join();

/** `Quotient-Source`: the most frequent source first; with its greatest age in seconds unless only the primary one. */
export function sourcesOf(prices: readonly SourcedLatest[], now: number): string {
  const oldest = new Map<MarketSourceName, number>();
  const told = new Map<MarketSourceName, number>();
  for (const { sources } of prices) {
    for (const [place, { source, fetchedAt }] of sources.entries()) {
      oldest.set(source, Math.min(fetchedAt, oldest.get(source) ?? fetchedAt));
      if (place === 0) told.set(source, (told.get(source) ?? 0) + 1);
    }
  }
  if (oldest.size === 1 && oldest.has(PRIMARY_SOURCE)) return PRIMARY_SOURCE;
  return MARKET_SOURCES.filter((source) => oldest.has(source))
    .sort((a, b) => (told.get(b) ?? 0) - (told.get(a) ?? 0))
    .map((source) => {
      const age = Math.max(0, Math.floor((now - (oldest.get(source) as number)) / SECOND));
      return `${source};age=${age}`;
    })
    .join(', ');
}

/** Why a token has no price although no fetch failed. */
export const leftOut = new UpstreamFailure('coingecko', 'empty', 'the token was left out of the answer');
type LatestAnswerRow = { told: SourcedLatest | undefined };

/** `question` identifies the request. */
type Asked<R extends LatestAnswerRow> = {
  question: string;
  tokens: readonly TokenName[];
  read: () => R[];
  /** Identifies the figures of the rows. */
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
function toldOf(rows: readonly LatestAnswerRow[], { failure }: FetchOutcome): SourcedLatest[] {
  const told = rows.flatMap(({ told }) => told ?? []);
  if (told.length === 0) throw upstreamProblem(failure ?? leftOut);
  return told;
}

export function createLatestAnswers({ archive, backfill, answers, valuations, clock }: LatestAnswerDependencies) {
  function answerOf(
    question: string,
    version: string,
    rows: readonly LatestAnswerRow[],
    write: () => string,
    outcome: FetchOutcome,
  ): Answer {
    const told = toldOf(rows, outcome);
    const oldest = Math.min(...told.map(({ fetchedAt }) => fetchedAt));
    return {
      body: answers.body(question, version, write),
      source: sourcesOf(told, clock.now()),
      modifiedAt: Math.max(...told.map(({ at }) => at)),
      fetchedAt: oldest,
      dueAt: backfill.dueAt(oldest),
      settled: false,
      gaps: [],
      outcome,
    };
  }

  function inDollars<R extends LatestAnswerRow>({ question, read, versionOf, write }: Asked<R>, outcome: FetchOutcome) {
    const rows = read();
    return answerOf(question, versionOf(rows), rows, () => write(rows), outcome);
  }

  /** Throws a problem if the currency's value is unknown. */
  async function inCurrency<R extends LatestAnswerRow>(asked: Asked<R>, currency: Currency): Promise<Answer> {
    const { question, tokens, read, versionOf, write } = asked;
    await Promise.all(tokens.map(archive.load));
    const outcome = allOutcomes(await Promise.all(tokens.map(backfill.latest)));
    const rows = read();
    const records = toldOf(rows, outcome).map(({ record }) => record);
    const valuation = await valuations.ofLatest(currency, records);
    const now = clock.now();
    const converted = rows.map((row): R => {
      if (!row.told) return row;
      const record = convertLatest(row.told.record, valuation.now, valuation.worth);
      if (!record) throw rateUnavailable(valuation, { from: now, thru: now }, []);
      return { ...row, told: { ...row.told, record } };
    });
    const version = `${versionOf(rows)};${valuation.version}`;
    return {
      ...answerOf(question, version, rows, () => write(converted), withRates(outcome, valuation.outcome)),
      currency: currencyText({ ...valuation, worth: () => valuation.now }, now),
    };
  }

  /** Returns at once if everything is in memory and not due. */
  return function latestAnswer<R extends LatestAnswerRow>(
    asked: Asked<R>,
    currency: Currency,
  ): Answer | Promise<Answer> {
    const { question, tokens } = asked;
    const known = answers.get(question);
    if (known) return known;
    const keep = (answer: Answer) => answers.keep(question, answer);
    if (currency !== DOLLAR) return inCurrency(asked, currency).then(keep);
    const loading = tokens.flatMap((token) => archive.load(token) ?? []);
    if (loading.length > 0) return Promise.all(loading).then(() => latestAnswer(asked, currency));
    const outcomes = tokens.map(backfill.latest);
    if (outcomes.every(isThere)) return keep(inDollars(asked, allOutcomes(outcomes)));
    return Promise.all(outcomes).then((all) => inDollars(asked, allOutcomes(all)));
  };
}

type LatestAnswers = ReturnType<typeof createLatestAnswers>;
