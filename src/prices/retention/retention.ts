import { type Clock, HOUR } from '#core/clock';
import type { Log } from '#core/log';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { CandleCache } from '#prices/candles/candle-cache';
import type { MarketSourceName } from '#prices/model/market-sources';
import { keptFrom, type Retention } from '#prices/model/retention-periods';
import { createPurge } from '#prices/retention/purge';
import type { PurgeStore } from '#prices/retention/purge-store';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createDeletionRounds, type DeletionRounds } from '#upstream/deletion-rounds';
import type { FailureLog } from '#upstream/failure-log';

/** How often samples and candles that are too old are deleted, in ms. */
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

/**
 * Deletes samples and candles that have been kept for as long as they may be, once an hour. Undefined where all are kept
 * for good.
 */
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
      if (deleted.points + deleted.candles > 0)
        log.info({ source, ...deleted }, 'expired samples and candles deleted');
    }
  }

  return createDeletionRounds({
    ...{ name: 'retention', refreshes, deleteOld, clock, failures },
    isDue: (age) => age >= EVERY,
    afterRound: () => Promise.all([archive.sync(), candles.sync()]),
  });
}
