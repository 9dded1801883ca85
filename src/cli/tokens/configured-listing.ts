import type { Listing } from '#catalogue/listing';
import { openCatalogue } from '#catalogue/open-catalogue';
import { openCoinList, openListing } from '#catalogue/open-coins';
import { withDatabase } from '#cli/configured-database';
import { type Clock, systemClock } from '#core/clock';
import type { Log } from '#core/log';
import { isDatabaseUnable } from '#database/connection/unreachable';
import type { Database } from '#database/database';
import { createDeadline } from '#database/deadline';
import { openExchanges } from '#prices/open-exchanges';
import { urlVariable } from '#prices/prices-settings';
import { openCoinGecko } from '#prices/sources/coingecko';
import { EXCHANGE_NAMES } from '#prices/sources/price-sources';
import { EXIT, ExitError } from '#process/exit';
import { readSettings, type Settings } from '#settings';
import { openBudgeted } from '#upstream/budgeted-upstream';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { type FailureCause, UpstreamFailure } from '#upstream/failures/failure';
import { createSingleFlights } from '#upstream/single-flight';
import { createVersionWatcher } from '#upstream/version-watcher';

/** A cause that is not listed may be temporary, so the advice is to retry. */
const ADVICE: Partial<Record<FailureCause, string>> = {
  unreachable: `check the network, COINGECKO_URL and ${EXCHANGE_NAMES.map(urlVariable).join(' or ')}`,
  refused: 'check COINGECKO_API_KEY and COINGECKO_PLAN',
  over_budget: 'try again later, or raise COINGECKO_CALLS_PER_MINUTE or COINGECKO_CALLS_PER_MONTH',
};

function report(error: unknown): never {
  if (!(error instanceof UpstreamFailure)) throw error;
  const { message, reason } = error;
  throw new ExitError(`${message} (${reason}): ${ADVICE[reason] ?? 'try again later'}`, EXIT.failed, error);
}

type Deps = { settings: Settings; database: Database; clock: Clock; log: Log };

/** Calls of the listing count toward the service's budgets. */
async function openConfigured({ settings, database, clock, log }: Deps) {
  const { coingecko } = settings;
  const refreshes = createRefreshStore(database.prisma);
  const versions = createVersionWatcher(refreshes);
  const deadline = createDeadline(isDatabaseUnable);
  const catalogue = await openCatalogue({ database, deadline, versions });
  const unobserved = () => () => undefined;
  const recording = { observe: unobserved, dropped: unobserved };
  const { exchanges, close } = await openExchanges({ settings, refreshes, catalogue, clock, log, ...recording });
  const { options } = await openBudgeted(
    { settings, refreshes, clock, log, ...recording },
    'coingecko',
    coingecko.budget,
  );
  const dropped = () => undefined;
  const coinGecko = openCoinGecko({ ...options, ...coingecko, catalogue, dropped, callSpacing: () => 0 });

  const failures = { failed: () => undefined };
  const { upstreamTimeoutMs: timeoutMs } = settings;
  const flights = createSingleFlights({ store: refreshes, timeoutMs, clock, failures });
  const coins = openCoinList({ database, openSingleFlight: flights.open, versions, clock }, coinGecko);
  const listing = openListing({ database, deadline, coinGecko, coins, exchanges, catalogue, clock });
  return {
    listing: {
      ...listing,
      find: (text) => listing.find(text).catch(report),
      add: (operator, wanted) => listing.add(operator, wanted).catch(report),
    } satisfies Listing,
    async close(): Promise<void> {
      await coinGecko.close();
      await close();
      await flights.close();
    },
  };
}

export const withListing = <Result>(work: (listing: Listing) => Promise<Result>) =>
  withDatabase(async (database) => {
    const silent = () => undefined;
    const log = { debug: silent, info: silent, warn: silent, error: silent };
    const { listing, close } = await openConfigured({ settings: readSettings(), database, clock: systemClock, log });
    try {
      return await work(listing);
    } finally {
      await close();
    }
  });
