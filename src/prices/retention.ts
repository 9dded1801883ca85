import { type Clock, HOUR } from '#core/clock';
import type { Job } from '#core/jobs';
import type { Log } from '#core/log';
import { memberNames } from '#core/names';
import { type CandleCache, candleFetchesOf } from '#prices/candles/candle-cache';
import { type ArchiveCache, fetchesOf } from '#prices/latest/latest-cache';
import { INTERVALS } from '#prices/model/interval';
import { keptFrom, type Retention } from '#prices/model/market-sources';
import type { Purge, PurgeStore } from '#prices/series/purge-store';
import { isExchange } from '#prices/sources/price-sources';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createRetentionJob } from '#upstream/retention-job';

const EVERY = HOUR;

type Dependencies = {
  store: PurgeStore;
  refreshes: Pick<RefreshStore, 'read' | 'claim' | 'release' | 'complete'>;
  archive: Pick<ArchiveCache, 'sync'>;
  candles: Pick<CandleCache, 'sync'>;
  retention: Retention;
  clock: Clock;
  log: Log;
};

/** Deletes expired samples and candles once an hour. Undefined if no retention period is set. */
export function createRetention(deps: Dependencies): Job | undefined {
  const { store, refreshes, archive, candles, retention, clock, log } = deps;
  const sources = memberNames(retention);
  if (sources.length === 0) return undefined;
  const purge = createPurge({ store, clock });

  async function* deleteOld(now: number) {
    for (const source of sources) {
      const before = keptFrom(retention, source, now);
      const deleted = { points: 0, candles: 0 };
      for await (const { points, candles } of purge({ source, before })) {
        deleted.points += points;
        deleted.candles += candles;
        yield;
      }
      if (deleted.points + deleted.candles > 0) log.info({ source, ...deleted }, 'expired samples and candles deleted');
    }
  }

  return createRetentionJob({
    name: 'retention',
    refreshes,
    deleteOld,
    clock,
    isDue: (age) => age >= EVERY,
    afterRound: () => Promise.all([archive.sync(), candles.sync()]),
  });
}

/** How many of a token's rows were deleted. `spans` is the number of coverage spans that were deleted or shortened. */
export type Purged = { token: string; points: number; candles: number; latest: number; spans: number };
type PurgeDependencies = { store: Pick<PurgeStore, 'tokens' | 'series' | 'latest'>; clock: Clock };

export function createPurge({ store, clock }: PurgeDependencies) {
  /** After a full purge, the source's fetches are due again. After a partial purge, coverage shows the gaps. */
  function dueAgain(token: string, { source, before }: Purge): readonly string[] {
    if (before !== undefined) return [];
    return [...fetchesOf(token, [source]), ...(isExchange(source) ? candleFetchesOf(token) : [])];
  }

  /** Deletes a source's data token by token. An interruption keeps completed deletions. */
  return async function* purge(deletion: Purge): AsyncGenerator<Purged> {
    for (const token of await store.tokens()) {
      const counts = { token, points: 0, candles: 0, latest: 0, spans: 0 };
      for (const kind of ['points', 'candles'] as const) {
        for (const interval of INTERVALS) {
          const { deleted, spans } = await store.series(kind, token, interval, deletion, clock.now());
          counts[kind] += deleted;
          counts.spans += spans;
        }
      }
      counts.latest = await store.latest(token, deletion, dueAgain(token, deletion), clock.now());
      yield counts;
    }
  };
}
