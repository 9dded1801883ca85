import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { hashApiKey, mintApiKey } from '#keys/api-key';
import { execute } from './database.ts';
import { node } from './node.ts';

const run = promisify(execFile);
const BATCH = 10_000;

/** A server's database if `url` is set. Otherwise, an embedded database in `dataDir`. */
type DatabaseLocation = { url: string | undefined; dataDir: string };

/** Creates a database with a checkout's migrations by opening it. Commands do not create an embedded database. */
export async function migrate(location: DatabaseLocation, tree: string): Promise<void> {
  const module = JSON.stringify(join(tree, 'build/database/database.js'));
  const script = `const { openDatabase } = await import(${module});
    await (await openDatabase(${JSON.stringify(location)})).close();`;
  await run(node, ['--input-type=module', '-e', script]);
}

const HASH_TYPE = `SELECT data_type AS type FROM information_schema.columns
  WHERE table_name = 'api_key' AND column_name = 'hash'`;

/**
 * Inserts users with one key each. The rows are dated an hour ago, because processes reread recent changes. An older
 * checkout stores the hashes as text.
 */
const insertion = (keys: readonly string[], limit: number, isText: boolean) => `
  WITH made AS (
    INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at, changed_at)
    SELECT 'User', 'user@example.org', 'monthly'::plan, ${limit}, at, at, at + interval '1 month', at, at
    FROM generate_series(1, ${keys.length}), (SELECT now() - interval '1 hour' AS at) t
    RETURNING key, created_at),
  numbered AS (SELECT *, row_number() OVER (ORDER BY key) AS n FROM made)
  INSERT INTO api_key (hash, user_key, created_at)
  SELECT ${isText ? 'hash' : "decode(hash, 'hex')"}, key, created_at FROM numbered
  JOIN unnest('{${keys.map(hashApiKey).join()}}'::text[]) WITH ORDINALITY AS h(hash, n) USING (n)`;

/** Creates `count` users with a limit and returns their keys. No other process may have the embedded database open. */
export async function makeUsers({ url, dataDir }: DatabaseLocation, count: number, limit: number): Promise<string[]> {
  const keys = Array.from({ length: count }, mintApiKey);
  const embedded = url === undefined ? await PGlite.create(join(dataDir, 'postgres')) : undefined;
  const exec = (text: string) => (url === undefined ? embedded?.exec(text) : execute(url, text));
  const read = async (text: string): Promise<{ type: string }[]> =>
    embedded ? (await embedded.query<{ type: string }>(text)).rows : execute(url ?? '', text);
  const isText = (await read(HASH_TYPE))[0]?.type !== 'bytea';
  for (let i = 0; i < count; i += BATCH) await exec(insertion(keys.slice(i, i + BATCH), limit, isText));
  // Without statistics, the planner assumes empty tables.
  await exec('ANALYZE');
  await embedded?.close();
  return keys;
}
