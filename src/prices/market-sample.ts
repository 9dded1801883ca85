import { z } from 'zod';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { type Clock, HOUR, SECOND } from '#core/clock';
import { text } from '#core/record-fields';
import { tokenPrice } from '#prices/latest/records';
import type { Market } from '#prices/market';
import { priceSeries } from '#prices/model/records';
import type { Answer } from '#server/cache/answer';
import { type Body, bodyOf } from '#server/cache/answer-body';

/** How often figures are fetched for it, whoever asks: nobody pays for them. In ms. */
export const REFRESH_EVERY = HOUR;
/** How long what was made, or why nothing could be, is given to all who ask, in ms. */
const KEPT_FOR = 10 * SECOND;

/** A sample, and what there is to say about its age. */
export type Sample = Pick<Answer, 'source' | 'fetchedAt' | 'gaps'> & { body: Body };

/** What tells prices and history. */
type Teller = Pick<Market, 'latestOf' | 'days'>;

/** The one record of an answer that is an array of one. */
function recordIn({ body: { identity } }: Answer): never {
  const { payload } = identity;
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  return JSON.parse(bytes.toString())[0] as never;
}

/** Who told any of some answers, each once. */
function sourcesOf(answers: readonly Answer[]): string {
  const all = answers.flatMap(({ source }) => source.split(', '));
  const isFirst = (one: string, place: number) =>
    all.findIndex((other) => other.split(';')[0] === one.split(';')[0]) === place;
  return all.filter(isFirst).join(', ');
}

type Dependencies = {
  /** Fetches what is due. */
  market: Teller;
  /** Tells what is stored, and fetches nothing. */
  stored: Teller;
  clock: Clock;
};

/** Creates what tells everybody a sample of the figures: at most one refresh an hour, and one body for all who ask. */
export function createSample({ market, stored, clock }: Dependencies) {
  let kept: { at: number; sample: Promise<Sample> } | undefined;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  /** Why the last refresh failed. */
  let failure: unknown;

  async function read(teller: Teller): Promise<Sample> {
    const { token, days } = SAMPLE;
    const latest = await teller.latestOf([token]);
    const history = await teller.days(token.name, days, 'json');
    const record: MarketSample = {
      title: token.title,
      latest: recordIn(latest),
      history: recordIn(history),
    };
    const { fetchedAt } = latest;
    const source = sourcesOf([latest, history]);
    return { body: bodyOf(JSON.stringify(record)), source, fetchedAt, gaps: history.gaps };
  }

  const isFresh = ({ fetchedAt = 0, gaps }: Sample) =>
    gaps.length === 0 && clock.now() - fetchedAt < REFRESH_EVERY;

  /** Fetches what is due, the last day too: its chart tells the change of 24 hours. */
  async function refresh(): Promise<Sample> {
    await Promise.allSettled([market.days(SAMPLE.token.name, 1, 'json')]);
    return read(market);
  }

  /** What is stored, whoever asked for it; where that is old or missing, and the hour is over, it is fetched. */
  async function make(): Promise<Sample> {
    const isDue = clock.elapsed() - refreshedAt >= REFRESH_EVERY;
    const known = await read(stored).catch((error: unknown) => {
      if (isDue) return undefined;
      throw failure ?? error;
    });
    if (known && (!isDue || isFresh(known))) return known;
    refreshedAt = clock.elapsed();
    try {
      const fetched = await refresh();
      failure = undefined;
      return fetched;
    } catch (error) {
      failure = error;
      if (known) return known;
      throw error;
    }
  }

  /** Throws a problem where nothing can be told. */
  return function sample(): Promise<Sample> {
    const now = clock.elapsed();
    if (kept && now - kept.at < KEPT_FOR) return kept.sample;
    kept = { at: now, sample: make() };
    kept.sample.catch(() => undefined);
    return kept.sample;
  };
}

/** Of what everybody may see a sample: the latest price of a token, and so many days of its history. */
export const SAMPLE = { token: BUILT_IN_TOKENS[0], days: 30 } as const;

export const marketSample = z
  .object({
    title: text('The name of the token as people write it', 'Bitcoin'),
    latest: tokenPrice,
    history: priceSeries,
  })
  .meta({
    id: 'MarketSample',
    description: `The latest price of a token, and its history of ${SAMPLE.days} days: a point for each midnight (UTC), then the latest`,
  });
export type MarketSample = z.infer<typeof marketSample>;
