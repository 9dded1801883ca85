import pg from 'pg';
import { SECOND, systemClock } from '#core/clock';
import { memo } from '#core/memo';
import { isPassing } from './unreachable.ts';

/** Which of several servers is used: any that answers, one that accepts writes, or one that is no standby. */
const SESSIONS = ['any', 'read-write', 'primary'] as const;

export type TargetSession = (typeof SESSIONS)[number];

/** A PostgreSQL server, or several of which one is used. */
export type ServerUrl = {
  /** One URL per host, in the order in which the hosts are tried; each names one host. */
  hosts: readonly { name: string; url: string }[];
  session: TargetSession;
};

const FORM =
  'is not of the form postgresql://user:password@host:port/database; special characters in it must be percent-encoded';

// No `@`, `/`, `?` or `#` but as a separator: with one of them unescaped in a password, part of the password
// would be taken for the host's name, and shown.
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^@?#]*)?(?:\?([^@#]*))?$/;

/** A name, an address, an IPv6 address in brackets, or a percent-encoded path of a Unix socket; then a port. */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:,]*)(?::(\d*))?$/;

/** Each host has a share of one deadline, so the list is short. */
const MOST = 8;
const DEFAULT_PORT = '5432';

/** Parameters that choose the host: the URL of a single host has none of them. */
const CHOICE = ['host', 'port', 'target_session_attrs', 'load_balance_hosts'];

const fault = (message: string) => new RangeError(message);

/** A host from the parameter `host`, as it stands in the authority of a URL. */
function toAuthority(host: string): string {
  if (host.startsWith('/')) return encodeURIComponent(host);
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw fault(FORM);
  }
}

function readHost(text: string): { host: string; port: string } {
  const [, host, port = ''] = HOST.exec(text) ?? [];
  if (host === undefined) throw fault(FORM);
  if (port !== '' && !(Number(port) >= 1 && Number(port) <= 65_535)) throw fault(FORM);
  return { host, port };
}

/** As libpq does: one port is for all hosts, more are one per host. */
function portsOf(text: string, count: number): string[] {
  const ports = text.split(',');
  if (ports.length === 1) return Array.from({ length: count }, () => text);
  if (ports.length === count) return ports;
  throw fault('must have one port in the parameter port, or one for each host');
}

function readSession(text: string): TargetSession {
  const session = SESSIONS.find((one) => one === text);
  if (!session) throw fault('must have any, read-write or primary in the parameter target_session_attrs');
  return session;
}

/**
 * Reads the URL of a PostgreSQL server. As in libpq it may name several hosts, `host1:5432,host2,[::1]:5433`, each with its
 * own port (5432 if there is none), and `target_session_attrs`; the parameters `host` and `port` replace those of the
 * authority. Throws `RangeError` with a message that follows the name of the setting and repeats no part of the URL.
 */
export function parseServerUrl(text: string): ServerUrl {
  const [, start = '', authority = '', path = '', query] = PARTS.exec(text) ?? [];
  if (start === '') throw fault(FORM);
  const given = new URLSearchParams(query);
  // The last one counts, as in libpq.
  const parameter = (name: string) => given.getAll(name).at(-1) || undefined;
  if (given.has('hostaddr')) throw fault('must not have the parameter hostaddr: name the host instead');
  if ((parameter('load_balance_hosts') ?? 'disable') !== 'disable')
    throw fault('must have no load_balance_hosts other than disable: hosts are tried in their order');
  const session = readSession(parameter('target_session_attrs') ?? 'any');

  const inQuery = parameter('host')?.split(',').map(toAuthority);
  const named = (inQuery ?? authority.split(',')).map(readHost);
  const ports = portsOf(parameter('port') ?? named.map(({ port }) => port).join(), named.length);
  const isOne = named.length === 1;
  if (named.length > MOST) throw fault(`must name ${MOST} hosts at most`);
  if (!isOne && named.some(({ host }) => host === '')) throw fault('must name every host of its list');

  for (const name of CHOICE) given.delete(name);
  const rest = given.size > 0 ? `?${given}` : '';
  const hosts = named.map(({ host }, i) => {
    const { port } = readHost(`host:${ports[i]}`);
    const place = isOne ? `${host}${port && `:${port}`}` : `${host}:${port || DEFAULT_PORT}`;
    return { name: decoded(place), url: `${start}${place}${path}${rest}` };
  });
  return { hosts, session };
}

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
