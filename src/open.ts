import pino from 'pino';
import { createAllowance } from '#accounts/gate/allowance';
import { createKeyCache } from '#accounts/keys/key-cache';
import { createUserStore } from '#accounts/keys/user-store';
import { createLedgerStore } from '#accounts/ledger/ledger-store';
import { createUsers } from '#accounts/users/users';
import { openCatalogue } from '#catalogue/open';
import { createTokenStore } from '#catalogue/token-store';
import { maskApiKeys } from '#core/api-key-mask';
import { type Clock, systemClock } from '#core/clock';
import { createMetrics } from '#core/metrics/metrics';
import { type Database, openDatabase } from '#database/database';
import { createCheck } from '#database/database-check';
import { createDeadline } from '#database/deadline';
import { readSharedSecret } from '#database/shared-secret';
import { identifyDatabaseFailure, isDatabaseUnable } from '#database/unreachable';
import { openNodes } from '#node/open';
import { openMail } from '#notifications/open';
import { createWorkingSet } from '#prices/archive/working-set';
import { openCandles } from '#prices/candles/open';
import { openCurrencies } from '#prices/currencies/open';
import { openMarket } from '#prices/open';
import { openVenue } from '#prices/open-kraken';
import { createResponseCache } from '#server/cache/response-cache';
import { createRequestHistograms } from '#server/recording/request-histogram';
import { openStatistics } from '#statistics/open';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import type { FailureCause } from '#upstream/failure';
import { createFailureLog, type FailureLog } from '#upstream/failure-log';
import { openRetention } from './open-retention.ts';
import type { Settings } from './settings.ts';

/** A log that masks everything of an API key's form, wherever it came from. */
export function openLog(level: string, destination: pino.DestinationStream = pino.destination(1)) {
  return pino({ level, base: undefined, hooks: { streamWrite: maskApiKeys } }, destination);
}

export type Overrides = {
  logger?: pino.Logger;
  /** What logs the failures of the same logger. */
  failures?: FailureLog;
  clock?: Clock;
  /** A database that somebody else opened, and will close. */
  database?: Database;
};

/** What logs repeated failures of the service to a log. */
export const openFailureLog = (logger: pino.Logger, clock: Clock): FailureLog =>
  createFailureLog({ log: logger, clock, identifyDatabaseFailure });

/** How often a process polls for what others have written, in ms. */
const POLL_MS = 1000;

/** Opens everything the app depends on, from the bottom up; `close` closes it from the top down. */
export async function openDependencies(settings: Settings, overrides: Overrides = {}) {
  const clock = overrides.clock ?? systemClock;
  const logger = overrides.logger ?? openLog(settings.logLevel);
  const database =
    overrides.database ??
    (await openDatabase({ url: settings.databaseUrl, dataDir: settings.dataDir, clock }));
  const { prisma } = database;
  const failures = overrides.failures ?? openFailureLog(logger, clock);
  const etagKey = await readSharedSecret(prisma, 'etag');
  const metrics = createMetrics();
  const deadline = createDeadline(isDatabaseUnable);
  const refreshes = deadline.over(createRefreshStore(prisma));
  const recording = {
    observe: (upstream: string) => {
      const count = metrics.upstream(upstream);
      failures.observe(upstream);
      return (outcome: FailureCause | 'ok') => {
        count(outcome);
        if (outcome === 'ok') failures.worked(upstream);
      };
    },
    dropped: metrics.droppedSamples,
    differed: metrics.priceDifferences(),
  };
  const catalogue = await openCatalogue({ store: deadline.over(createTokenStore(prisma)), refreshes });
  const context = {
    settings,
    prisma,
    deadline,
    refreshes,
    responses: createResponseCache(clock),
    catalogue,
    ...recording,
    clock,
    log: logger,
    failures,
  };
  const venue = await openVenue(context);
  const workingSet = createWorkingSet({ clock });
  const currencies = openCurrencies(context);
  const beside = { ...venue, rates: currencies.rates, workingSet };
  const prices = await openMarket(context, beside);
  const traded = openCandles(context, { ...beside, archive: prices.archive });
  const retention = openRetention(context, { archive: prices.archive, candles: traded.cache });
  const chains = await openStatistics(context);
  const nodes = openNodes(context);
  const userStore = deadline.over(createUserStore(prisma, database.query));
  const keyCache = createKeyCache({ store: userStore, clock });
  const ledger = createLedgerStore(database, metrics.ledgerStatement);
  const allowance = createAllowance({
    keyCache,
    ledger,
    clock,
    failures,
    firstGrant: settings.burstPerSecond || undefined,
    observeWait: metrics.ledgerWait,
  });

  const users = createUsers({ store: userStore, clock, changed: allowance.sync });
  const mail = await openMail(context, users);

  const checkDatabase = createCheck(database.ready, clock);
  failures.watch('database', checkDatabase);
  deadline.begin();

  async function poll(): Promise<void> {
    await catalogue.sync();
    await Promise.all([prices, traded, chains].map((one) => one.poll()));
  }
  const polling = setInterval(() => {
    poll().catch((error) => failures.failed('data poll', error));
  }, POLL_MS);
  if (!database.isShareable) clearInterval(polling);

  const requests = settings.metrics.port === undefined ? undefined : createRequestHistograms();
  if (requests) {
    metrics.read({
      requests: requests.all,
      upstreams: () => [prices, venue, currencies, chains, nodes].flatMap((one) => one.readings()),
      staleness: () => [...prices.market.staleness(), ...chains.statistics.staleness()],
      memory: workingSet.reading,
      leases: allowance.reading,
      isDatabaseUp: () =>
        checkDatabase().then(
          () => true,
          () => false,
        ),
    });
  }

  return {
    settings,
    logger,
    failures,
    clock,
    users,
    allowance,
    mail,
    catalogue,
    metrics,
    /** Records each answer, where the metrics are served. */
    requests,
    market: prices.market,
    sample: prices.sample,
    candles: traded.candles,
    /** Which candles are available. */
    candleAvailability: traded.available,
    currencies,
    statistics: chains.statistics,
    statisticsSources: chains.sources,
    node: nodes.node,
    /** Throws `database_unavailable` when the database cannot be written to. */
    checkDatabase,
    etagKey,
    /** Deletes what has been kept for as long as it may be, where it is time. */
    enforceRetention: retention.look,
    /** Reloads what other processes have written: once a second, where there can be others. */
    poll,
    async close(): Promise<void> {
      clearInterval(polling);
      await mail?.close();
      await allowance.close(settings.shutdownGraceMs);
      for (const one of [retention, prices, venue, currencies, chains, nodes]) await one.close();
      if (!overrides.database) await database.close();
      failures.close();
    },
  };
}

export type Dependencies = Awaited<ReturnType<typeof openDependencies>>;
