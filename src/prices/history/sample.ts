import { HOUR, SECOND } from '#core/clock';
import { memo } from '#core/memo';
import { SAMPLE } from '#prices/latest/latest-records';
import type { LatestPrices } from '#prices/latest/latest-response';
import { priceOf, sourcesOf, toRecord } from '#prices/latest/latest-rows';
import { daysWindow } from '#prices/model/interval';
import { type Body, bodyOf, type DataResponse } from '#server/responses/response-body';
import { UpstreamFailure, upstreamProblem } from '#upstream/failures/failure';
import { ageAt } from '#upstream/freshness';
import type { History } from './history.ts';
import { seriesJson } from './series-text.ts';
import type { ReaderDeps, WindowReader } from './window-reader.ts';

/** The refresh interval in ms. The public sample is free, so it is refreshed rarely. */
export const REFRESH_EVERY = HOUR;
/** How long all clients share a sample or a failure, in ms. */
const KEPT_FOR = 10 * SECOND;
export type Sample = Pick<DataResponse, 'source' | 'fetchedAt' | 'gaps'> & { body: Body };

function eachOnce(sources: readonly string[]): string {
  const nameOf = (source: string) => source.split(';')[0];
  return sources
    .filter((source, place) => sources.findIndex((other) => nameOf(other) === nameOf(source)) === place)
    .join(', ');
}

type Deps = Omit<ReaderDeps, 'backfill'> & {
  reader: WindowReader;
  market: Pick<LatestPrices, 'latestOf'> & Pick<History, 'days'>;
};

/** The public sample. It is refreshed at most once an hour, and all clients share one body. */
export function createSample({ market, archive, reader, clock }: Deps) {
  const { token, days } = SAMPLE;
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let failure: unknown;

  async function read(): Promise<Sample> {
    await archive.load(token.name);
    const price = priceOf(archive, token);
    if (!price.latest) throw upstreamProblem(new UpstreamFailure('coingecko', 'empty', 'no price of the token'));
    const window = daysWindow(days, clock.now());
    const rows = reader.read(token.name, window, archive.series(token.name, window.interval));
    if (rows.isEmpty) throw reader.nothingToServe(token.name, window, undefined);
    const title = JSON.stringify(token.title);
    const latest = JSON.stringify(toRecord(price));
    const history = [...seriesJson(rows.columns())].join('');
    return {
      body: bodyOf(`{"title":${title},"latest":${latest},"history":${history}}`),
      source: eachOnce([...sourcesOf([price.latest], clock.now()).split(', '), ...rows.sources]),
      fetchedAt: price.latest.fetchedAt,
      gaps: reader.gaps(token.name, window),
    };
  }

  const isFresh = ({ fetchedAt, gaps }: Sample) => gaps.length === 0 && ageAt(fetchedAt, clock.now()) < REFRESH_EVERY;

  /** The last day's chart is fetched for the 24-hour change. */
  async function refresh(): Promise<Sample> {
    await Promise.allSettled([market.days(token.name, 1, 'json')]);
    await market.latestOf([token]);
    await market.days(token.name, days, 'json');
    return read();
  }

  /** Returns stored data. Refreshes outdated or missing data at most once an hour. */
  async function make(): Promise<Sample> {
    const isDue = clock.elapsed() - refreshedAt >= REFRESH_EVERY;
    const stored = await read().catch((error: unknown) => {
      if (isDue) return undefined;
      throw failure ?? error;
    });
    if (stored && (!isDue || isFresh(stored))) return stored;
    refreshedAt = clock.elapsed();
    try {
      const fetched = await refresh();
      failure = undefined;
      return fetched;
    } catch (error) {
      failure = error;
      if (stored) return stored;
      throw error;
    }
  }

  return memo(make, { ttl: KEPT_FOR, clock, keepsErrors: true });
}
