import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { SECOND, systemClock } from '#core/clock';
import { Problem } from '#core/problems';
import type { Database } from '#database/database';
import { announcement, urlOf } from '#process/announcement';
import { explain, isUnreachable, openConfiguredDatabase } from '#process/exit';
import { giveBackMemory } from '#process/memory';
import type { FailureLog } from '#upstream/failure-log';
import { openFailureLog, openLog, openService } from './open.ts';
import { readSettings, type Settings } from './settings.ts';

/** Between two attempts to reach the database, in ms: twice as long each time. */
const RETRY = { first: SECOND / 4, longest: 5 * SECOND };

/** Nobody waits for a statement any more then, in ms: requests waited 5 s, and the longest of a start takes one. */
const LONGEST_STATEMENT = 10 * SECOND;

const stopping = new AbortController();

/** Settings, open, listen; on SIGTERM or SIGINT close, in reverse, with a deadline. A second signal ends it at once. */
async function start(settings: Settings): Promise<void> {
  const logger = openLog(settings.logLevel);
  const failures = openFailureLog(logger, systemClock);
  const closers: (() => Promise<void>)[] = [];
  // Before anything is opened: as the first process of a container it is not ended by a signal it does not listen to.
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping after an uncaught error');
    else logger.info({ signal }, 'stopping');
    stopping.abort();
    for (const close of closers.toReversed()) await close();
  });

  const database = await openWhenReachable(settings, failures);
  closers.push(database.close);
  const { listen } = await openService(settings, { logger, failures, database, closers });
  closers.push(giveBackMemory().close);
  const address = await listen(settings.port, stopping.signal);
  // The log has it too, for whatever collects the log.
  if (process.stdout.isTTY) {
    process.stdout.write(announcement(urlOf(address) + settings.basePath));
  }
}

/** The thread of the embedded database has ended by itself; it is started again. */
const embeddedEnd = (reason: string) =>
  new Problem('database_unavailable', reason, { cause: Object.assign(new Error(reason), { code: 'ended' }) });

/** Opens the database, and waits for one that is not there yet: service and database are started side by side. */
async function openWhenReachable(settings: Settings, failures: FailureLog): Promise<Database> {
  for (let pause = RETRY.first; ; pause = Math.min(2 * pause, RETRY.longest)) {
    try {
      const database = await openConfiguredDatabase(settings, {
        statementMs: LONGEST_STATEMENT,
        onEnd: (reason) => failures.failed('embedded database', embeddedEnd(reason), { reason }),
      });
      failures.worked('database');
      return database;
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      failures.failed('start', (error.cause as Error).cause, { reason: error.message });
    }
    await wait(pause, undefined, { signal: stopping.signal });
  }
}

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
