import type { Clock } from '#domain/clock';
import { convertLatest } from '#domain/currency/conversion';
import { type Currency, DOLLAR } from '#domain/currency/currency';
import type { TokenName } from '#domain/market/token';
import { UpstreamFailure } from '#domain/upstream/failure';
import type { ArchiveCache } from '#services/archive/archive-cache';
import { sourcesOf, type ToldLatest, versionOf } from '#services/archive/latest-prices';
import type { Answer } from '#services/caching/answer';
import type { Answers } from '#services/caching/answers';
import { currencyText, noWorth, withRates } from '#services/currency/valuation';
import type { Valuations } from '#services/currency/valuations';
import type { Backfill } from '#services/market/backfill';
import type { FetchOutcome } from '#services/upstream/fetch-outcome';
import { upstreamProblem } from '#services/upstream/problem';

/** Why a token has no price where no fetch has failed. */
export const leftOut = new UpstreamFailure('coingecko', 'empty', 'the token was left out of the answer');

type Dependencies = {
  archive: ArchiveCache;
  backfill: Backfill;
  answers: Answers;
  valuations: Valuations;
  clock: Clock;
};

/** The latest price of a token, in dollars or in another currency. */
export function createLatestPrice({ archive, backfill, answers, valuations, clock }: Dependencies) {
  function inDollars(token: TokenName, outcome: FetchOutcome): Answer {
    const row = archive.latest(token);
    if (!row) throw upstreamProblem(outcome.failure ?? leftOut);
    return {
      body: answers.bodies.kept(token, versionOf(row), () => JSON.stringify(row.record)),
      source: sourcesOf([row], clock.now()),
      modifiedAt: row.at,
      fetchedAt: row.fetchedAt,
      dueAt: backfill.dueAt(row.fetchedAt),
      settled: false,
      gaps: [],
      outcome,
    };
  }

  /** Throws a problem where nobody can say what the currency is worth. */
  async function inCurrency(token: TokenName, currency: Currency, question: string): Promise<Answer> {
    await archive.load(token);
    const answer = inDollars(token, await backfill.latest(token));
    const row = archive.latest(token) as ToldLatest;
    const valuation = await valuations.ofLatest(currency, [row.record]);
    const record = convertLatest(row.record, valuation.now, valuation.worth);
    const now = clock.now();
    if (!record) throw noWorth(valuation, { from: now, thru: now }, []);
    const version = `${versionOf(row)};${valuation.version}`;
    return {
      ...answer,
      body: answers.bodies.kept(question, version, () => JSON.stringify(record)),
      currency: currencyText({ ...valuation, worth: () => valuation.now }, now),
      outcome: withRates(answer.outcome, valuation.outcome),
    };
  }

  /** The latest price record: at once when it is in memory and its time has not come. */
  return function latest(token: TokenName, currency = DOLLAR): Answer | Promise<Answer> {
    const question = currency === DOLLAR ? token : `${token},${currency}`;
    const known = answers.cache.get(question);
    if (known) return known;
    const keep = (answer: Answer) => answers.cache.keep(question, answer);
    if (currency !== DOLLAR) return inCurrency(token, currency, question).then(keep);
    const loading = archive.load(token);
    if (loading) return loading.then(() => latest(token));
    const outcome = backfill.latest(token);
    if (outcome instanceof Promise) return outcome.then((outcome) => inDollars(token, outcome));
    return keep(inDollars(token, outcome));
  };
}
