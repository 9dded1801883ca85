import { randomUUID } from 'node:crypto';
import { inTransaction, type Session } from '#database/deadline';
import { hasRecord, migrate, readMigrations, UNFINISHED_COPY } from '#database/migrations';
import {
  atOneMoment,
  type Batch,
  type Digest,
  digestOf,
  isInUse,
  readTables,
  type Sequence,
  type Table,
} from './source.ts';

/** All copies use this row, so that a second process cannot add another row. */
const RECORD_ID = '00000000-0000-4000-8000-636f70696564';
/** All tables before `table` are copied, and `table` is copied up to the key `after`. */
export type Progress = { source: string; table?: string; after?: Batch['last']; rows?: number };

/** `unfinished`: the target contains an incomplete copy by this command. `filled`: it contains any other data. */
type TargetState =
  | { kind: 'empty' }
  | { kind: 'unfinished'; progress: Progress }
  | { kind: 'filled'; table: string }
  | { kind: 'of another release' };

const takenOver = () => new Error('another process has resumed this copy');

/** An unfinished migration record stores the copy's progress, and prevents processes from starting on the database. */
export function createCopyTarget(session: Session, ownTokens: Iterable<string>) {
  // A process that resumes the copy replaces the mark. Statements of earlier processes then write nothing.
  const mark = randomUUID();

  return {
    /** Inspects the target, and migrates it if it is empty. Throws if the database belongs to another application. */
    async prepare(): Promise<TargetState> {
      const progress = await readProgress(session);
      if (progress) {
        if (!(await isOfThisRelease(session))) return { kind: 'of another release' };
        return { kind: 'unfinished', progress };
      }
      await migrate(session, { isExact: true });
      const table = await findFilled(session, await readTables(session), [...ownTokens]);
      return table ? { kind: 'filled', table } : { kind: 'empty' };
    },

    isInUse: () => isInUse(session),

    begin: (tables: readonly Table[], source: string): Promise<void> =>
      atOneMoment(session, async () => {
        const progress: Progress = { source };
        await session.query(
          `INSERT INTO _prisma_migrations (id, checksum, migration_name, logs) VALUES ($1, $2, $3, $4)
           ON CONFLICT (id) DO UPDATE SET checksum = excluded.checksum, logs = excluded.logs`,
          [RECORD_ID, mark, UNFINISHED_COPY, JSON.stringify(progress)],
        );
        await session.exec(`TRUNCATE ${tables.map(({ name }) => `${name}`).join(', ')}`);
      }),

    async resume(): Promise<void> {
      await session.query('UPDATE _prisma_migrations SET checksum = $1 WHERE id = $2', [mark, RECORD_ID]);
    },

    /** Writes rows and progress in one transaction. Throws if another process has taken over the copy. */
    async write({ name, columns }: Table, rows: readonly string[], progress: Progress): Promise<void> {
      const values = columns.map(({ type }, i) => `(r ->> ${i})::${type}`).join(', ');
      await inTransaction(session, 'BEGIN', async () => {
        const { rows: marked } = await session.query(
          'UPDATE _prisma_migrations SET logs = $1 WHERE id = $2 AND checksum = $3 RETURNING id',
          [JSON.stringify(progress), RECORD_ID, mark],
        );
        if (marked.length === 0) throw takenOver();
        await session.query(
          `INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')})
           SELECT ${values} FROM json_array_elements($1::json) AS r`,
          [`[${rows.join(',')}]`],
        );
      });
    },

    digest: (table: Table): Promise<Digest> => atOneMoment(session, () => digestOf(session, table)),

    async finish(tables: readonly Table[], sequences: readonly Sequence[]): Promise<void> {
      await atOneMoment(session, async () => {
        for (const { name, last, isCalled } of sequences)
          await session.query(`SELECT setval('${name}', $1::bigint, $2)`, [last, isCalled]);
        const { rows } = await session.query(
          'DELETE FROM _prisma_migrations WHERE id = $1 AND checksum = $2 RETURNING id',
          [RECORD_ID, mark],
        );
        if (rows.length === 0) throw takenOver();
      });
      // The new rows have no statistics yet. Without statistics, the first statements would scan whole tables.
      for (const { name } of tables) await session.exec(`ANALYZE ${name}`);
    },
  };
}

async function readProgress(session: Session): Promise<Progress | undefined> {
  if (!(await hasRecord(session))) return undefined;
  const { rows } = await session.query<{ logs: string }>('SELECT logs FROM _prisma_migrations WHERE id = $1', [
    RECORD_ID,
  ]);
  return rows[0] && (JSON.parse(rows[0].logs) as Progress);
}

async function isOfThisRelease(session: Session): Promise<boolean> {
  const { rows } = await session.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations
     WHERE rolled_back_at IS NULL AND id <> $1 ORDER BY migration_name`,
    [RECORD_ID],
  );
  const ownMigrations = (await readMigrations()).map(({ name }) => name);
  return ownMigrations.length === rows.length && ownMigrations.every((name, i) => name === rows[i]?.name);
}

/** The first non-empty table. Ignores the built-in tokens, and the secrets that every start adds. */
async function findFilled(
  session: Session,
  tables: readonly Table[],
  ownTokens: readonly string[],
): Promise<string | undefined> {
  for (const { name } of tables) {
    if (name === 'shared_secret') continue;
    const { rows } = await session.query(
      name === 'token'
        ? `SELECT 1 FROM token WHERE name <> ALL ($1::text[]) OR removed_at IS NOT NULL OR requested_at IS NOT NULL LIMIT 1`
        : `SELECT 1 FROM ${name} LIMIT 1`,
      name === 'token' ? [ownTokens] : [],
    );
    if (rows.length > 0) return name;
  }
  return undefined;
}

export type CopyTarget = ReturnType<typeof createCopyTarget>;
