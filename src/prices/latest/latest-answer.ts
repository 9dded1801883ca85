import type { TokenName } from '#catalogue/token';
import { type Clock, SECOND } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { ToldLatest } from '#prices/archive/latest-prices';
import { convertLatest } from '#prices/currencies/conversion';
import { currencyText, noWorth, withRates } from '#prices/currencies/valuation';
import type { Valuations } from '#prices/currencies/valuations';
import { type Currency, DOLLAR } from '#prices/model/currency';
import { MARKET_SOURCES, type MarketSourceName, PRIMARY_SOURCE } from '#prices/model/market-sources';
import type { Backfill } from '#prices/refresh/backfill';
import type { Answer } from '#server/cache/answer-body';
import type { Answers } from '#server/cache/response-cache';
import { UpstreamFailure, upstreamProblem } from '#upstream/failure';
import { allOutcomes, type FetchOutcome } from '#upstream/fetch-runner';

/** Names the figures of a latest price. */
export const versionOf = ({ sources }: ToldLatest): string => sources.flatMap(Object.values).join();

/**
 * Who told some latest prices, as `Quotient-Source` names them, whoever told most of them first. The first source alone
 * is named as it is; of others the greatest age of what each told is named too, in seconds.
 */
export function sourcesOf(prices: readonly ToldLatest[], now: number): string {
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

/** Why a token has no price where no fetch has failed. */
export const leftOut = new UpstreamFailure('coingecko', 'empty', 'the token was left out of the answer');

/** What an answer says of a token: of one without a price nothing is told. */
type Row = { told: ToldLatest | undefined };

/** What is asked of the latest prices, and how it is answered: `question` names all of it. */
type Asked<R extends Row> = {
  question: string;
  tokens: readonly TokenName[];
  /** What is known of these tokens now. */
  read: () => R[];
  /** Names all figures of the rows. */
  versionOf: (rows: readonly R[]) => string;
  write: (rows: readonly R[]) => string;
};

type Dependencies = {
  archive: Pick<ArchiveCache, 'load'>;
  backfill: Pick<Backfill, 'latest' | 'dueAt'>;
  answers: Pick<Answers, 'get' | 'keep' | 'body'>;
  valuations: Pick<Valuations, 'ofLatest'>;
  clock: Clock;
};

const isThere = (outcome: FetchOutcome | Promise<FetchOutcome>): outcome is FetchOutcome =>
  !(outcome instanceof Promise);

/** What is told of these tokens, of one at least. Throws a problem where nothing is, by what came of the fetches. */
function toldOf(rows: readonly Row[], { failure }: FetchOutcome): ToldLatest[] {
  const told = rows.flatMap(({ told }) => told ?? []);
  if (told.length === 0) throw upstreamProblem(failure ?? leftOut);
  return told;
}

/** Creates what answers with the latest prices of some tokens, in dollars or in another currency. */
export function createLatestAnswers({ archive, backfill, answers, valuations, clock }: Dependencies) {
  function answerOf(
    question: string,
    version: string,
    rows: readonly Row[],
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

  function inDollars<R extends Row>(
    { question, read, versionOf, write }: Asked<R>,
    outcome: FetchOutcome,
  ): Answer {
    const rows = read();
    return answerOf(question, versionOf(rows), rows, () => write(rows), outcome);
  }

  /** Throws a problem where nobody can say what the currency is worth. */
  async function inCurrency<R extends Row>(asked: Asked<R>, currency: Currency): Promise<Answer> {
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
      if (!record) throw noWorth(valuation, { from: now, thru: now }, []);
      return { ...row, told: { ...row.told, record } };
    });
    const version = `${versionOf(rows)};${valuation.version}`;
    return {
      ...answerOf(question, version, rows, () => write(converted), withRates(outcome, valuation.outcome)),
      currency: currencyText({ ...valuation, worth: () => valuation.now }, now),
    };
  }

  /** At once when all is in memory and its time has not come. */
  return function latestAnswer<R extends Row>(asked: Asked<R>, currency: Currency): Answer | Promise<Answer> {
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

export type LatestAnswers = ReturnType<typeof createLatestAnswers>;
