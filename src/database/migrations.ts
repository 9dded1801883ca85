import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '#core/clock';
import { systemClock } from '#core/clock';
import { inTransaction, type Session } from './deadline.ts';

export type Migration = { name: string; script: string };

type Recorded = { name: string; checksum: string; finished: boolean; logs: string | null };

const DIRECTORY = new URL('../../prisma/migrations/', import.meta.url);

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';

// The number by which Prisma's own commands lock: they and this runner wait for each other.
const PRISMA_LOCK = 72707369;

/**
 * On record, unfinished, while a database is being filled with the copy of another: so no process starts on it, of this
 * release or an older one.
 */
export const UNFINISHED_COPY = '99999999999999_unfinished_copy';

// Word for word the table that `prisma migrate deploy` makes.
const RECORDS = `CREATE TABLE _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Brings the database up to the migrations of this release, each in one transaction, recorded as
 * `prisma migrate deploy` records it. Many processes may call it at once: each migration is applied once.
 * A migration must not hold `BEGIN` or `COMMIT` of its own.
 *
 * @returns the names of the migrations that this call applied, in order
 * @throws when a migration fails (nothing of it stays), was changed after it was applied, failed halfway
 *   under another tool, or when the database is ahead of this release or belongs to something else
 */
export async function migrate(
  session: Session,
  { migrations, clock = systemClock }: { migrations?: Migration[]; clock?: Clock } = {},
): Promise<string[]> {
  const known = migrations ?? (await readMigrations());
  const applied: string[] = [];
  for (;;) {
    const name = await inTransaction(session, BEGIN, () => applyNext(session, known, clock));
    if (name === undefined) return applied;
    applied.push(name);
  }
}

/** The migrations in a directory laid out as Prisma does (`<name>/migration.sql`), in the order of their names. */
export async function readMigrations(directory: URL = DIRECTORY): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = async (name: string) => ({
    name,
    script: await readFile(new URL(`${name}/migration.sql`, directory), 'utf8'),
  });
  return Promise.all(names.sort().map(read));
}

/** Applies the first migration that is missing. The lock ends with the transaction, so the records are read anew
 * each time: what another process applied in between is seen. A lock of the session would not pass a pooler. */
async function applyNext(session: Session, known: Migration[], clock: Clock): Promise<string | undefined> {
  // `public` is where Prisma's queries look, whatever the role's own search path says.
  await session.exec(
    `SET LOCAL search_path TO public; SET LOCAL lock_timeout = '60s'; SET LOCAL statement_timeout = 0;
     SELECT pg_advisory_xact_lock(${PRISMA_LOCK})`,
  );
  const recorded = await readRecords(session);
  refuseForeignHistory(known, recorded);
  const names = new Set(recorded.map((record) => record.name));
  const next = known.find((migration) => !names.has(migration.name));
  if (!next) return undefined;

  const startedAt = new Date(clock.now());
  try {
    await session.exec(next.script);
  } catch (cause) {
    throw new Error(`the migration ${next.name} failed: ${(cause as Error).message}`, { cause });
  }
  await session.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, $5, 1)`,
    [randomUUID(), checksum(next.script), next.name, startedAt, new Date(clock.now())],
  );
  return next.name;
}

/** Whether there is a record of migrations: a database without one is none of ours, or empty. */
export async function hasRecord(session: Session): Promise<boolean> {
  const { rows } = await session.query<{ known: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS known`,
  );
  return rows[0]?.known ?? false;
}

/** The migrations on record that were not rolled back. In an empty database the record is made first. */
async function readRecords(session: Session): Promise<Recorded[]> {
  const { rows: tables } = await session.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`,
  );
  if (tables.length === 0) {
    await session.exec(RECORDS);
    return [];
  }
  if (!tables.some((table) => table.name === '_prisma_migrations')) {
    throw new Error(
      `the database has no record of migrations but holds other tables (${tables[0]?.name}, …): give Quotient a database of its own`,
    );
  }
  const { rows } = await session.query<Recorded>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, logs
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows;
}

function refuseForeignHistory(known: Migration[], recorded: Recorded[]) {
  const scripts = new Map(known.map((migration) => [migration.name, migration.script]));
  for (const { name, checksum: sum, finished, logs } of recorded) {
    if (name === UNFINISHED_COPY) {
      throw new Error('the database is a copy that was not finished: run `npm run database -- copy` again, or drop it');
    }
    if (!finished) throw new Error(`the migration ${name} failed earlier and needs a hand: ${logs ?? 'no log'}`);
    const script = scripts.get(name);
    if (script === undefined) {
      throw new Error(`the database has the migration ${name}, which this release does not know: run a newer one`);
    }
    if (!checksums(script).includes(sum)) {
      throw new Error(`the migration ${name} was changed after it was applied: restore its file`);
    }
  }
}

function checksum(script: string) {
  return createHash('sha256').update(script).digest('hex');
}

/** Like Prisma, indifferent to how a checkout ends its lines. */
function checksums(script: string) {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].map(checksum);
}
