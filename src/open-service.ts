import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { systemClock } from '#core/clock';
import type { Database } from '#database/database';
import { urlOf } from '#process/announcement';
import { freePort } from '#process/free-port';
import { listenForMetrics } from '#server/request-metrics';
import type { FailureLog } from '#upstream/failures/failure-log';
import { CONSOLE_FOLDER, OPERATOR_PAGE_FOLDER } from '#web/built-page';
import { CLIENT_FILE } from '#web/client-package';
import { buildAdminApp } from './admin-app.ts';
import { buildApp } from './app.ts';
import { openCapabilities, openFailureLog } from './open.ts';
import type { Settings } from './settings.ts';

/** The share of the shutdown grace period for requests in progress. The remaining time is for settling the ledger. */
const DRAINING = 0.7;
const FLUSHING = 0.1;

// With Node's default of 511, new connections blocked the loop for 0.4 s. With a full backlog, TCP retries after 1 s.
const BACKLOG = 128;

/** Another process may already use the default port. It keeps this port, and this process uses another one. */
async function atFreePort({ host, port, isFixed }: NonNullable<Settings['metrics']>) {
  return { host, port: isFixed ? port : ((await freePort(port, host)) ?? 0) };
}

export type Closer = () => Promise<unknown>;

type ServiceParts = { logger: Logger; failures?: FailureLog; database: Database; closers: Closer[] };

/** Adds the closer of each opened part to `closers` in order, even if a later step fails. */
export async function openService(
  settings: Settings,
  { closers, logger, failures = openFailureLog(logger, systemClock), database }: ServiceParts,
) {
  if (settings.tracing) {
    const { startTracing } = await import('#process/tracing');
    closers.push(startTracing(settings.tracing, failures, settings.shutdownGraceMs * FLUSHING).close);
  }
  const { accounts, metrics, operator, ...opened } = await openCapabilities(settings, { logger, failures, database });
  closers.push(opened.close);
  let metricsAddress: AddressInfo | undefined;
  if (settings.metrics) {
    const listener = await listenForMetrics({ ...metrics, ...(await atFreePort(settings.metrics)) });
    closers.push(listener.close);
    metricsAddress = listener.address;
    logger.info(`Metrics listening at ${urlOf(metricsAddress)}`);
  }
  const drainMs = settings.shutdownGraceMs * DRAINING;

  let operatorAddress: AddressInfo | undefined;
  async function listenForOperator(): Promise<void> {
    if (!settings.admin || !operator.admin) return;
    const app = await buildAdminApp({ ...opened, services: operator.admin, pageFolder: OPERATOR_PAGE_FOLDER, drainMs });
    closers.push(() => app.close());
    const { host, port } = await atFreePort(settings.admin);
    await app.listen({ host, port, listenTextResolver: (address) => `Operator API listening at ${address}` });
    operatorAddress = app.server.address() as AddressInfo;
  }

  return {
    users: accounts.users,
    announcements: operator.announcements,
    /** The addresses of the operator API and of the metrics, if they are on and `listen` has ended. */
    privateAddresses: () => ({ operator: operatorAddress, metrics: metricsAddress }),

    async listen(port: number, stopping?: AbortSignal): Promise<AddressInfo> {
      const built = { consoleFolder: CONSOLE_FOLDER, clientFile: CLIENT_FILE };
      const app = await buildApp({ ...opened, ...built, accounts, drainMs });
      stopping?.throwIfAborted();
      closers.push(() => app.close());
      await app.listen({ host: settings.host, port, backlog: BACKLOG });
      await listenForOperator();
      const address = app.server.address() as AddressInfo;
      await accounts.announce(address);
      return address;
    },
  };
}
