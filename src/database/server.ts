import pg from 'pg';
import type { Clock } from '#core/clock';
import { searchingClient } from './hosts.ts';
import { COMMON, openPool, type Reach } from './pool.ts';
import { parseServerUrl, type ServerUrl } from './server-url.ts';

/**
 * Connections to a server, brought up to this release's migrations. Throws as `openDatabase` tells.
 * @param statementMs how long a statement may take, those of the migrations apart; as long as it takes where left out
 */
export async function openServer(url: string, poolSize: number, clock: Clock, statementMs?: number) {
  const config = serverConfig(url);
  return { kind: 'server' as const, ...(await openPool({ config, clock, poolSize, statementMs })) };
}

/** How a client of `pg` reaches the server of a URL. Throws as `openDatabase` does for a malformed URL. */
export function serverConfig(url: string): Reach {
  const server = parsed(url);
  const [first] = server.hosts;
  const config = { ...COMMON, connectionString: first?.url };
  const client = clientOf(config);
  if (server.hosts.length > 1 || server.session !== 'any')
    return { ...config, Client: searchingClient(server, COMMON) };
  if (client.host?.includes(','))
    throw malformedUrl('must name the hosts itself: PGHOST may have one host only');
  return config;
}

function parsed(url: string): ServerUrl {
  try {
    return parseServerUrl(url);
  } catch (error) {
    throw malformedUrl((error as Error).message);
  }
}

function clientOf(config: pg.ClientConfig): pg.Client {
  try {
    return new pg.Client(config);
  } catch {
    // Without the cause, which holds the URL.
    throw malformedUrl('has a parameter that cannot be used, such as a certificate file that cannot be read');
  }
}

/** `fault` follows the name of the setting. */
function malformedUrl(fault: string) {
  return Object.assign(new Error(`DATABASE_URL ${fault}`), { code: 'MALFORMED_URL' as const, fault });
}
