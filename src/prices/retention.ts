import { type Clock, HOUR } from '#core/clock';
import type { Log } from '#core/log';
import { type ArchiveCache, fetchesOf } from '#prices/archive/archive-cache';
import type { Purge, PurgeStore } from '#prices/archive/purge-store';
import { type CandleCache, candleFetchesOf } from '#prices/candles/candle-cache';
import { INTERVALS } from '#prices/model/interval';
import type { MarketSourceName } from '#prices/model/market-sources';
import { keptFrom, type Retention } from '#prices/model/market-sources';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createDeletionRounds, type DeletionRounds } from '#upstream/deletion-rounds';
import type { FailureLog } from '#upstream/failure-log';

const EVERY = HOUR;

type Dependencies = {
  store: PurgeStore;
  refreshes: Pick<RefreshStore, 'read' | 'claim' | 'release' | 'complete'>;
  archive: Pick<ArchiveCache, 'sync'>;
  candles: Pick<CandleCache, 'sync'>;
  retention: Retention;
  clock: Clock;
  log: Log;
  failures: Pick<FailureLog, 'failed'>;
};

/** Deletes expired samples and candles once an hour. Returns undefined if no retention period is set. */
export function createRetention(dependencies: Dependencies): DeletionRounds | undefined {
  const { store, refreshes, archive, candles, retention, clock, log, failures } = dependencies;
  const sources = Object.keys(retention) as MarketSourceName[];
  const purge = createPurge({ store, clock });
  if (sources.length === 0) return undefined;

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

  return createDeletionRounds({
    name: 'retention',
    refreshes,
    deleteOld,
    clock,
    failures,
    isDue: (age) => age >= EVERY,
    afterRound: () => Promise.all([archive.sync(), candles.sync()]),
  });
}

/** How many of a token's rows were deleted. `spans` is the number of coverage spans that were deleted or shortened. */
export type Purged = { token: string; points: number; candles: number; latest: number; spans: number };
type PurgeDependencies = { store: Pick<PurgeStore, 'tokens' | 'series' | 'latest'>; clock: Clock };

/** The source of candles. */
const VENUE: MarketSourceName = 'kraken';

export function createPurge({ store, clock }: PurgeDependencies) {
  /** After a full purge, the source's fetches are due again. After a partial purge, the coverage shows the gaps. */
  function dueAgain(token: string, { source, before }: Purge): readonly string[] {
    if (before !== undefined) return [];
    return [...fetchesOf(token, [source]), ...(source === VENUE ? candleFetchesOf(token) : [])];
  }

  /** Deletes a source's data token by token. Running processes drop it from memory. An interruption undoes nothing. */
  return async function* purge(what: Purge): AsyncGenerator<Purged> {
    for (const token of await store.tokens()) {
      const counts = { token, points: 0, candles: 0, latest: 0, spans: 0 };
      for (const kind of ['points', 'candles'] as const) {
        for (const interval of INTERVALS) {
          const { deleted, spans } = await store.series(kind, token, interval, what, clock.now());
          counts[kind] += deleted;
          counts.spans += spans;
        }
      }
      counts.latest = await store.latest(token, what, dueAgain(token, what), clock.now());
      yield counts;
    }
  };
}
