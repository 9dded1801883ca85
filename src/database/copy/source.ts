import { hasRecord, migrate } from '#database/migrations';
import type { Session } from '#database/transaction';
import {
  atOneMoment,
  type Digest,
  digestOf,
  PLAIN_TEXT,
  readSequences,
  readTables,
  rowAsJson,
  type Sequence,
  type Table,
} from './tables.ts';

/** Rows that travel together: some hundred kilobytes. */
const BATCH = 2_000;

/** Rows of one table as JSON arrays of texts, in the order of its key, and the key of the last of them. */
export type Batch = { rows: readonly string[]; last: readonly string[] };

/** Names that no column has: `ORDER BY` takes a column of the answer for one of the table. */
type Fetched = { copied_row: string; copied_key: string[] };

/** The database that a copy is made of. */
export function createCopySource(session: Session) {
  return {
    /** Brings it to this release, so that both ends have the same tables. Throws when it is none of Quotient's. */
    async prepare(): Promise<void> {
      if (!(await hasRecord(session))) throw new Error('there is no database of Quotient');
      await migrate(session);
    },

    /** Whether some process is at work on it: one that is connected, or has calls of users in its hands. */
    isInUse: () => isInUse(session),

    /** From here to `end` all that is read is of one moment. */
    async begin(): Promise<void> {
      await session.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${PLAIN_TEXT}`);
    },

    tables: (): Promise<Table[]> => readTables(session),
    digest: (table: Table): Promise<Digest> => digestOf(session, table),
    sequences: (): Promise<Sequence[]> => readSequences(session),

    /** The rows of a table, after the one with that key where it is given. */
    async *rows(table: Table, after?: readonly string[]): AsyncGenerator<Batch> {
      const key = table.key.map(({ name }) => name).join(', ');
      const values = table.key.map(({ type }, i) => `$${i + 1}::text::${type}`).join(', ');
      const keyText = table.key.map(({ name }) => `${name}::text`).join(', ');
      await session.query(
        `DECLARE copied NO SCROLL CURSOR FOR
         SELECT ${rowAsJson(table)} AS copied_row, json_build_array(${keyText}) AS copied_key FROM public.${table.name}
         ${after ? `WHERE (${key}) > (${values})` : ''} ORDER BY ${key}`,
        after && [...after],
      );
      for (;;) {
        const { rows } = await session.query<Fetched>(`FETCH ${BATCH} FROM copied`);
        const last = rows.at(-1);
        if (!last) break;
        yield { rows: rows.map((row) => row.copied_row), last: last.copied_key };
      }
      await session.exec('CLOSE copied');
    },

    async end(): Promise<void> {
      await session.exec('COMMIT');
    },

    /** Sums as they are now, after `end`. */
    digestsNow: (tables: readonly Table[]): Promise<Digest[]> =>
      atOneMoment(session, async () => {
        const digests: Digest[] = [];
        for (const table of tables) digests.push(await digestOf(session, table));
        return digests;
      }),
  };
}

/**
 * Leases that are open, and sessions of other processes: the embedded database has none. What copies has a name of its
 * own, and does not count: a killed one may linger. Behind a pooler these may be of processes that have ended.
 */
export async function isInUse(session: Session): Promise<boolean> {
  const { rows } = await session.query<{ used: boolean }>(
    `SELECT EXISTS (SELECT FROM public.lease WHERE NOT closed AND expires_at > clock_timestamp())
      OR EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND application_name = 'quotient' AND pid <> pg_backend_pid()) AS used`,
  );
  return rows[0]?.used ?? false;
}

export type CopySource = ReturnType<typeof createCopySource>;
