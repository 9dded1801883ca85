import { inTransaction, type Session } from '#database/deadline';
import { hasRecord, migrate } from '#database/migrations';

/** The number of rows per batch. Such a batch has a few hundred kilobytes. */
const BATCH = 2_000;
/** Rows as JSON arrays of texts in key order, and the key of the last row. */
export type Batch = { rows: readonly string[]; last: readonly string[] };
/** Aliases that no table uses as column names, because `ORDER BY` prefers output columns to table columns. */
type Fetched = { copied_row: string; copied_key: string[] };

export function createCopySource(session: Session) {
  return {
    /** Migrates the source, so that both databases have the same tables. Throws if it is not a Quotient database. */
    async prepare(): Promise<void> {
      if (!(await hasRecord(session))) throw new Error('it is not a Quotient database');
      await migrate(session, { isExact: true });
    },

    isInUse: () => isInUse(session),

    /** From here until `end`, all reads use one snapshot. */
    async begin(): Promise<void> {
      await session.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await session.exec(SAME_TEXT);
    },

    tables: (): Promise<Table[]> => readTables(session),
    digest: (table: Table): Promise<Digest> => digestOf(session, table),
    sequences: (): Promise<Sequence[]> => readSequences(session),

    async *rows(table: Table, after?: readonly string[]): AsyncGenerator<Batch> {
      const key = table.key.map(({ name }) => name).join(', ');
      const values = table.key.map(({ type }, i) => `$${i + 1}::text::${type}`).join(', ');
      const keyText = table.key.map(({ name }) => `${name}::text`).join(', ');
      await session.query(
        `DECLARE copied NO SCROLL CURSOR FOR
         SELECT ${rowAsJson(table)} AS copied_row, json_build_array(${keyText}) AS copied_key FROM ${table.name}
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

    digestsNow: (tables: readonly Table[]): Promise<Digest[]> =>
      atOneMoment(session, async () => {
        const digests: Digest[] = [];
        for (const table of tables) digests.push(await digestOf(session, table));
        return digests;
      }),
  };
}

/** Whether serving processes have open leases or sessions. Behind a pooler, sessions may outlive their processes. */
export async function isInUse(session: Session): Promise<boolean> {
  const { rows } = await session.query<{ used: boolean }>(
    `SELECT EXISTS (SELECT FROM process WHERE expires_at > clock_timestamp())
      OR EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
        AND application_name = 'quotient' AND pid <> pg_backend_pid()) AS used`,
  );
  return rows[0]?.used ?? false;
}

export type CopySource = ReturnType<typeof createCopySource>;

/** Names are quoted where necessary.  */
export type Table = { name: string; columns: readonly Column[]; key: readonly Column[] };

type Column = { name: string; type: string };
export type Sequence = { name: string; last: string; isCalled: boolean };
type Found = { name: string; columns: Column[]; key: Column[] | null; refers: string[] | null };
/** Sends the parameters that determine how values are printed to the nodes of a cluster, for one transaction. */
const SAME_TEXT = `SET LOCAL citus.propagate_set_commands TO 'local'; SET LOCAL TimeZone TO 'UTC';
  SET LOCAL DateStyle TO 'ISO, YMD'; SET LOCAL IntervalStyle TO 'postgres'; SET LOCAL extra_float_digits TO 1;
  SET LOCAL bytea_output TO 'hex'`;
export const atOneMoment = <T>(session: Session, work: () => Promise<T>): Promise<T> =>
  inTransaction(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ', async () => {
    await session.exec(SAME_TEXT);
    return work();
  });

/** Reads the system catalogue, so that tables added by later migrations are copied too. */
const TABLES = `
  SELECT quote_ident(t.relname) AS name,
    (SELECT json_agg(json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod)) ORDER BY attnum)
      FROM pg_attribute WHERE attrelid = t.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    (SELECT json_agg(json_build_object('name', quote_ident(attname), 'type', format_type(atttypid, atttypmod)) ORDER BY place)
      FROM pg_constraint, unnest(conkey) WITH ORDINALITY AS k(attnum, place) JOIN pg_attribute a USING (attnum)
      WHERE conrelid = t.oid AND contype = 'p' AND a.attrelid = t.oid) AS key,
    (SELECT json_agg(DISTINCT quote_ident(r.relname)) FROM pg_constraint JOIN pg_class r ON r.oid = confrelid
      WHERE conrelid = t.oid AND contype = 'f' AND confrelid <> conrelid) AS refers
  FROM pg_class t
  WHERE t.relnamespace = quote_ident(current_schema())::regnamespace AND t.relkind = 'r' AND t.relname <> '_prisma_migrations'
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = t.oid AND deptype = 'e')
  ORDER BY t.relname`;

const SEQUENCES = `
  SELECT quote_ident(relname) AS name FROM pg_class
  WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'S' ORDER BY relname`;

/** Returns each table after the tables that its foreign keys refer to. */
export async function readTables(session: Session): Promise<Table[]> {
  const { rows } = await session.query<Found>(TABLES);
  const ordered: Table[] = [];
  let waiting = rows;
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const free = waiting.filter(({ refers }) => !refers?.some((name) => names.has(name)));
    if (free.length === 0) throw new Error(`the tables ${[...names].join(', ')} refer to each other`);
    for (const { name, columns, key } of free) {
      if (!key) throw new Error(`the table ${name} has no primary key`);
      ordered.push({ name, columns, key });
    }
    waiting = waiting.filter((found) => !free.includes(found));
  }
  return ordered;
}

async function readSequences(session: Session): Promise<Sequence[]> {
  const { rows } = await session.query<{ name: string }>(SEQUENCES);
  const sequences: Sequence[] = [];
  for (const { name } of rows) {
    const { rows: states } = await session.query<{ last: string; isCalled: boolean }>(
      `SELECT last_value::text AS last, is_called AS "isCalled" FROM ${name}`,
    );
    sequences.push(...states.map((state) => ({ name, ...state })));
  }
  return sequences;
}

const rowAsJson = ({ columns }: Table) =>
  `json_build_array(${columns.map(({ name }) => `${name}::text`).join(', ')})::text`;

/** The number of rows, and a sum over all values that does not depend on row order. */
export type Digest = { rows: number; sum: string };

export async function digestOf(session: Session, { name, columns }: Table): Promise<Digest> {
  const text = `ROW(${columns.map((column) => `${column.name}::text`).join(', ')})::text`;
  const hash = `encode(substring(sha256(convert_to(${text}, 'UTF8')) FROM 1 FOR 7), 'hex')`;
  const { rows } = await session.query<Digest>(
    `SELECT count(*)::float8 AS rows, coalesce(sum(('x' || ${hash})::bit(56)::bigint), 0)::text AS sum FROM ${name}`,
  );
  return rows[0] as Digest;
}
