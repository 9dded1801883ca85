import pino from 'pino';
import { maskApiKeys } from './domain/api-key.ts';
import { type Clock, systemClock } from './domain/clock.ts';
import { createRequestTally } from './http/request-tally.ts';
import { createMetrics } from './metrics.ts';
import { openMarket } from './parts/market.ts';
import { openNodes } from './parts/node.ts';
import { openStatistics } from './parts/statistics.ts';
import { createAllowance } from './services/allowance.ts';
import { reach } from './services/deadline.ts';
import { createIdentities } from './services/identities.ts';
import { createUsers } from './services/users.ts';
import type { Settings } from './settings.ts';
import { type Database, openDatabase } from './stores/database.ts';
import { createLedgerStore } from './stores/ledger.ts';
import { createRefreshStore } from './stores/refreshes.ts';
import { createUserStore } from './stores/users.ts';

/** A log on which nothing that has a key's form is ever written, wherever it came from. */
export function openLog(level: string, destination: pino.DestinationStream = pino.destination(1)) {
  return pino({ level, base: undefined, hooks: { streamWrite: maskApiKeys } }, destination);
}

export type Outside = {
  logger?: pino.Logger;
  clock?: Clock;
  /** A database that somebody else opened, and will close. */
  database?: Database;
};

/** How often a process looks for what others have written, in ms. */
const WATCH_MS = 1000;

/** Opens everything the app is made of, from the bottom up; `close` closes it from the top down. */
export async function openParts(settings: Settings, outside: Outside = {}) {
  const clock = outside.clock ?? systemClock;
  const logger = outside.logger ?? openLog(settings.logLevel);
  const database =
    outside.database ?? (await openDatabase({ url: settings.databaseUrl, dataDir: settings.dataDir, clock }));
  const { prisma } = database;
  const metrics = createMetrics();
  const refreshes = createRefreshStore(prisma);
  const ground = { settings, prisma, refreshes, observe: metrics.upstream, clock, log: logger };
  const prices = await openMarket(ground);
  const chains = await openStatistics(ground);
  const nodes = openNodes(ground);
  const userStore = createUserStore(prisma);
  const identities = createIdentities({ store: userStore, clock });
  const ledger = createLedgerStore(database, metrics.ledgerStatement);
  const allowance = createAllowance({ identities, ledger, clock, log: logger });

  const watch = async () => void (await Promise.all([prices.watch(), chains.watch()]));
  const watching = setInterval(() => {
    watch().catch((err) => logger.warn({ err }, 'what is stored could not be read again'));
  }, WATCH_MS);
  if (database.kind === 'embedded') clearInterval(watching);

  const requests = settings.metrics.port === undefined ? undefined : createRequestTally();
  if (requests) {
    metrics.read({
      requests: requests.all,
      upstreams: () => [...prices.readings(), ...chains.readings(), ...nodes.readings()],
      ages: () => [...prices.market.ages(), ...chains.statistics.ages()],
      leases: allowance.reading,
      isDatabaseUp: () =>
        reach(database.ready()).then(
          () => true,
          () => false,
        ),
    });
  }

  return {
    settings,
    logger,
    clock,
    users: createUsers({ store: userStore, clock, changed: identities.sync }),
    allowance,
    metrics,
    /** What the app tells of each answer, where somebody is to be told of them. */
    requests,
    market: prices.market,
    statistics: chains.statistics,
    statisticsSources: chains.sources,
    node: nodes.node,
    checkDatabase: database.ready,
    /** Takes over what other processes have written: done once a second, where there can be others. */
    watch,
    async close(): Promise<void> {
      clearInterval(watching);
      await allowance.close(settings.shutdownGraceMs);
      for (const part of [prices, chains, nodes]) await part.close();
      if (!outside.database) await database.close();
    },
  };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;
