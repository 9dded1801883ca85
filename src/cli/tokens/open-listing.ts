import { createListing } from '#catalogue/listing';
import { openCatalogue } from '#catalogue/open';
import { createTokenStore } from '#catalogue/token-store';
import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { Database } from '#database/database';
import { createDeadline } from '#database/deadline';
import { isDatabaseUnable } from '#database/unreachable';
import { openVenue } from '#prices/open-kraken';
import { openCoinGecko } from '#prices/sources/coingecko';
import type { Settings } from '#settings';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createVersionWatcher } from '#upstream/version-watcher';

type Deps = { settings: Settings; database: Database; clock: Clock; log: Log };

/** Opens what a command needs that adds tokens: its calls come from the same budgets as those of the service. */
export async function openListing({ settings, database, clock, log }: Deps) {
  const { coingecko, upstreamTimeoutMs: timeoutMs } = settings;
  const refreshes = createRefreshStore(database.prisma);
  const versions = createVersionWatcher(refreshes);
  const store = createTokenStore(database.prisma);
  const deadline = createDeadline(isDatabaseUnable);
  const catalogue = await openCatalogue({ database, deadline, versions });
  const unobserved = () => () => undefined;
  const recording = { observe: unobserved, dropped: unobserved };
  const venue = await openVenue({ settings, refreshes, catalogue, clock, log, ...recording });
  const { reserve } = await openBudget({
    ...{ store: refreshes, upstream: 'coingecko', budget: coingecko.budget, clock },
    throttle: () => undefined,
  });
  const aggregator = openCoinGecko({
    ...coingecko,
    ...{ timeoutMs, catalogue, clock, reserve, breaker: createBreaker() },
    ...{ callSpacing: () => 0, observe: () => undefined, dropped: () => undefined },
  });

  return {
    listing: createListing({ aggregator, venue: venue.source, store, catalogue, clock }),
    async close(): Promise<void> {
      await aggregator.close();
      await venue.close();
    },
  };
}
