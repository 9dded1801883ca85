import { frozenAfter } from '#prices/model/price-check';
import { createFetches } from '#prices/refresh/fetches';
import { createKeyCheck } from '#prices/refresh/key-check';
import type { RefreshDeps } from '#prices/refresh/refresh-deps';
import { createSchedule } from '#prices/refresh/refresh-schedule';
import { openCoinGecko } from '#prices/sources/coingecko';
import { openBudgeted } from '#upstream/budgeted-upstream';
import { PRIMARY_SOURCE } from './model/market-sources.ts';
import type { PriceDeps } from './open-exchanges.ts';

/** Opens CoinGecko with its budget, schedule and fetches. */
export async function openCoinGeckoMarket(deps: PriceDeps, refresh: RefreshDeps) {
  const { settings, catalogue, log } = deps;
  const { coingecko, marketSources } = settings;
  const { budget, dropped, options, reading } = await openBudgeted(deps, PRIMARY_SOURCE, coingecko.budget);
  const schedule = createSchedule(refresh, budget, coingecko);
  const source = openCoinGecko({
    ...options,
    ...coingecko,
    catalogue,
    dropped,
    callSpacing: () => schedule.current().latest,
    // If there is no fallback, outdated prices are better than none.
    ...(marketSources.length > 1 && { frozenAfter: () => frozenAfter(schedule.latestEvery()) }),
  });
  const keyCheck = createKeyCheck({ source, budget, configured: coingecko, log });

  return {
    source,
    fetches: createFetches(refresh, source),
    schedule,
    keyCheck,
    reading,
    sync: budget.sync,

    async close(): Promise<void> {
      await source.close();
      await keyCheck.done;
    },
  };
}
