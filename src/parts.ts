import pino from 'pino';
import { maskApiKeys } from './domain/api-key.ts';
import { stretched } from './domain/budget.ts';
import type { Clock } from './domain/clock.ts';
import { systemClock } from './domain/clock.ts';
import type { FailureCause } from './domain/upstream-failure.ts';
import { createMetrics } from './metrics.ts';
import { createAllowance } from './services/allowance.ts';
import { openBudget } from './services/budget.ts';
import { createFetches } from './services/fetches.ts';
import { createFilling } from './services/filling.ts';
import { openHoldings } from './services/holdings.ts';
import { createIdentities } from './services/identities.ts';
import { createMarket } from './services/market.ts';
import { createRefreshing } from './services/refreshing.ts';
import { createUsers } from './services/users.ts';
import type { Settings } from './settings.ts';
import { openCoinGecko } from './sources/coingecko.ts';
import { createArchiveStore } from './stores/archive.ts';
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
  const { coingecko, upstreamTimeoutMs: timeoutMs } = settings;
  const metrics = createMetrics();
  const observe = (outcome: FailureCause | 'ok') => metrics.upstreamCall('coingecko', outcome);
  const refreshes = createRefreshStore(database.prisma);
  const budget = await openBudget({
    store: refreshes,
    upstream: 'coingecko',
    budget: coingecko.budget,
    stretch: (spent, now) => stretched(coingecko.timetable, coingecko.budget, spent, now),
    clock,
  });
  const source = openCoinGecko({
    ...coingecko,
    timeoutMs,
    clock,
    reserve: budget.reserve,
    interval: () => budget.timetable().latest,
    observe,
  });
  const holdings = await openHoldings({ store: createArchiveStore(database.prisma), refreshes, clock });
  const refreshing = createRefreshing({ store: refreshes, watch: holdings, timeoutMs, clock, log: logger });
  const fetches = createFetches({ source, holdings, clock });
  const filling = createFilling({ fetches, holdings, refreshing, budget, clock });
  const userStore = createUserStore(database.prisma);
  const identities = createIdentities({ store: userStore, clock });
  const ledger = createLedgerStore(database.prisma, metrics.ledgerStatement);
  const allowance = createAllowance({ identities, ledger, clock, log: logger });

  const watch = async () => void (await Promise.all([holdings.sync(), budget.sync()]));
  const watching = setInterval(() => {
    watch().catch((err) => logger.warn({ err }, 'the archive could not be read again'));
  }, WATCH_MS);
  if (database.kind === 'embedded') clearInterval(watching);

  return {
    settings,
    logger,
    clock,
    users: createUsers({ store: userStore, clock, changed: identities.sync }),
    allowance,
    metrics,
    market: createMarket({ holdings, filling, clock }),
    checkDatabase: database.ready,
    /** Takes over what other processes have written: done once a second, where there can be others. */
    watch,
    async close(): Promise<void> {
      clearInterval(watching);
      await allowance.close(settings.shutdownGraceMs);
      await source.close();
      if (!outside.database) await database.close();
    },
  };
}

export type Parts = Awaited<ReturnType<typeof openParts>>;
