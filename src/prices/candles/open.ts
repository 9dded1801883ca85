import type { WorkingSet } from '#prices/archive/working-set';
import type { Currencies } from '#prices/currencies/open';
import type { OpenKraken, PriceDeps } from '#prices/open-kraken';
import type { OpenMarket } from '#prices/open-market';
import { createSingleFlight } from '#upstream/fetch-runner';
import { createCandleAvailability } from './candle-availability.ts';
import { createCandleCache } from './candle-cache.ts';
import { createCandleStore } from './candle-store.ts';
import { createCandles } from './candles.ts';

type Deps = Pick<OpenKraken, 'source' | 'sync'> &
  Pick<OpenMarket, 'archive'> &
  Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

export function openCandles(deps: PriceDeps, { source, sync, archive, rates, workingSet }: Deps) {
  const { settings, database, deadline, refreshes, versions, responses, clock, failures } = deps;
  const store = deadline.over(createCandleStore(database.prisma));
  const cache = createCandleCache({ store, versions, clock, workingSet });
  const { retention, upstreamTimeoutMs: timeoutMs } = settings;
  const singleFlight = createSingleFlight({ store: refreshes, poll: cache, timeoutMs, clock, failures });
  const answers = responses('candles', cache);
  let polled = cache.generation();

  return {
    cache,
    available: createCandleAvailability({ store, source, retention, clock }),
    candles: createCandles({ source, cache, answers, archive, retention, singleFlight, rates, clock }),

    /** If the cache has changed, reads how many calls other processes have made. */
    async poll(): Promise<void> {
      const generation = cache.generation();
      if (generation === polled) return;
      await sync();
      polled = generation;
    },
  };
}
