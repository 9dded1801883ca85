import pg from 'pg';
import { parseServerUrl, type ServerUrl, searchingClient } from './hosts.ts';
import { COMMON, type Reach } from './pool.ts';

/** Throws an Error with code `MALFORMED_URL`. */
export function serverConfig(url: string): Reach {
  const server = parsed(url);
  const [first] = server.hosts;
  const config = { ...COMMON, connectionString: first?.url };
  const client = clientOf(config);
  if (server.hosts.length > 1 || server.session !== 'any')
    return { ...config, Client: searchingClient(server, COMMON) };
  if (client.host?.includes(','))
    throw malformedUrl('must contain the hosts, because PGHOST can contain only one host');
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
    // Omits the cause, because it contains the URL.
    throw malformedUrl('has an invalid parameter: check its parameters, such as the paths of certificate files');
  }
}

/** `fault` is appended to the name of the setting. */
function malformedUrl(fault: string) {
  return Object.assign(new Error(`DATABASE_URL ${fault}`), { code: 'MALFORMED_URL' as const, fault });
}
