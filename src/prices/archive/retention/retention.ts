import { randomUUID } from 'node:crypto';
import { type Clock, HOUR, MINUTE } from '#core/clock';
import type { Log } from '#core/log';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { CandleCache } from '#prices/candles/candle-cache';
import type { MarketSourceName } from '#prices/sources/provenance';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { ageAt } from '#upstream/freshness';
import { createPurge } from './purge.ts';
import type { PurgeStore } from './purge-store.ts';
import { keptFrom, type Retention } from './retention-periods.ts';

/** How often what is too old is deleted, and how often a process looks whether it is time, in ms. */
const EVERY = HOUR;
const LOOK_EVERY = MINUTE;
/** How long a process that died keeps the others from it, in ms; a first purge of years takes minutes. */
const CLAIM = 10 * MINUTE;

type Dependencies = {
  store: PurgeStore;
  refreshes: Pick<RefreshStore, 'claim' | 'release'>;
  archive: Pick<ArchiveCache, 'fetchedAt' | 'version' | 'sync'>;
  candles: Pick<CandleCache, 'sync'>;
  retention: Retention;
  clock: Clock;
  log: Log;
};

/** Deletes samples and candles that have been kept for as long as they may be: once an hour, by one process. */
export function createRetention({ store, refreshes, archive, candles, retention, clock, log }: Dependencies) {
  const holder = randomUUID();
  const sources = Object.keys(retention) as MarketSourceName[];
  const purge = createPurge({ store, clock });
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  /** False where it was cut short. */
  async function purgeAll(now: number): Promise<boolean> {
    for (const source of sources) {
      const before = keptFrom(retention, source, now);
      const deleted = { points: 0, candles: 0 };
      for await (const { points, candles } of purge({ source, before })) {
        deleted.points += points;
        deleted.candles += candles;
        if (isClosed) return false;
      }
      if (deleted.points + deleted.candles > 0)
        log.info({ source, ...deleted }, 'samples and candles were deleted for their age');
    }
    return true;
  }

  /** Enforces it where it is due and no other process does. */
  async function enforce(): Promise<void> {
    await archive.sync();
    const now = clock.now();
    if (ageAt(archive.fetchedAt('retention'), now) < EVERY) return;
    if (!(await refreshes.claim('retention', holder, CLAIM, archive.version('retention')))) return;
    try {
      if (await purgeAll(now)) await store.retentionEnforced(now);
    } finally {
      await refreshes.release('retention', holder);
    }
    await Promise.all([archive.sync(), candles.sync()]);
  }

  function look(): Promise<void> {
    underWay ??= enforce()
      .catch((err) => log.warn({ err }, 'samples and candles could not be deleted for their age'))
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }

  const looking = sources.length > 0 ? setInterval(look, LOOK_EVERY) : undefined;
  if (looking) void look();

  return {
    /** Looks whether it is time, and resolves when what is due is done. */
    look,

    /** Stops after the token under way. */
    async close(): Promise<void> {
      clearInterval(looking);
      isClosed = true;
      await underWay;
    },
  };
}
