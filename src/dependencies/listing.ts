import { createBreaker } from '#domain/upstream/circuit-breaker';
import { openCatalogue } from '#services/catalogue/catalogue';
import { createListing } from '#services/catalogue/listing';
import { createDeadline } from '#services/deadline';
import { openBudget } from '#services/upstream/budget';
import type { Settings } from '#settings';
import { openCoinGecko } from '#sources/market/coingecko';
import type { Database } from '#stores/database/database';
import { isDatabaseUnable } from '#stores/database/unreachable';
import { createTokenStore } from '#stores/market/tokens';
import { createRefreshStore } from '#stores/upstream/claims-and-budgets';
import type { Context } from './context.ts';
import { openVenue } from './kraken.ts';

type Beside = Pick<Context, 'clock' | 'log'> & { settings: Settings; database: Database };

/** Opens what a command needs that adds tokens: its calls come from the same budgets as those of the service. */
export async function openListing({ settings, database: { prisma }, clock, log }: Beside) {
  const { coingecko, upstreamTimeoutMs: timeoutMs } = settings;
  const refreshes = createRefreshStore(prisma);
  const store = createTokenStore(prisma);
  const catalogue = await openCatalogue({ store, refreshes });
  const unobserved = () => () => undefined;
  const context = {
    ...{ settings, prisma, deadline: createDeadline(isDatabaseUnable), refreshes, catalogue, clock, log },
    ...{ observe: unobserved, dropped: unobserved, differed: () => undefined },
  };
  const venue = await openVenue(context);
  const upstream = 'coingecko';
  const throttle = () => undefined;
  const { reserve } = await openBudget({
    store: refreshes,
    upstream,
    budget: coingecko.budget,
    throttle,
    clock,
  });
  const aggregator = openCoinGecko({
    ...coingecko,
    ...{ timeoutMs, catalogue, clock, reserve, breaker: createBreaker() },
    ...{ callSpacing: () => 0, observe: () => undefined, dropped: () => undefined },
  });

  return {
    catalogue,
    listing: createListing({ aggregator, venue: venue.source, store, catalogue, clock }),
    async close(): Promise<void> {
      await aggregator.close();
      await venue.close();
    },
  };
}
