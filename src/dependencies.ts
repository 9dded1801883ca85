import pino from 'pino';
import { openCandles } from '#dependencies/candles';
import { openCurrencies } from '#dependencies/currency';
import { openVenue } from '#dependencies/kraken';
import { openMail } from '#dependencies/mail';
import { openMarket } from '#dependencies/market';
import { openNodes } from '#dependencies/node';
import { openRetention } from '#dependencies/retention';
import { openStatistics } from '#dependencies/statistics';
import { type Clock, systemClock } from '#domain/clock';
import { maskApiKeys } from '#domain/quota/api-key';
import { createRequestHistograms } from '#http/recording/request-histogram';
import { createMetrics } from '#metrics/metrics';
import { createWorkingSet } from '#services/caching/working-set';
import { openCatalogue } from '#services/catalogue/catalogue';
import { createCheck } from '#services/database-check';
import { createDeadline } from '#services/deadline';
import { createAllowance } from '#services/quota/allowance';
import { createKeyCache } from '#services/quota/key-cache';
import { createUsers } from '#services/quota/users';
import { type Database, openDatabase } from '#stores/database/database';
import { isDatabaseUnable } from '#stores/database/unreachable';
import { createTokenStore } from '#stores/market/tokens';
import { createLedgerStore } from '#stores/quota/ledger';
import { createUserStore } from '#stores/quota/users';
import { createRefreshStore } from '#stores/upstream/claims-and-budgets';
import type { Settings } from './settings.ts';

/** A log that masks everything of an API key's form, wherever it came from. */
export function openLog(level: string, destination: pino.DestinationStream = pino.destination(1)) {
  return pino({ level, base: undefined, hooks: { streamWrite: maskApiKeys } }, destination);
}

export type Overrides = {
  logger?: pino.Logger;
  clock?: Clock;
  /** A database that somebody else opened, and will close. */
  database?: Database;
};

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
  const metrics = createMetrics();
  const deadline = createDeadline(isDatabaseUnable);
  const refreshes = deadline.over(createRefreshStore(prisma));
  const recording = {
    observe: metrics.upstream,
    dropped: metrics.droppedSamples,
    differed: metrics.priceDifferences(),
  };
  const catalogue = await openCatalogue({ store: deadline.over(createTokenStore(prisma)), refreshes });
  const context = { settings, prisma, deadline, refreshes, catalogue, ...recording, clock, log: logger };
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
    log: logger,
    firstGrant: settings.burstPerSecond || undefined,
    observeWait: metrics.ledgerWait,
  });

  const users = createUsers({ store: userStore, clock, changed: allowance.sync });
  const mail = await openMail(context, users);

  const checkDatabase = createCheck(database.ready, clock);
  deadline.begin();

  async function poll(): Promise<void> {
    await catalogue.sync();
    await Promise.all([prices, traded, chains].map((one) => one.poll()));
  }
  const polling = setInterval(() => {
    poll().catch((err) => logger.warn({ err }, 'what is stored could not be read again'));
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
    currencies,
    statistics: chains.statistics,
    statisticsSources: chains.sources,
    node: nodes.node,
    /** Throws `database_unavailable` when the database cannot be written to. */
    checkDatabase,
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
    },
  };
}

export type Dependencies = Awaited<ReturnType<typeof openDependencies>>;
