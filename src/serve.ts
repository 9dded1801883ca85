import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { SECOND, systemClock } from '#core/clock';
import { Problem } from '#core/problems';
import type { Database } from '#database/database';
import { announcement, urlOf } from '#process/announcement';
import { toExitReport } from '#process/exit-report';
import { startIdleGc } from '#process/memory';
import { isUnreachable, openConfiguredDatabase } from '#process/open-database';
import type { FailureLog } from '#upstream/failures/failure-log';
import { openFailureLog, openLog, openService } from './open.ts';
import { readSettings, type Settings } from './settings.ts';

/** The delay between attempts to reach the database, in ms. It doubles up to `longest`. */
const RETRY = { first: SECOND / 4, longest: 5 * SECOND };
/** The statement timeout in ms. Requests wait 5 s for a statement; the longest statement at startup takes 1 s. */
const LONGEST_STATEMENT = 10 * SECOND;
const stopping = new AbortController();

/** A signal closes everything in reverse order, within the grace period. A second signal ends the process at once. */
async function start(settings: Settings): Promise<void> {
  const logger = openLog(settings.logLevel);
  const failures = openFailureLog(logger, systemClock);
  const closers: (() => Promise<void>)[] = [];
  // Registered first, because the kernel ignores signals to a container's PID 1 that have no handler.
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping after an uncaught error');
    else logger.info({ signal }, 'stopping');
    stopping.abort();
    for (const close of closers.toReversed()) await close();
  });

  const database = await openWhenReachable(settings, failures);
  closers.push(database.close);
  const { listen, operatorAddress } = await openService(settings, { logger, failures, database, closers });
  closers.push(startIdleGc().close);
  const address = await listen(settings.port, stopping.signal);
  database.started();
  const operator = operatorAddress();
  if (process.stdout.isTTY)
    process.stdout.write(announcement(urlOf(address) + settings.basePath, operator && urlOf(operator)));
}

const embeddedEnd = (reason: string) =>
  new Problem('database_unavailable', reason, { cause: Object.assign(new Error(reason), { code: 'ended' }) });

/** Waits for an unreachable database, because the service and the database may start at the same time. */
async function openWhenReachable(settings: Settings, failures: FailureLog): Promise<Database> {
  const options = {
    statementMs: LONGEST_STATEMENT,
    onEnd: (reason: string) => failures.failed('embedded database', embeddedEnd(reason), { reason }),
    patience: createPatience(failures),
  };
  const untilNextAttempt = createPatience(failures);
  for (;;) {
    try {
      const database = await openConfiguredDatabase(settings, options);
      failures.worked('database');
      return database;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      await untilNextAttempt((error.cause as Error).cause as Error, error.message);
    }
  }
}

function createPatience(failures: FailureLog) {
  let pause = RETRY.first;
  return async (error: Error, reason = error.message): Promise<void> => {
    failures.failed('start', error, { reason });
    await wait(pause, undefined, { signal: stopping.signal });
    pause = Math.min(2 * pause, RETRY.longest);
  };
}

try {
  await start(readSettings());
} catch (error) {
  // An interrupted start is not a failure.
  if (!stopping.signal.aborted) {
    const { text, exitCode } = toExitReport(error);
    process.stderr.write(`${text}\n`);
    process.exit(exitCode);
  }
}
