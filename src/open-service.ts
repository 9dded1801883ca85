import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Database } from '#database/database';
import { CONSOLE_FOLDER } from '#docs/pages/console';
import { listenForMetrics } from '#server/recording/metrics-listener';
import type { FailureLog } from '#upstream/failure-log';
import { buildApp } from './app.ts';
import { openDependencies } from './open.ts';
import type { Settings } from './settings.ts';

/** The part of the shutdown grace for requests in progress. The rest is for settling the ledger. */
const DRAINING = 0.7;

/**
 * Connections that wait to be accepted. The loop accepts all of them in one turn: with Node's 511, a flood of new
 * connections held it for 0.4 s. A client that finds no room tries again after a second (TCP).
 */
const BACKLOG = 128;

export type Closer = () => Promise<unknown>;

/**
 * Opens the service on a database: its dependencies and its metrics.
 *
 * @param closers receives what closes each opened part, in the order of opening, also when a later step fails
 */
export async function openService(
  settings: Settings,
  { closers, ...opened }: { logger: Logger; failures?: FailureLog; database: Database; closers: Closer[] },
) {
  const dependencies = await openDependencies(settings, opened);
  closers.push(dependencies.close);
  const { host, port: metricsPort } = settings.metrics;
  if (metricsPort !== undefined) {
    const listener = await listenForMetrics({ ...dependencies.metrics, host, port: metricsPort });
    closers.push(listener.close);
  }
  const drainMs = settings.shutdownGraceMs * DRAINING;

  return {
    users: dependencies.users,

    /** Serves at a port of the configured host. After a failure it can be called again. */
    async listen(port: number, stopping?: AbortSignal): Promise<AddressInfo> {
      const app = await buildApp({ ...dependencies, consoleFolder: CONSOLE_FOLDER, drainMs });
      stopping?.throwIfAborted();
      closers.push(() => app.close());
      await app.listen({ host: settings.host, port, backlog: BACKLOG });
      return app.server.address() as AddressInfo;
    },
  };
}
