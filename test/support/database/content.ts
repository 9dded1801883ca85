import { createHash } from 'node:crypto';
import type { Session } from '#database/deadline';
import { sessionOn } from '#database/pool';
import { openSession, type Place } from '#database/session';
import { connectTo } from './client.ts';

/** Runs `work` on a separate connection. On a server, the connection belongs to the test and not to the service. */
export async function withSession<Result>(place: Place, work: (session: Session) => Promise<Result>) {
  if (!('url' in place)) {
    const { session, close } = await openSession(place);
    return work(session).finally(close);
  }
  const client = await connectTo(place.url);
  return work(sessionOn(client)).finally(() => client.end());
}

/**
 * The content of a database: a hash of each table's rows as the database prints them, the states of the sequences, and
 * the migrations.
 */
export const contentOf = (place: Place): Promise<Record<string, unknown>> =>
  withSession(place, async (session) => {
    await session.exec('BEGIN');
    const { rows: names } = await session.query<{ name: string; kind: string }>(
      `SELECT quote_ident(relname) AS name, relkind::text AS kind FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S') AND relname <> '_prisma_migrations'`,
    );
    const content: Record<string, unknown> = {};
    for (const { name, kind } of names) {
      const { rows } = await session.query(
        kind === 'S'
          ? `SELECT last_value::text, is_called FROM ${name}`
          : `SELECT t::text FROM ${name} t ORDER BY t::text COLLATE "C"`,
      );
      content[name] = [rows.length, createHash('sha256').update(JSON.stringify(rows)).digest('hex')];
    }
    const { rows } = await session.query('SELECT migration_name, checksum FROM _prisma_migrations ORDER BY 1');
    return { ...content, migrations: rows };
  });
