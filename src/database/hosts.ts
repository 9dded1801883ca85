import pg from 'pg';
import { SECOND, systemClock } from '#core/clock';
import { memo } from '#core/memo';
import type { ServerUrl, TargetSession } from './server-url.ts';
import { isPassing } from './unreachable.ts';

/** How long the search may take over all hosts, in ms: a connection has a second more. */
const SEARCH = 4 * SECOND;

/** Not the name of a process that serves: `database copy` counts those. */
const APPLICATION = 'quotient host search';

type Found = { host: string; port: number };
type State = { standby: boolean; readonly: boolean };

/** A hot standby is read-only; so is a server, a database or a role that was set so. */
const STATE = `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS readonly`;

function unfit(session: TargetSession, { standby, readonly }: State): string | undefined {
  if (session === 'primary' && standby) return 'is a standby';
  return session === 'read-write' && readonly ? 'is read-only' : undefined;
}

/** Where a host is, or why it is not used. Throws an error that is the same at the other hosts, as libpq does. */
async function look(url: string, session: TargetSession, config: pg.ClientConfig, ms: number) {
  const client = new pg.Client({ ...config, connectionString: url, application_name: APPLICATION });
  client.on('error', () => {}); // the statement that runs rejects as well
  // One deadline for the connection and the statement.
  const timer = setTimeout(() => client.connection.stream.destroy(new Error('timeout expired')), ms);
  try {
    await client.connect();
    const { rows } = await client.query<State>(STATE);
    const { host, port } = client;
    return unfit(session, rows[0] as State) ?? { host, port };
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    if (isPassing(error)) return message || String(code);
    throw error;
  } finally {
    clearTimeout(timer);
    client.end().catch(() => {});
  }
}

/** The first host in the order of the URL that answers and has the session that is wanted. */
async function search({ hosts, session }: ServerUrl, config: pg.ClientConfig): Promise<Found> {
  const deadline = systemClock.elapsed() + SEARCH;
  const reasons: string[] = [];
  for (const [i, { name, url }] of hosts.entries()) {
    // Each has its share of what is left, so one that hangs leaves time for the next.
    const share = (deadline - systemClock.elapsed()) / (hosts.length - i);
    const found = await look(url, session, config, share).catch((error: Error) => {
      throw Object.assign(error, { message: `${name}: ${error.message}` });
    });
    if (typeof found !== 'string') return found;
    reasons.push(`${name}: ${found}`);
  }
  throw Object.assign(new Error(reasons.join('; ')), { code: 'UNREACHABLE' });
}

/**
 * The class of clients of `pg` that search their host as they connect. `pg` knows one host per client and a client connects
 * once, so the host is found by a connection of its own; clients that connect at the same time share the search.
 */
export function searchingClient(server: ServerUrl, config: pg.ClientConfig): typeof pg.Client {
  const find = memo(() => search(server, config), { ttl: 0, clock: systemClock });

  return class extends pg.Client {
    readonly hosts = server.hosts.map(({ name }) => name).join();

    async #connect(): Promise<pg.Client> {
      const found = await find();
      Object.assign(this, found);
      // A password file is searched with these.
      Object.assign((this as unknown as { connectionParameters: object }).connectionParameters, found);
      return super.connect();
    }

    override connect(): Promise<pg.Client>;
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void;
    override connect(callback?: (error: never, client: never) => void): unknown {
      const connected = this.#connect();
      if (!callback) return connected;
      const called = callback as (error: Error | null, client?: pg.Client) => void;
      return void connected.then(() => called(null, this), called);
    }
  };
}
