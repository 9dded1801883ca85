import type { Clock } from '#domain/clock';
import { dayChange } from '#domain/market/day-change';
import type { Token } from '#domain/market/token';
import { latestPrice } from '#domain/records';
import type { TokenPrice } from '#domain/token-price';
import type { ArchiveCache } from '#services/archive/archive-cache';
import { sourcesOf, type ToldLatest, versionOf } from '#services/archive/latest-prices';
import type { Answer } from '#services/caching/answer';
import type { Answers } from '#services/caching/answers';
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
  clock: Clock;
};

type Row = Named & { told: ToldLatest | undefined; change: number | null };

const isThere = (outcome: FetchOutcome | Promise<FetchOutcome>): outcome is FetchOutcome =>
  !(outcome instanceof Promise);

/** The latest prices of several tokens in one answer. */
export function createLatestTable({ archive, backfill, answers, clock }: Dependencies) {
  /** Against a sample of the same series that a chart is made of. */
  const changeOf = (name: Named['name'], { record, at }: ToldLatest): number | null =>
    dayChange(archive.series(name, 'minute'), record.current_price, at);

  function rowOf({ name, symbol }: Named): Row {
    const told = archive.latest(name);
    return { name, symbol, told, change: told ? changeOf(name, told) : null };
  }

  function toRecord({ name, symbol, told, change }: Row): TokenPrice {
    const named = { tokenName: name, symbol };
    if (!told) return { ...named, at: null, change_24h: null, ...NO_FIGURES };
    return { ...named, at: new Date(told.at).toUTCString(), change_24h: change, ...told.record };
  }

  function made(question: string, tokens: readonly Named[], outcome: FetchOutcome): Answer {
    const rows = tokens.map(rowOf);
    const told = rows.flatMap(({ told }) => told ?? []);
    if (told.length === 0) throw upstreamProblem(outcome.failure ?? leftOut);
    const version = rows
      .map(({ symbol, told, change }) => [symbol, told && versionOf(told), change].join())
      .join(';');
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

  /**
   * The latest prices of these tokens, in this order: at once when the time of none has come. A token without a price
   * has nulls; where none has one, it throws a problem.
   */
  return function latestTable(tokens: readonly Named[]): Answer | Promise<Answer> {
    const question = `latest ${tokens.map(({ name }) => name).join()}`;
    const known = answers.cache.get(question);
    if (known) return known;
    const loading = tokens.flatMap(({ name }) => archive.load(name) ?? []);
    if (loading.length > 0) return Promise.all(loading).then(() => latestTable(tokens));
    const outcomes = tokens.map(({ name }) => backfill.latest(name));
    if (outcomes.every(isThere))
      return answers.cache.keep(question, made(question, tokens, allOutcomes(outcomes)));
    return Promise.all(outcomes).then((all) => made(question, tokens, allOutcomes(all)));
  };
}
