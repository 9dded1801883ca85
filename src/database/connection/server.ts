import pg from 'pg';
import { toError } from '#core/errors';
import { bindingConfig } from './channel-binding.ts';
import { COMMON, type Reach } from './client.ts';
import { hostSearch } from './hosts.ts';
import { readOptions, requiredParameters } from './parameters.ts';
import { parseServerUrl } from './server-url.ts';

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
