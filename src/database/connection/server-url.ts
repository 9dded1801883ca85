import { type Parameters, readOptions } from './parameters.ts';

/** Which server to use: any reachable server, a server that accepts writes, or a server that is not a standby. */
const SESSIONS = ['any', 'read-write', 'primary'] as const;
export type TargetSession = (typeof SESSIONS)[number];

/** Whether the authentication must prove that the TLS connection ends at the server: never, if offered, or always. */
const CHANNEL_BINDINGS = ['disable', 'prefer', 'require'] as const;
export type ChannelBinding = (typeof CHANNEL_BINDINGS)[number];

export type ServerUrl = {
  hosts: readonly { name: string; url: string }[];
  session: TargetSession;
  channelBinding: ChannelBinding;
  database: string | undefined;
  schema: string | undefined;
  options: Parameters;
};

const FORM =
  'must have the form postgresql://user:password@host:port/database, with special characters percent-encoded';

// If an unescaped `@`, `/`, `?` or `#` were accepted, part of a password would be displayed as the host name.
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(\/[^@?#]*)?(?:\?([^@#]*))?$/;
/** A name, an address, an IPv6 address in brackets, or a percent-encoded socket path, followed by an optional port. */
const HOST = /^(\[[0-9A-Fa-f:.]+\]|[^[\]:,]*)(?::(\d*))?$/;
/** The number of hosts is limited, because they share one deadline. */
const MAX_HOSTS = 8;
const DEFAULT_PORT = '5432';
/** Parameters that this module reads. They are removed from each host's URL. */
const READ = ['host', 'port', 'target_session_attrs', 'load_balance_hosts', 'channel_binding', 'schema', 'options'];
/** Parameters that `pg` reads. It ignores other parameters. */
const PASSED = 'user password ssl sslmode sslcert sslkey sslrootcert sslnegotiation uselibpqcompat'.split(' ');
const SUPPORTED = [...READ, ...PASSED];
/** Parameters that have a fixed set of values. `pg` ignores or fails to read other values. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  target_session_attrs: SESSIONS,
  // The hosts are tried in the given order.
  load_balance_hosts: ['disable'],
  channel_binding: CHANNEL_BINDINGS,
  ssl: ['true', 'false', '1', '0', 'no-verify'],
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
};
/** `pg` treats these modes like `verify-full`, and prints a warning of eight lines for each. */
const STRICT_MODES = ['prefer', 'require', 'verify-ca'];
/** PostgreSQL truncates longer names. */
const MAX_NAME = 63;
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

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function assertValues(parameter: (name: string) => string | undefined): void {
  for (const [name, values] of Object.entries(VALUES)) {
    const value = parameter(name);
    if (value !== undefined && !values.includes(value))
      throw fault(`must set the parameter ${name} to ${alternatives.format(values)}`);
  }
}

/** Replaces values with equivalents that `pg` reads without a fault or a warning. */
function normalizeTls(parameters: URLSearchParams): void {
  if (parameters.get('ssl') === 'false') parameters.set('ssl', '0');
  if (parameters.get('uselibpqcompat') !== 'true' && STRICT_MODES.includes(parameters.get('sslmode') ?? ''))
    parameters.set('sslmode', 'verify-full');
}

/** Prisma does not escape quotes in a schema's name. */
function readSchema(text: string): string {
  if (Buffer.byteLength(text) > MAX_NAME || /["\0]|^pg_|^information_schema$/.test(text))
    throw fault(
      `must set the parameter schema to a name of at most ${MAX_NAME} bytes without double quotes that PostgreSQL does not reserve`,
    );
  return text;
}

/**
 * Like libpq, accepts several hosts, `target_session_attrs`, and the parameters `host` and `port`. Throws `RangeError`,
 * whose message continues the setting's name and repeats no part of the URL.
 */
export function parseServerUrl(text: string): ServerUrl {
  const [, start = '', authority = '', path = '', query] = PARTS.exec(text) ?? [];
  if (start === '') throw fault(FORM);
  const parameters = new URLSearchParams(query);
  // Like libpq, uses the last value of a repeated parameter.
  const parameter = (name: string) => parameters.getAll(name).at(-1) || undefined;
  const unknown = [...parameters.keys()].find((name) => !SUPPORTED.includes(name));
  if (unknown !== undefined)
    throw fault(
      `must not have the parameter ${unknown.slice(0, MAX_NAME)}: the supported parameters are ${SUPPORTED.join(', ')}`,
    );
  assertValues(parameter);
  const session = (parameter('target_session_attrs') ?? 'any') as TargetSession;
  const channelBinding = (parameter('channel_binding') ?? 'disable') as ChannelBinding;

  const inQuery = parameter('host')?.split(',').map(toAuthority);
  const named = (inQuery ?? authority.split(',')).map(readHost);
  const ports = portsOf(parameter('port') ?? named.map(({ port }) => port).join(), named.length);
  const isOne = named.length === 1;
  if (named.length > MAX_HOSTS) throw fault(`must contain at most ${MAX_HOSTS} hosts`);
  if (!isOne && named.some(({ host }) => host === '')) throw fault('must contain a name for each host in the list');

  const schema = parameter('schema');
  const options = readOptions(parameter('options') ?? '');
  for (const name of new Set(parameters.keys())) parameters.set(name, parameter(name) ?? '');
  for (const name of READ) parameters.delete(name);
  normalizeTls(parameters);
  const rest = parameters.size > 0 ? `?${parameters}` : '';
  const hosts = named.map(({ host }, i) => {
    const { port } = readHost(`host:${ports[i]}`);
    const place = isOne ? `${host}${port && `:${port}`}` : `${host}:${port || DEFAULT_PORT}`;
    return { name: decoded(place), url: `${start}${place}${path}${rest}` };
  });
  return {
    hosts,
    session,
    channelBinding,
    database: decoded(path.slice(1)) || undefined,
    schema: schema && readSchema(schema),
    options,
  };
}
