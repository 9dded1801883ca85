import { type Clock, HOUR, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { seriesJson } from '#prices/history/series-text';
import { createWindowReader } from '#prices/history/window-reader';
import { notInResponse, priceOf, sourcesOf, toRecord } from '#prices/latest/latest-answer';
import { SAMPLE } from '#prices/latest/records';
import type { Market } from '#prices/market';
import { daysWindow } from '#prices/model/interval';
import type { Backfill } from '#prices/refresh/backfill';
import { type Answer, type Body, bodyOf } from '#server/replies/answer-body';
import { upstreamProblem } from '#upstream/failure';

/** The refresh interval in ms. The public sample is free, so it is refreshed rarely. */
export const REFRESH_EVERY = HOUR;
/** How long all clients share a sample or a failure, in ms. */
const KEPT_FOR = 10 * SECOND;
export type Sample = Pick<Answer, 'source' | 'fetchedAt' | 'gaps'> & { body: Body };

function eachOnce(sources: readonly string[]): string {
  const nameOf = (source: string) => source.split(';')[0];
  return sources
    .filter((one, place) => sources.findIndex((other) => nameOf(other) === nameOf(one)) === place)
    .join(', ');
}

type Dependencies = {
  market: Pick<Market, 'latestOf' | 'days'>;
  archive: ArchiveCache;
  backfill: Backfill;
  clock: Clock;
};

/** The public sample: at most one refresh an hour, and one body for all clients. */
export function createSample({ market, archive, backfill, clock }: Dependencies) {
  const { token, days } = SAMPLE;
  const reader = createWindowReader({ archive, backfill, clock });
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  async function read(): Promise<Sample> {
    await archive.load(token.name);
    const price = priceOf(archive, token);
    if (!price.latest) throw upstreamProblem(notInResponse);
    const window = daysWindow(days, clock.now());
    const rows = reader.read(token.name, window, archive.series(token.name, window.interval));
    if (rows.isEmpty) throw reader.nothingToServe(token.name, window, undefined);
    const [title, latest] = [token.title, toRecord(price)].map((one) => JSON.stringify(one));
    const history = [...seriesJson(rows.columns())].join('');
    return {
      body: bodyOf(`{"title":${title},"latest":${latest},"history":${history}}`),
      source: eachOnce([...sourcesOf([price.latest], clock.now()).split(', '), ...rows.sources]),
      fetchedAt: price.latest.fetchedAt,
      gaps: reader.gaps(token.name, window),
    };
  }

  const isFresh = ({ fetchedAt = 0, gaps }: Sample) => gaps.length === 0 && clock.now() - fetchedAt < REFRESH_EVERY;

  /** The last day's chart is fetched for the 24-hour change. */
  async function refresh(): Promise<Sample> {
    await Promise.allSettled([market.days(token.name, 1, 'json')]);
    await market.latestOf([token]);
    await market.days(token.name, days, 'json');
    return read();
  }

  /** Returns stored data. Fetches old or missing data at most once an hour. */
  async function make(): Promise<Sample> {
    const isDue = clock.elapsed() - refreshedAt >= REFRESH_EVERY;
    const known = await read().catch((error: unknown) => {
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

  return memo(make, { ttl: KEPT_FOR, clock, keepsErrors: true });
}
