import pino from 'pino';
import { openCatalogue } from '#catalogue/open-catalogue';
import { openCoinGeckoApi } from '#coingecko/open-coingecko-api';
import { type Clock, SECOND, systemClock } from '#core/clock';
import { addJobReadings, type Job, POLL_INTERVAL, runJobs } from '#core/jobs';
import { maskApiKeys } from '#core/log';
import { memo } from '#core/memo';
import { createRegistry } from '#core/metrics';
import { REVISION, VERSION } from '#core/version';
import { identifyDatabaseFailure, isDatabaseUnable } from '#database/connection/unreachable';
import { type Database, openDatabase } from '#database/database';
import { addDatabaseReadings } from '#database/database-metrics';
import { createDeadline, DEADLINE, withinDeadline } from '#database/deadline';
import { deletionOfExpiredRows } from '#database/retention';
import { readSharedSecret } from '#database/shared-secret';
import { sources } from '#docs/openapi-routes';
import { openMcp } from '#mcp/open-mcp';
import { openNodes } from '#node/open-node';
import { type Notifications, openNotifications } from '#notifications/open-notifications';
import { openOperator } from '#operator/open-operator';
import { openPrices } from '#prices/open-prices';
import type { Capability } from '#server/capability';
import { addRequestReadings, createRequestHistograms } from '#server/request-metrics';
import { newStreamFigures } from '#server/responses/event-stream';
import { addStreamReadings } from '#server/responses/open-streams';
import { createResponseCache } from '#server/responses/response-cache';
import { openStatistics } from '#statistics/open-statistics';
import { openStatus } from '#status/open-status';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { createFailureLog, type FailureLog } from '#upstream/failures/failure-log';
import { createSingleFlights } from '#upstream/single-flight';
import { createSourceOutcomes } from '#upstream/source-outcomes';
import { createSourceOutcomesStore } from '#upstream/source-outcomes-store';
import { addStalenessReadings, addUpstreamReadings, createUpstreamRecording } from '#upstream/upstream-metrics';
import { createVersionWatcher } from '#upstream/version-watcher';
import { openAccounts } from './open-accounts.ts';
import type { Settings } from './settings.ts';

const CHECK_TTL = SECOND;
const BUILD = { version: VERSION, revision: REVISION, node: process.versions.node };

export function openLog(level: string, destination: pino.DestinationStream = pino.destination(1)) {
  return pino({ level, base: undefined, hooks: { streamWrite: maskApiKeys } }, destination);
}

export const openFailureLog = (logger: pino.Logger, clock: Clock): FailureLog =>
  createFailureLog({ log: logger, clock, identifyDatabaseFailure, deadline: DEADLINE });

type Overrides = {
  logger?: pino.Logger;
  /** A failure log, which must use the same logger. */
  failures?: FailureLog;
  clock?: Clock;
  /** An open database, which `close` does not close. */
  database?: Database;
};

/** Opens all capabilities in order of dependency. `close` closes them in reverse order. */
export async function openCapabilities(settings: Settings, overrides: Overrides = {}) {
  const { clock = systemClock, logger = openLog(settings.logLevel) } = overrides;
  const { databaseUrl: url, dataDir } = settings;
  const database = overrides.database ?? (await openDatabase({ url, dataDir, clock }));
  const failures = overrides.failures ?? openFailureLog(logger, clock);
  const etagKey = await readSharedSecret(database.prisma, 'etag');
  const peerSecret = await readSharedSecret(database.prisma, 'processes');
  const metrics = createRegistry();
  const deadline = createDeadline(isDatabaseUnable);
  const refreshes = deadline.over(createRefreshStore(database.prisma));
  const { upstreamTimeoutMs: timeoutMs } = settings;
  const flights = createSingleFlights({ store: refreshes, timeoutMs, clock, failures });
  const versions = createVersionWatcher(refreshes);
  const responses = createResponseCache(clock);
  const outcomes = createSourceOutcomes({ store: createSourceOutcomesStore(database.prisma), clock, failures });
  const recording = createUpstreamRecording(metrics, failures, outcomes.note);
  const basics = { settings, clock, failures, metrics };
  const openSingleFlight = flights.open;
  const shared = { database, deadline, refreshes, openSingleFlight, versions, responses, outcomes };
  const deps = { ...basics, log: logger, ...shared, ...recording };

  const capabilities: Capability[] = [];
  function add<Opened extends Capability>(opened: Opened): Opened {
    capabilities.push(opened);
    return opened;
  }
  // The catalogue is not a `Capability`: its routes need prices, and the version watcher polls it.
  const catalogue = await openCatalogue(deps);
  const prices = add(await openPrices({ ...deps, catalogue }));
  const statistics = add(await openStatistics(deps));
  const nodes = add(openNodes(deps));
  const accounts = add(openAccounts({ ...deps, peerSecret, mail: () => notifications.mail }));
  const notifications: Notifications = add(
    await openNotifications({ ...deps, users: accounts.users, recoverKey: accounts.keys.recover }),
  );
  add({ routes: sources });
  add(openCoinGeckoApi({ ...deps, catalogue, prices, usageOf: accounts.allowance.usage }));
  add(openMcp({ ...deps, catalogue, prices, statistics, nodes, accounts }));
  const upstreams = () => capabilities.flatMap(({ readings }) => readings?.upstreams?.() ?? []);
  const requests = createRequestHistograms();
  const { listing } = prices;
  const operator = add(
    await openOperator({ ...deps, accounts, notifications, upstreams, catalogue, listing, requests }),
  );

  const components = () => capabilities.flatMap((capability) => capability.components?.() ?? []);
  const ready = memo(database.ready, { ttl: CHECK_TTL, clock, keepsErrors: true, share: withinDeadline });
  const status = add(await openStatus({ ...deps, outcomes, components, checkDatabase: ready }));
  const { checkDatabase } = status;
  failures.watch('database', checkDatabase);
  deadline.begin();

  const jobs: Job[] = [
    { name: 'data poll', every: POLL_INTERVAL, run: versions.poll, isOfPeers: true },
    ...capabilities.flatMap(({ jobs = [] }) => jobs),
    outcomes.job,
    deletionOfExpiredRows(database.prisma, clock),
  ];
  const running = runJobs(database.isShareable ? jobs : jobs.filter(({ isOfPeers }) => !isOfPeers), failures.failed);

  const streamFigures = newStreamFigures();
  if (settings.metrics) {
    const readings = capabilities.map((capability) => capability.readings ?? {});
    metrics.addProcess();
    addRequestReadings(metrics, requests);
    addStreamReadings(metrics, streamFigures);
    addJobReadings(metrics, jobs);
    addUpstreamReadings(metrics, upstreams);
    addStalenessReadings(metrics, () => readings.flatMap(({ staleness }) => staleness?.() ?? []));
    for (const { add } of readings) add?.(metrics);
    addDatabaseReadings(metrics, database.waits, checkDatabase);
    metrics.gauges(
      () => [BUILD],
      (build) => build,
      [['quotient_build_info', 'The running release; always 1', () => 1]],
    );
  }

  return {
    capabilities,
    ...basics,
    logger,
    catalogue,
    prices,
    statistics,
    accounts,
    notifications,
    operator,
    outcomes,
    announcement: operator.announcements.current,
    statusReport: status.report,
    requests: settings.metrics || operator.admin ? requests : undefined,
    streamFigures,
    checkDatabase,
    etagKey,
    jobs,
    runJob: running.run,
    async close(): Promise<void> {
      await running.close();
      for (const capability of capabilities.toReversed()) await capability.close?.();
      await flights.close();
      await outcomes.close();
      if (!overrides.database) await database.close();
      failures.close();
    },
  };
}

export type Opened = Awaited<ReturnType<typeof openCapabilities>>;
