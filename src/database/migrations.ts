import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '#core/clock';
import { toError } from '#core/errors';
import { isAtLeast, VERSION } from '#core/version';
import { inTransaction, type Session } from './deadline.ts';

export type Migration = { name: string; script: string };
type Recorded = { name: string; checksum: string; finished: boolean; logs: string | null };
type Options = {
  migrations?: Migration[];
  clock?: Clock;
  version?: string;
  /** Whether to reject a database that a newer release has migrated, even if this release could run on it. */
  isExact?: boolean;
};
const DIRECTORY = new URL('../../prisma/migrations/', import.meta.url);
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
// The advisory lock that Prisma's own commands take. It ensures that these commands and this runner exclude each other.
const PRISMA_LOCK = 72707369;
/** The line of a migration that names the oldest release that can run on the migrated database. */
const OLDEST_RELEASE = /^-- oldest-release: (\d+\.\d+\.\d+)$/m;
/** This migration is recorded as unfinished during a copy, so that no process starts on the database. */
export const UNFINISHED_COPY = '99999999999999_unfinished_copy';

// Identical to the table that `prisma migrate deploy` creates.
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
 * Applies each missing migration once, and records it like `prisma migrate deploy`. Migrations must not contain
 * `BEGIN`. Returns the names of the applied migrations. Throws if a migration fails, was changed, or failed under
 * another tool, and if the database belongs to another application or requires a newer release.
 */
export async function migrate(
  session: Session,
  { migrations, clock = systemClock, version = VERSION, isExact = false }: Options = {},
): Promise<string[]> {
  const ownMigrations = migrations ?? (await readMigrations());
  const applied: string[] = [];
  for (;;) {
    const name = await inTransaction(session, BEGIN, () =>
      applyNext(session, { known: ownMigrations, clock, version, isExact }),
    );
    if (name === undefined) return applied;
    applied.push(name);
  }
}

/** The migrations in a Prisma directory (`<name>/migration.sql`), sorted by name. */
export async function readMigrations(directory: URL = DIRECTORY): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const read = async (name: string) => ({
    name,
    script: await readFile(new URL(`${name}/migration.sql`, directory), 'utf8'),
  });
  return Promise.all(names.sort().map(read));
}

/** The lock ends with the transaction, so each call rereads the records. Session locks do not work behind a pooler. */
async function applyNext(
  session: Session,
  { known, clock, version, isExact }: Required<Omit<Options, 'migrations'>> & { known: Migration[] },
): Promise<string | undefined> {
  await session.exec(`SET LOCAL lock_timeout = '60s'; SELECT pg_advisory_xact_lock(${PRISMA_LOCK})`);
  await createMissingSchema(session);
  const recorded = await readRecords(session);
  checkHistory(known, recorded, isExact ? undefined : version);
  const names = new Set(recorded.map((record) => record.name));
  const next = known.find((migration) => !names.has(migration.name));
  if (!next) return undefined;

  const startedAt = new Date(clock.now());
  try {
    await session.exec(next.script);
  } catch (cause) {
    throw new Error(`the migration ${next.name} failed: ${toError(cause).message}`, { cause });
  }
  await session.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, $5, $6, 1)`,
    [randomUUID(), checksum(next.script), next.name, oldestRelease(next), startedAt, new Date(clock.now())],
  );
  return next.name;
}

/** Creates a missing schema. The search path of a session contains only the service's schema, in SQL syntax. */
async function createMissingSchema(session: Session): Promise<void> {
  const { rows } = await session.query<{ schema: string | null; path: string }>(
    `SELECT current_schema() AS schema, current_setting('search_path') AS path`,
  );
  if (rows[0]?.schema === null) await session.exec(`CREATE SCHEMA ${rows[0].path}`);
}

/** Whether migrations are recorded. If not, the database is empty or belongs to another application. */
export async function hasRecord(session: Session): Promise<boolean> {
  const { rows } = await session.query<{ known: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS known`,
  );
  return rows[0]?.known ?? false;
}

/** Returns the migrations that were not rolled back. Creates the table in an empty database. */
async function readRecords(session: Session): Promise<Recorded[]> {
  const { rows: tables } = await session.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`,
  );
  if (tables.length === 0) {
    await session.exec(RECORDS);
    return [];
  }
  if (!tables.some((table) => table.name === '_prisma_migrations')) {
    throw new Error(
      `the database contains tables of another application (${tables[0]?.name}, …): use a separate database for Quotient`,
    );
  }
  const { rows } = await session.query<Recorded>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, logs
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return rows;
}

/** The line that is stored in the record, so that older releases, which do not contain this migration, can read it. */
const oldestRelease = ({ script }: Migration): string | null => OLDEST_RELEASE.exec(script)?.[0] ?? null;

/** Throws unless release `version` can use a database with an unknown migration; undefined rejects every one. */
function checkUnknown({ name, logs }: Recorded, newestKnown: string, version: string | undefined): void {
  // A newer release only appends migrations, so an earlier unknown migration is in no release.
  if (name < newestKnown) {
    throw new Error(
      `the database has the migration ${name}, which is in no release: a development version created the database. ` +
        'Use a new, empty database (see "From a development version" in docs/operating.md)',
    );
  }
  const oldest = OLDEST_RELEASE.exec(logs ?? '')?.[1];
  if (oldest === undefined || version === undefined) {
    throw new Error(
      `the database has the migration ${name}, which does not exist in this release: start a newer release`,
    );
  }
  if (isAtLeast(version, oldest)) return;
  throw new Error(
    `the database has the migration ${name}, which requires release ${oldest} or newer (this is release ` +
      `${version}): start a newer release, or restore a backup from before the migration`,
  );
}

function checkHistory(ownMigrations: Migration[], recorded: Recorded[], version: string | undefined): void {
  const scripts = new Map(ownMigrations.map((migration) => [migration.name, migration.script]));
  for (const record of recorded) {
    const { name, checksum: sum, finished, logs } = record;
    if (name === UNFINISHED_COPY) {
      throw new Error('the database is an unfinished copy: run `quotient database copy` again, or drop the database');
    }
    if (!finished)
      throw new Error(`the migration ${name} failed earlier: repair the database and restart (${logs ?? 'no log'})`);
    const script = scripts.get(name);
    if (script === undefined) checkUnknown(record, ownMigrations.at(-1)?.name ?? '', version);
    else if (!checksums(script).includes(sum)) {
      throw new Error(
        `the file of the migration ${name} was changed after the migration was applied: restore the file`,
      );
    }
  }
}

const checksum = (script: string) => createHash('sha256').update(script).digest('hex');

/** Like Prisma, accepts LF and CRLF line endings. */
function checksums(script: string) {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].map(checksum);
}
