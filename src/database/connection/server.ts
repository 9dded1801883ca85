import pg from 'pg';
import { SECOND, systemClock } from '#core/clock';
import { toError } from '#core/errors';
import { memo } from '#core/memo';
import { bindingConfig, enforceBinding } from './channel-binding.ts';
import { COMMON, type Reach } from './client.ts';
import { readOptions, requiredParameters } from './parameters.ts';
import { parseServerUrl, type ServerUrl, type TargetSession } from './server-url.ts';
import { isPassing } from './unreachable.ts';

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

/** Returns a host's address, or why it is not used. Like libpq, throws errors that every host would cause. */
async function look(url: string, { session, channelBinding }: ServerUrl, config: pg.ClientConfig, ms: number) {
  const client = new pg.Client({ ...config, connectionString: url, application_name: APPLICATION });
  client.on('error', () => {}); // the running statement is rejected too
  enforceBinding(client, channelBinding);
  // One deadline for both the connection and the statement.
  const timer = setTimeout(() => client.connection.stream.destroy(new Error('timeout expired')), ms);
  try {
    await client.connect();
    const { rows } = await client.query<State>(STATE);
    const { host, port } = client;
    return unfit(session, rows[0] as State) ?? { host, port };
  } catch (error) {
    const { message, code } = toError(error);
    if (isPassing(error)) return message || String(code);
    throw error;
  } finally {
    clearTimeout(timer);
    client.end().catch(() => {});
  }
}

async function search(server: ServerUrl, config: pg.ClientConfig): Promise<Found> {
  const { hosts } = server;
  const deadline = systemClock.elapsed() + SEARCH;
  const reasons: string[] = [];
  for (const [i, { name, url }] of hosts.entries()) {
    // Each host gets an equal share of the remaining time, so that a host that hangs leaves time for the next.
    const share = (deadline - systemClock.elapsed()) / (hosts.length - i);
    const found = await look(url, server, config, share).catch((error: Error) => {
      throw Object.assign(error, { message: `${name}: ${error.message}` });
    });
    if (typeof found !== 'string') return found;
    reasons.push(`${name}: ${found}`);
  }
  throw Object.assign(new Error(reasons.join('; ')), { code: 'UNREACHABLE' });
}

/** Concurrent callers share one search. Its connections are separate, because a `pg` client has one host. */
const hostSearch = (server: ServerUrl, config: pg.ClientConfig): (() => Promise<Found>) =>
  memo(() => search(server, config), { ttl: 0, clock: systemClock });

/** Throws an Error with code `MALFORMED_URL`. */
export function serverConfig(url: string): Reach {
  const server = readable(() => parseServerUrl(url));
  const { hosts, session, channelBinding, database, schema, options } = server;
  const common = { ...COMMON, ...bindingConfig(channelBinding) };
  const config = { ...common, connectionString: hosts[0]?.url };
  const { host, connectionParameters } = clientOf(config) as pg.Client & { connectionParameters: pg.ClientConfig };
  // `pg` reads PGOPTIONS.
  const ofEnvironment = readable(() => readOptions(connectionParameters.options ?? ''));
  const reach: Reach = {
    ...config,
    parameters: { ...ofEnvironment, ...options, ...requiredParameters(schema) },
    startup: { hasOptions: true },
    channelBinding,
    ...(database !== undefined && { database }),
    ...(schema !== undefined && { schema }),
  };
  if (hosts.length > 1 || session !== 'any')
    return { ...reach, hosts: hosts.map(({ name }) => name).join(), find: hostSearch(server, common) };
  if (host?.includes(',')) throw malformedUrl('must contain the hosts, because PGHOST can contain only one host');
  return reach;
}

function readable<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw malformedUrl(toError(error).message);
  }
}

function clientOf(config: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client(config);
  } catch {
    // The cause is omitted, because it contains the URL.
    throw malformedUrl('has an invalid parameter: check its parameters, such as the paths of certificate files');
  }
}

/** `fault` is appended to the name of the setting. */
function malformedUrl(fault: string) {
  return Object.assign(new Error(`DATABASE_URL ${fault}`), { code: 'MALFORMED_URL' as const, fault });
}
