import { BUILT_IN_NAMES } from '#catalogue/token';
import { type Command, type Given, wrongUsage } from '#cli/arguments';
import { configuredPlace, confirmCreation, isSamePlace, openDatabaseAt, placeOf } from '#cli/configured-database';
import { number, say, withProgress } from '#cli/output';
import { systemClock } from '#core/clock';
import { type Compared, type CopyEvent, type CopyOutcome, copyDatabase } from '#database/copy/copy';
import { createCopySource } from '#database/copy/source';
import { createCopyTarget } from '#database/copy/target';
import { holdsDatabase } from '#database/embedded/data-directory';
import type { OpenSession, Place } from '#database/session';
import { EXIT, ExitError, interruption } from '#process/exit';
import { readSettings } from '#settings';

/** PostgreSQL quotes table names that are keywords. */
const plain = (table: string) => table.replaceAll('"', '');
const countOf = ({ rows }: { rows: number }) => `${number(rows)} rows`;

function differenceLine({ table, source, target }: Compared): string {
  const counts = source.rows === target.rows ? 'different values' : `${countOf(source)} and ${countOf(target)}`;
  return `${plain(table)}: ${counts}`;
}

function createReport() {
  let text = 'reading the tables';
  const startedAt = systemClock.elapsed();
  let copied = 0;
  const rate = () => `${number(Math.round((copied * 1000) / Math.max(1, systemClock.elapsed() - startedAt)))} rows/s`;
  let before = { table: '', rows: 0 };
  return {
    rate,
    text: () => text,
    on(event: CopyEvent): void {
      if (event.kind === 'resumed') say('resuming the interrupted copy');
      else if (event.kind === 'started over') say('the source has changed since the interrupted copy: starting over');
      else if (event.kind === 'copied') say(`${plain(event.table)}: ${countOf(event)}`);
      else if (event.kind === 'comparing') text = `comparing ${plain(event.table)}`;
      else {
        copied += event.rows - (before.table === event.table ? before.rows : 0);
        before = event;
        const part = Math.floor((100 * event.rows) / Math.max(1, event.of));
        text = `${plain(event.table)}: ${number(event.rows)} of ${number(event.of)} (${part} %), ${rate()}`;
      }
    },
  };
}

function conclude(outcome: CopyOutcome, signal: AbortSignal): number {
  if (outcome.kind === 'interrupted') {
    say('interrupted: run the command again to copy the remaining rows');
    return signal.reason;
  }
  if (outcome.kind === 'finished') {
    const rows = outcome.tables.reduce((sum, { target }) => sum + target.rows, 0);
    say(`compared: ${outcome.tables.length} tables, ${number(rows)} rows, no differences`);
    return EXIT.ok;
  }
  for (const table of outcome.tables) say(differenceLine(table));
  throw new ExitError(
    outcome.kind === 'changed'
      ? 'the source changed during the copy: stop all writers, and run the command again'
      : 'the copy differs from the source and is not finished: run the command again',
    EXIT.failed,
  );
}

type Options = { live: boolean; create: boolean };
type Opened = (label: string, place: Place) => Promise<OpenSession>;

const named = (name: string) => (error: Error) => {
  throw new ExitError(`${name}: ${error.message}`, EXIT.failed, error);
};

async function openSource(opened: Opened, place: Place, isLive: boolean) {
  const { session, name } = await opened('the source', place).catch((error) => {
    const { code } = Object((error as Error).cause) as NodeJS.ErrnoException;
    if (code !== 'DIRECTORY_IN_USE') throw error;
    const advice =
      '`quotient database backup` works while the database is in use: restore the backup, and copy the restored database';
    throw new ExitError(`${error.message}. ${advice}`, EXIT.refused, error);
  });
  const source = createCopySource(session);
  await source.prepare().catch(named(name));
  if (isLive || !(await source.isInUse())) return { source, name };
  throw new ExitError(
    `a process is using ${name}: stop the process (after a crash, wait half a minute), or use --live`,
  );
}

async function openTarget(opened: Opened, place: Place, mayCreate: boolean) {
  if ('dataDir' in place && !mayCreate)
    await confirmCreation(place.dataDir, 'use --create to create the database, or another target');
  const { session, name } = await opened('the target', place);
  const target = createCopyTarget(session, BUILT_IN_NAMES);
  const state = await target.prepare().catch(named(name));
  if (state.kind === 'filled')
    throw new ExitError(
      `${name} is not empty, because the table ${plain(state.table)} has rows: use an empty database`,
    );
  if (state.kind === 'of another release')
    throw new ExitError(
      `${name} is an unfinished copy by another release: drop the database, and start with an empty database`,
    );
  if (await target.isInUse()) throw new ExitError(`a process is using ${name}: stop the process first`);
  return { target, name, unfinished: state.kind === 'unfinished' ? state.progress : undefined };
}

async function copyBetween(opened: Opened, from: Place, to: Place, { live: isLive, create }: Options): Promise<number> {
  const { source, name } = await openSource(opened, from, isLive);
  const { target, name: targetName, unfinished } = await openTarget(opened, to, create);
  const signal = interruption();
  const report = createReport();
  say(`from ${name} to ${targetName}`);
  const at = new Date(systemClock.now()).toISOString();
  const copying = { source, target, onEvent: report.on, name, unfinished, isLive, signal };
  const outcome = await withProgress(report.text, () => copyDatabase(copying));
  const exitCode = conclude(outcome, signal);
  if (outcome.kind !== 'finished') return exitCode;
  if (outcome.copied > 0) say(`${number(outcome.copied)} rows copied, ${report.rate()}`);
  if (isLive) say(`the copy does not contain changes to the source after ${at}`);
  return exitCode;
}

async function run({ values, flags }: Given): Promise<number> {
  const target = placeOf('<target>', values.target ?? '');
  const source = values.from === undefined ? configuredPlace(readSettings()) : placeOf('--from', values.from);
  if (isSamePlace(source, target)) throw wrongUsage('<target> and <source> are the same database: use another target');
  if ('dataDir' in source && !holdsDatabase(source.dataDir))
    throw new ExitError(
      `${source.dataDir} contains no database: set another source with --from, DATA_DIR or DATABASE_URL`,
    );

  const open: OpenSession[] = [];
  const opened: Opened = async (label, place) => {
    const session = await openDatabaseAt(label, place);
    open.push(session);
    return session;
  };
  try {
    return await copyBetween(opened, source, target, { live: flags.has('live'), create: flags.has('create') });
  } finally {
    for (const { close } of open) await close().catch(() => undefined);
  }
}

export const copy: Command = {
  name: 'database copy',
  arguments: { target: 'a postgresql:// URL, or a directory of an embedded database' },
  options: {
    'from <source>': 'the source (default: DATABASE_URL or DATA_DIR)',
    live: 'copies from a server while the service is running; the copy contains the data from the start of the copy',
    create: 'creates the database if the directory <target> has none. At a terminal, the command asks instead.',
  },
  help: `Copies all data (users, keys, usage and archive) into an empty database, and compares both databases at the end. Stop
the service first. If interrupted, run the command again to resume.`,
  run,
};
