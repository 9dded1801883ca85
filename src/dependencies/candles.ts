import type { WorkingSet } from '#services/caching/working-set';
import { createCandleCache } from '#services/candles/candle-cache';
import { createCandles } from '#services/candles/candles';
import { createSingleFlight } from '#services/upstream/single-flight';
import { createCandleStore } from '#stores/candles/candles';
import type { Context } from './context.ts';
import type { Currencies } from './currency.ts';
import type { Venue } from './kraken.ts';
import type { Prices } from './market.ts';

type Beside = Pick<Venue, 'source' | 'sync'> &
  Pick<Prices, 'archive'> &
  Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

/** Opens the candles of a venue: what is stored of them, and what fetches them. */
export function openCandles(context: Context, { source, sync, archive, rates, workingSet }: Beside) {
  const { settings, prisma, deadline, refreshes, clock, log } = context;
  const store = deadline.over(createCandleStore(prisma));
  const cache = createCandleCache({ store, refreshes, clock, workingSet });
  const { retention, upstreamTimeoutMs: timeoutMs } = settings;
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, log });

  return {
    cache,
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
