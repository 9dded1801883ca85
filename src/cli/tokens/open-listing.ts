import { createListing } from '#catalogue/listing';
import { openCatalogue } from '#catalogue/open';
import { createTokenStore } from '#catalogue/token-store';
import type { Database } from '#database/database';
import { createDeadline } from '#database/deadline';
import { identifyDatabaseFailure, isDatabaseUnable } from '#database/unreachable';
import type { Context } from '#open-context';
import { openVenue } from '#prices/open-kraken';
import { openCoinGecko } from '#prices/sources/coingecko';
import type { Settings } from '#settings';
import { openBudget } from '#upstream/budget';
import { createBreaker } from '#upstream/circuit-breaker';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createFailureLog } from '#upstream/failure-log';

type Beside = Pick<Context, 'clock' | 'log'> & { settings: Settings; database: Database };

/** Opens what a command needs that adds tokens: its calls come from the same budgets as those of the service. */
export async function openListing({ settings, database: { prisma }, clock, log }: Beside) {
  const { coingecko, upstreamTimeoutMs: timeoutMs } = settings;
  const refreshes = createRefreshStore(prisma);
  const store = createTokenStore(prisma);
  const catalogue = await openCatalogue({ store, refreshes });
  const unobserved = () => () => undefined;
  const failures = createFailureLog({ log, clock, identifyDatabaseFailure });
  const context = {
    failures,
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
