import type { Context } from '#open-context';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import type { WorkingSet } from '#prices/archive/working-set';
import type { Rates } from '#prices/currencies/rates';
import type { Kraken } from '#prices/sources/kraken';
import { createSingleFlight } from '#upstream/single-flight';
import { createCandleAvailability } from './candle-availability.ts';
import { createCandleCache } from './candle-cache.ts';
import { createCandleStore } from './candle-store.ts';
import { createCandles } from './candles.ts';

type Beside = {
  source: Kraken;
  /** Reads what calls other processes have spent. */
  sync: () => Promise<void>;
  archive: ArchiveCache;
  rates: Rates;
  workingSet: WorkingSet;
};

/** Opens the candles of a venue: what is stored of them, and what fetches them. */
export function openCandles(context: Context, { source, sync, archive, rates, workingSet }: Beside) {
  const { settings, prisma, deadline, refreshes, clock, failures } = context;
  const store = deadline.over(createCandleStore(prisma));
  const cache = createCandleCache({ store, refreshes, clock, workingSet });
  const { retention, upstreamTimeoutMs: timeoutMs } = settings;
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });

  return {
    cache,
    available: createCandleAvailability({ store, source, retention, clock }),
    candles: createCandles({ source, cache, archive, retention, singleFlight, rates, clock }),

    /** Reloads what other processes have written; when there was anything, also what calls they have spent. */
    async poll(): Promise<void> {
      const known = cache.generation();
      await cache.sync();
      if (cache.generation() !== known) await sync();
    },
  };
}

export type OpenCandles = ReturnType<typeof openCandles>;
