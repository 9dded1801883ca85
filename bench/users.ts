import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { hashApiKey, mintApiKey } from '#accounts/keys/api-key';
import { execute } from './database.ts';
import { node } from './node.ts';

const run = promisify(execFile);
const AT_ONCE = 10_000;

/** Where users are kept: on a server, where there is a `url`, else embedded. */
export type Home = { url: string | undefined; dataDir: string };

/** Brings an empty database up to the migrations of a checkout, as each of its commands does. */
export async function migrate({ url, dataDir }: Home, tree: string): Promise<void> {
  const env = { ...process.env, DATABASE_URL: url ?? '', DATA_DIR: dataDir };
  await run(node, [join(tree, 'build/cli/users.js'), 'list'], { env });
}

/** Users with a key each, dated an hour ago: what changed just now, running processes would read again. */
const insertion = (keys: readonly string[], limit: number) => `
  WITH made AS (
    INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at, changed_at)
    SELECT 'User', 'user@example.org', 'monthly'::plan, ${limit}, at, at, at + interval '1 month', at, at
    FROM generate_series(1, ${keys.length}), (SELECT now() - interval '1 hour' AS at) t
    RETURNING key, created_at),
  numbered AS (SELECT *, row_number() OVER (ORDER BY key) AS n FROM made)
  INSERT INTO api_key (hash, user_key, created_at)
  SELECT hash, key, created_at FROM numbered
  JOIN unnest('{${keys.map(hashApiKey).join()}}'::text[]) WITH ORDINALITY AS h(hash, n) USING (n)`;

/** Makes so many users with a limit, by the thousand; gives their keys. Nobody else may have an embedded database. */
export async function makeUsers({ url, dataDir }: Home, count: number, limit: number): Promise<string[]> {
  const keys = Array.from({ length: count }, mintApiKey);
  const embedded = url === undefined ? await PGlite.create(join(dataDir, 'postgres')) : undefined;
  const say = (text: string) => (url === undefined ? embedded?.exec(text) : execute(url, text));
  for (let i = 0; i < count; i += AT_ONCE) await say(insertion(keys.slice(i, i + AT_ONCE), limit));
  // As a database in use has it: without, the planner takes the tables for empty ones.
  await say('ANALYZE');
  await embedded?.close();
  return keys;
}
