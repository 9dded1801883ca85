import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { SECOND, systemClock } from '#core/clock';
import { toError } from '#core/errors';
import { Problem } from '#core/problems';
import type { Database } from '#database/database';
import { isInMemory } from '#database/embedded/data-directory';
import { readOrCreateAdminToken, type StoredToken } from '#operator/admin-token-file';
import { announcement, urlOf } from '#process/announcement';
import { ExitError } from '#process/exit';
import { toExitReport } from '#process/exit-report';
import { startIdleGc } from '#process/memory';
import { isUnreachable, openConfiguredDatabase } from '#process/open-database';
import type { FailureLog } from '#upstream/failures/failure-log';
import { openFailureLog, openLog } from './open.ts';
import { type Closer, openService } from './open-service.ts';
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
  const closers: Closer[] = [];
  let opening: ReturnType<typeof openService> | undefined;
  // Registered first, because the kernel ignores signals to a container's PID 1 that have no handler.
  closeWithGrace({ delay: settings.shutdownGraceMs, logger }, async ({ err, signal }) => {
    if (err) logger.error({ err }, 'stopping after an uncaught error');
    else logger.info({ signal }, 'stopping');
    stopping.abort();
    // Closing the database before the parts that are being opened would fail their work.
    await opening?.catch(() => undefined);
    for (const close of closers.toReversed()) await close();
  });

  const database = await openWhenReachable(settings, failures);
  closers.push(database.close);
  const stored = await adminToken(settings, logger);
  const admin = settings.admin && { ...settings.admin, token: settings.admin.token ?? stored?.token };
  opening = openService({ ...settings, admin }, { logger, failures, database, closers });
  const { listen, privateAddresses } = await opening;
  closers.push(startIdleGc().close);
  const address = await listen(settings.port, stopping.signal);
  database.started();
  if (process.stdout.isTTY)
    process.stdout.write(announcement({ url: urlOf(address) + settings.basePath, ...privateAddresses(), stored }));
}

/** The stored token, if the operator API is on and the settings have no token. The log contains only its path. */
async function adminToken(
  { admin, dataDir }: Settings,
  logger: ReturnType<typeof openLog>,
): Promise<StoredToken | undefined> {
  if (!admin || admin.token !== undefined || isInMemory(dataDir)) return undefined;
  try {
    const stored = await readOrCreateAdminToken(dataDir);
    if (stored.isNew) logger.info({ path: stored.path }, 'admin token created');
    return stored;
  } catch (error) {
    const { message } = toError(error);
    if (admin.isFixed) throw new ExitError(`cannot store the admin token: ${message}; set ADMIN_TOKEN`);
    logger.warn({ reason: message }, 'operator page is off: the admin token cannot be stored');
    return undefined;
  }
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
      await untilNextAttempt(toError(toError(error.cause).cause), error.message);
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
