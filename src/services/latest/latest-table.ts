import type { Clock } from '#domain/clock';
import { convertLatest } from '#domain/currency/conversion';
import { type Currency, DOLLAR } from '#domain/currency/currency';
import { dayChange } from '#domain/market/day-change';
import type { Token } from '#domain/market/token';
import { latestPrice } from '#domain/records';
import type { TokenPrice } from '#domain/token-price';
import type { ArchiveCache } from '#services/archive/archive-cache';
import { sourcesOf, type ToldLatest, versionOf } from '#services/archive/latest-prices';
import type { Answer } from '#services/caching/answer';
import type { Answers } from '#services/caching/answers';
import { currencyText, noWorth, withRates } from '#services/currency/valuation';
import type { Valuations } from '#services/currency/valuations';
import type { Backfill } from '#services/market/backfill';
import { allOutcomes, type FetchOutcome } from '#services/upstream/fetch-outcome';
import { upstreamProblem } from '#services/upstream/problem';
import { leftOut } from './latest-price.ts';

/** What is said of a token without any price. */
const NO_FIGURES = Object.fromEntries(Object.keys(latestPrice.shape).map((name) => [name, null])) as {
  [Member in keyof typeof latestPrice.shape]: null;
};

type Named = Pick<Token, 'name' | 'symbol'>;

type Dependencies = {
  archive: Pick<ArchiveCache, 'load' | 'latest' | 'series'>;
  backfill: Pick<Backfill, 'latest' | 'dueAt'>;
  answers: Pick<Answers, 'cache' | 'bodies'>;
  valuations: Pick<Valuations, 'ofLatest'>;
  clock: Clock;
};

type Row = Named & { told: ToldLatest | undefined; change: number | null };

const isThere = (outcome: FetchOutcome | Promise<FetchOutcome>): outcome is FetchOutcome =>
  !(outcome instanceof Promise);

const versionOfAll = (rows: readonly Row[]): string =>
  rows.map(({ symbol, told, change }) => [symbol, told && versionOf(told), change].join()).join(';');

function toRecord({ name, symbol, told, change }: Row): TokenPrice {
  const named = { tokenName: name, symbol };
  if (!told) return { ...named, at: null, change_24h: null, ...NO_FIGURES };
  return { ...named, at: new Date(told.at).toUTCString(), change_24h: change, ...told.record };
}

/** The latest prices of several tokens in one answer. */
export function createLatestTable({ archive, backfill, answers, valuations, clock }: Dependencies) {
  /** The change is that between samples of the series that charts are made of, in dollars. */
  function rowOf({ name, symbol }: Named): Row {
    const told = archive.latest(name);
    const series = [archive.series(name, 'minute'), archive.series(name, 'hour')];
    const change = told ? dayChange(series, told.record.current_price, told.at) : null;
    return { name, symbol, told, change };
  }

  /** Throws a problem where no token has a price. */
  function answerOf(question: string, version: string, rows: readonly Row[], outcome: FetchOutcome): Answer {
    const told = rows.flatMap(({ told }) => told ?? []);
    if (told.length === 0) throw upstreamProblem(outcome.failure ?? leftOut);
    const oldest = Math.min(...told.map(({ fetchedAt }) => fetchedAt));
    return {
      body: answers.bodies.kept(question, version, () => JSON.stringify(rows.map(toRecord))),
      source: sourcesOf(told, clock.now()),
      modifiedAt: Math.max(...told.map(({ at }) => at)),
      fetchedAt: oldest,
      dueAt: backfill.dueAt(oldest),
      settled: false,
      gaps: [],
      outcome,
    };
  }

  function inDollars(question: string, tokens: readonly Named[], outcome: FetchOutcome): Answer {
    const rows = tokens.map(rowOf);
    return answerOf(question, versionOfAll(rows), rows, outcome);
  }

  /** Throws a problem where nobody can say what the currency is worth. */
  async function inCurrency(question: string, tokens: readonly Named[], currency: Currency): Promise<Answer> {
    await Promise.all(tokens.map(({ name }) => archive.load(name)));
    const outcomes = await Promise.all(tokens.map(({ name }) => backfill.latest(name)));
    const rows = tokens.map(rowOf);
    const records = rows.flatMap(({ told }) => told?.record ?? []);
    const valuation = await valuations.ofLatest(currency, records);
    const now = clock.now();
    const converted = rows.map(({ told, ...row }): Row => {
      if (!told) return { ...row, told };
      const record = convertLatest(told.record, valuation.now, valuation.worth);
      if (!record) throw noWorth(valuation, { from: now, thru: now }, []);
      return { ...row, told: { ...told, record } };
    });
    const version = `${versionOfAll(rows)};${valuation.version}`;
    const outcome = withRates(allOutcomes(outcomes), valuation.outcome);
    return {
      ...answerOf(question, version, converted, outcome),
      currency: currencyText({ ...valuation, worth: () => valuation.now }, now),
    };
  }

  /**
   * The latest prices of these tokens, in this order: at once when the time of none has come. A token without a price
   * has nulls; where none has one, it throws a problem.
   */
  return function latestTable(tokens: readonly Named[], currency = DOLLAR): Answer | Promise<Answer> {
    const question = `latest ${currency} ${tokens.map(({ name }) => name).join()}`;
    const known = answers.cache.get(question);
    if (known) return known;
    const keep = (answer: Answer) => answers.cache.keep(question, answer);
    if (currency !== DOLLAR) return inCurrency(question, tokens, currency).then(keep);
    const loading = tokens.flatMap(({ name }) => archive.load(name) ?? []);
    if (loading.length > 0) return Promise.all(loading).then(() => latestTable(tokens));
    const outcomes = tokens.map(({ name }) => backfill.latest(name));
    if (outcomes.every(isThere)) return keep(inDollars(question, tokens, allOutcomes(outcomes)));
    return Promise.all(outcomes).then((all) => inDollars(question, tokens, allOutcomes(all)));
  };
}
