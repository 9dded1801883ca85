import { isInUse } from './copy/source.ts';
import { inTransaction, type Session } from './deadline.ts';
import { migrate } from './migrations.ts';

/** The tables whose rows grow with the calls of users. Each node has the rows of some users. */
const BY_USER = ['usage', 'lease', 'usage_day', 'usage_detail'];
/** Statements for one user also read this table. All other tables stay on the coordinator. */
const ON_EVERY_NODE = ['"user"'];

const NO_CITUS =
  'the database has no extension citus: install Citus on every node, and run CREATE EXTENSION citus in this database';

async function hasCitus(session: Session): Promise<boolean> {
  const { rows } = await session.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  return rows.length > 0;
}

async function distributedTables(session: Session): Promise<Set<string>> {
  const { rows } = await session.query<{ name: string }>(
    "SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' OR repmodel = 't'",
  );
  return new Set(rows.map(({ name }) => name));
}

/**
 * Distributes the ledger over the nodes of a Citus cluster by user. Returns the number of moved tables: either all that
 * are not distributed yet, or none. Throws an Error whose message can be displayed.
 */
export async function distribute(session: Session): Promise<number> {
  if (!(await hasCitus(session))) throw new Error(NO_CITUS);
  await migrate(session);
  if (await isInUse(session)) throw new Error('a process is using the database: stop all processes first');
  const known = await distributedTables(session);
  const copied = ON_EVERY_NODE.filter((table) => !known.has(table));
  const moved = BY_USER.filter((table) => !known.has(table));
  // A reference table is created on all nodes before a foreign key can refer to it.
  await inTransaction(session, 'BEGIN', async () => {
    await session.exec("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'");
    for (const table of copied) await session.query('SELECT create_reference_table($1::regclass)', [table]);
    for (const table of moved)
      await session.query("SELECT create_distributed_table($1::regclass, 'user_key', colocate_with => $2)", [
        table,
        table === BY_USER[0] ? 'none' : (BY_USER[0] as string),
      ]);
  });
  return copied.length + moved.length;
}

type NodeContents = { node: string; shards: number; bytes: number };

/** Where the rows are: the shards and bytes of the distributed tables on each node. Empty if Citus is not installed. */
export async function readNodes(session: Session): Promise<NodeContents[]> {
  if (!(await hasCitus(session))) return [];
  const { rows } = await session.query<NodeContents>(
    `SELECT nodename || ':' || nodeport AS node, count(*)::int AS shards, coalesce(sum(shard_size), 0)::float8 AS bytes
     FROM citus_shards WHERE citus_table_type = 'distributed' GROUP BY 1 ORDER BY 1`,
  );
  return rows;
}
