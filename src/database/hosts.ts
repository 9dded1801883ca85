import pg from 'pg';
import { SECOND, systemClock } from '#core/clock';
import { memo } from '#core/memo';
import { isPassing } from './unreachable.ts';

/** Which server to use: any reachable one, one that accepts writes, or one that is not a standby. */
const SESSIONS = ['any', 'read-write', 'primary'] as const;
type TargetSession = (typeof SESSIONS)[number];

export type ServerUrl = {
  /** The hosts in the order of attempts. */
  hosts: readonly { name: string; url: string }[];
  session: TargetSession;
};

const FORM =
  'must have the form postgresql://user:password@host:port/database, with special characters percent-encoded';

// With an unescaped `@`, `/`, `?` or `#`, part of a password would be displayed as the host name.
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^@?#]*)?(?:\?([^@#]*))?$/;
/** A name, an address, an IPv6 address in brackets, or a percent-encoded socket path, followed by an optional port. */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:,]*)(?::(\d*))?$/;
/** The number of hosts is limited, because they share one deadline. */
const MOST = 8;
const DEFAULT_PORT = '5432';
/** Parameters that select the host. They are removed from each host's URL. */
const CHOICE = ['host', 'port', 'target_session_attrs', 'load_balance_hosts'];
const fault = (message: string) => new RangeError(message);

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

/** Like libpq, accepts one port for all hosts, or one port per host. */
function portsOf(text: string, count: number): string[] {
  const ports = text.split(',');
  if (ports.length === 1) return Array.from({ length: count }, () => text);
  if (ports.length === count) return ports;
  throw fault('must have one port, or one port for each host, in the parameter port');
}

function readSession(text: string): TargetSession {
  const session = SESSIONS.find((one) => one === text);
  if (!session) throw fault('must set the parameter target_session_attrs to any, read-write or primary');
  return session;
}

/**
 * Like libpq, accepts several hosts, `target_session_attrs`, and the parameters `host` and `port`. Throws `RangeError`,
 * whose message continues the setting's name and repeats no part of the URL.
 */
export function parseServerUrl(text: string): ServerUrl {
  const [, start = '', authority = '', path = '', query] = PARTS.exec(text) ?? [];
  if (start === '') throw fault(FORM);
  const given = new URLSearchParams(query);
  // Like libpq, uses the last value of a repeated parameter.
  const parameter = (name: string) => given.getAll(name).at(-1) || undefined;
  if (given.has('hostaddr')) throw fault('must not have the parameter hostaddr: use host instead');
  if ((parameter('load_balance_hosts') ?? 'disable') !== 'disable')
    throw fault(
      'must not set load_balance_hosts to a value other than disable, because hosts are tried in the given order',
    );
  const session = readSession(parameter('target_session_attrs') ?? 'any');

  const inQuery = parameter('host')?.split(',').map(toAuthority);
  const named = (inQuery ?? authority.split(',')).map(readHost);
  const ports = portsOf(parameter('port') ?? named.map(({ port }) => port).join(), named.length);
  const isOne = named.length === 1;
  if (named.length > MOST) throw fault(`must contain at most ${MOST} hosts`);
  if (!isOne && named.some(({ host }) => host === '')) throw fault('must contain a name for each host in the list');

  for (const name of CHOICE) given.delete(name);
  const rest = given.size > 0 ? `?${given}` : '';
  const hosts = named.map(({ host }, i) => {
    const { port } = readHost(`host:${ports[i]}`);
    const place = isOne ? `${host}${port && `:${port}`}` : `${host}:${port || DEFAULT_PORT}`;
    return { name: decoded(place), url: `${start}${place}${path}${rest}` };
  });
  return { hosts, session };
}

/** The deadline for the search over all hosts, in ms. Connecting to the found host may take one second longer. */
const SEARCH = 4 * SECOND;
/** Differs from the name that serving processes use, because `database copy` counts their sessions. */
const APPLICATION = 'quotient host search';
type Found = { host: string; port: number };
type State = { standby: boolean; readonly: boolean };
/** A hot standby is read-only. A server, database or role may also be configured as read-only. */
const STATE = `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS readonly`;

function unfit(session: TargetSession, { standby, readonly }: State): string | undefined {
  if (session === 'primary' && standby) return 'is a standby';
  return session === 'read-write' && readonly ? 'is read-only' : undefined;
}

/** Returns a host's address, or why the host is not used. Like libpq, throws errors that every host would cause. */
async function look(url: string, session: TargetSession, config: pg.ClientConfig, ms: number) {
  const client = new pg.Client({ ...config, connectionString: url, application_name: APPLICATION });
  client.on('error', () => {}); // the running statement is rejected too
  // One deadline for both the connection and the statement.
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

async function search({ hosts, session }: ServerUrl, config: pg.ClientConfig): Promise<Found> {
  const deadline = systemClock.elapsed() + SEARCH;
  const reasons: string[] = [];
  for (const [i, { name, url }] of hosts.entries()) {
    // Each host gets an equal share of the remaining time, so that a host that hangs leaves time for the next.
    const share = (deadline - systemClock.elapsed()) / (hosts.length - i);
    const found = await look(url, session, config, share).catch((error: Error) => {
      throw Object.assign(error, { message: `${name}: ${error.message}` });
    });
    if (typeof found !== 'string') return found;
    reasons.push(`${name}: ${found}`);
  }
  throw Object.assign(new Error(reasons.join('; ')), { code: 'UNREACHABLE' });
}

/** `pg` supports one host per client, so separate connections search for the host. Concurrent clients share one. */
export function searchingClient(server: ServerUrl, config: pg.ClientConfig): typeof pg.Client {
  const find = memo(() => search(server, config), { ttl: 0, clock: systemClock });

  return class extends pg.Client {
    readonly hosts = server.hosts.map(({ name }) => name).join();

    async #connect(): Promise<pg.Client> {
      const found = await find();
      Object.assign(this, found);
      // `pg` uses these fields to look up the password in a password file.
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
