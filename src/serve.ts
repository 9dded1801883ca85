import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { SECOND, systemClock } from '#core/clock';
import type { Metrics } from '#core/metrics/metrics';
import type { Database } from '#database/database';
import { announcement, urlOf } from '#process/announcement';
import { explain, isUnreachable, openConfiguredDatabase } from '#process/exit';
import { giveBackMemory } from '#process/memory';
import { CONSOLE_FOLDER } from '#server/pages/console';
import { listenForMetrics } from '#server/recording/metrics-listener';
import { buildApp } from './app.ts';
import { openDependencies, openLog } from './open.ts';
import { readSettings, type Settings } from './settings.ts';

/** The part of the time to stop in that goes to answering what is under way. */
const DRAINING = 0.7;

/** Between two attempts to reach the database, in ms: twice as long each time. */
const RETRY = { first: SECOND / 4, longest: 5 * SECOND };

/** Nobody waits for a statement any more then, in ms: requests waited 5 s, and the longest of a start takes one. */
const LONGEST_STATEMENT = 10 * SECOND;

/**
 * Connections that wait to be accepted. All that do are accepted in one turn of the loop, so with Node's 511 a flood of new
 * ones held it for 0.4 s; who finds no room tries again after a second (TCP).
 */
const BACKLOG = 128;

const stopping = new AbortController();

/** Settings, open, listen; on SIGTERM or SIGINT close, in reverse, with a deadline. A second signal ends it at once. */
async function start(settings: Settings): Promise<void> {
  const logger = openLog(settings.logLevel);
  const closers: (() => Promise<void>)[] = [];
  // Before anything is opened: as the first process of a container it is not ended by a signal it does not listen to.
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping on an error nobody caught');
    else logger.info({ signal }, 'stopping');
    stopping.abort();
    for (const close of closers.toReversed()) await close();
  });

  const database = await openWhenReachable(settings, logger);
  closers.push(database.close);
  const dependencies = await openDependencies(settings, { logger, database });
  closers.push(dependencies.close);
  // A part of the time is kept for the ledger: what is leased goes back, and what was spent is settled.
  const drainMs = settings.shutdownGraceMs * DRAINING;
  const app = await buildApp({ ...dependencies, consoleFolder: CONSOLE_FOLDER, drainMs });
  const metrics = await openMetrics(settings.metrics, dependencies.metrics);
  if (metrics) closers.push(metrics.close);
  stopping.signal.throwIfAborted();
  closers.push(() => app.close());
  closers.push(giveBackMemory().close);
  await app.listen({ host: settings.host, port: settings.port, backlog: BACKLOG });
  // The log tells it too, to whatever collects it.
  if (process.stdout.isTTY) {
    const address = app.server.address() as AddressInfo;
    process.stdout.write(announcement(urlOf(address) + settings.basePath));
  }
}

/**
 * Opens the database, and waits for one that is not there yet: service and database are started side by side.
 * Tells when it begins to wait, when the reason changes, and when it is over.
 */
async function openWhenReachable(settings: Settings, logger: Logger): Promise<Database> {
  const since = systemClock.elapsed();
  let told: string | undefined;
  for (let pause = RETRY.first; ; pause = Math.min(2 * pause, RETRY.longest)) {
    try {
      const database = await openConfiguredDatabase(settings, {
        statementMs: LONGEST_STATEMENT,
        onEnd: (reason) => logger.error({ reason }, 'the embedded database has ended; it is started again'),
      });
      const seconds = Math.round((systemClock.elapsed() - since) / SECOND);
      if (told !== undefined) logger.info({ seconds }, 'the database is there');
      return database;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (error.message !== told) logger.warn(`waiting for the database: ${error.message}`);
      told = error.message;
    }
    await wait(pause, undefined, { signal: stopping.signal });
  }
}

const openMetrics = async ({ host, port }: Settings['metrics'], metrics: Metrics) =>
  port === undefined ? undefined : listenForMetrics({ ...metrics, host, port });

try {
  await start(readSettings());
} catch (error) {
  // What a stop cuts short in the middle of a start is no fault.
  if (!stopping.signal.aborted) {
    const { text, exitCode } = explain(error);
    process.stderr.write(`${text}\n`);
    process.exit(exitCode);
  }
}
