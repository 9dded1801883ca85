import type { Currencies } from '#prices/currencies/open-currencies';
import type { OpenedExchanges, PriceDeps } from '#prices/open-exchanges';
import type { OpenMarket } from '#prices/open-market';
import type { WorkingSet } from '#prices/series/working-set';
import { budgetJob } from '#upstream/budget';
import { createCandleAvailability } from './candle-availability.ts';
import { createCandleCache } from './candle-cache.ts';
import { createCandleStore } from './candle-store.ts';
import { createCandles } from './candles.ts';

type Deps = Pick<OpenedExchanges, 'venue' | 'sync'> &
  Pick<OpenMarket, 'archive'> &
  Pick<Currencies, 'rates'> & { workingSet: WorkingSet };

export function openCandles(deps: PriceDeps, { venue: source, sync, archive, rates, workingSet }: Deps) {
  const { settings, database, deadline, versions, responses, openSingleFlight, clock } = deps;
  const store = deadline.over(createCandleStore(database.prisma));
  const cache = createCandleCache({ store, versions, clock, workingSet });
  const { retention } = settings;
  const singleFlight = openSingleFlight(cache);
  const cachedResponses = responses('candles', cache);

  return {
    cache,
    available: createCandleAvailability({ store, source, retention, clock }),
    candles: createCandles({ source, cache, cachedResponses, archive, retention, singleFlight, rates, clock }),

    jobs: [budgetJob('exchange budgets', cache, sync)],
  };
}
