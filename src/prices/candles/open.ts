import type { Context } from '#open-context';
import type { WorkingSet } from '#prices/archive/working-set';
import type { Currencies } from '#prices/currencies/open';
import type { Prices } from '#prices/open';
import type { Venue } from '#prices/open-kraken';
import { createSingleFlight } from '#upstream/single-flight';
import { createCandleAvailability } from './candle-availability.ts';
import { createCandleCache } from './candle-cache.ts';
import { createCandleStore } from './candle-store.ts';
import { createCandles } from './candles.ts';

type Beside = Pick<Venue, 'source' | 'sync'> &
  Pick<Prices, 'archive'> &
  Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

/** Opens the candles of a venue: what is stored of them, and what fetches them. */
export function openCandles(context: Context, { source, sync, archive, rates, workingSet }: Beside) {
  const { settings, prisma, deadline, refreshes, responses, clock, failures } = context;
  const store = deadline.over(createCandleStore(prisma));
  const cache = createCandleCache({ store, refreshes, clock, workingSet });
  const { retention, upstreamTimeoutMs: timeoutMs } = settings;
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });

  return {
    cache,
    available: createCandleAvailability({ store, source, retention, clock }),
    candles: createCandles({
      source,
      cache,
      answers: responses('candles', cache),
      archive,
      retention,
      singleFlight,
      rates,
      clock,
    }),

    /** Reloads what other processes have written; when there was anything, also what calls they have spent. */
    async poll(): Promise<void> {
      const known = cache.generation();
      await cache.sync();
      if (cache.generation() !== known) await sync();
    },
  };
}

export type OpenCandles = ReturnType<typeof openCandles>;
