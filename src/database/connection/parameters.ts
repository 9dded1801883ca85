export type Parameters = Readonly<Record<string, string>>;

/**
 * The parameters on which the service's results depend. A statement that waited for a row must see the row's new
 * version, so the isolation level is `read committed`. The README states why `jit` is off.
 */
const REQUIRED: Parameters = {
  client_encoding: 'UTF8',
  TimeZone: 'UTC',
  DateStyle: 'ISO, YMD',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  quote_all_identifiers: 'off',
  default_transaction_isolation: 'read committed',
  jit: 'off',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  statement_timeout: '0',
};

export const requiredParameters = (schema = 'public'): Parameters => ({
  ...REQUIRED,
  search_path: `"${schema.replaceAll('"', '""')}"`,
});

const FIXED = new Set([...Object.keys(REQUIRED), 'search_path'].map((name) => name.toLowerCase()));
const ASSIGNMENT = /^(?:-c|--)([\w.-]+)=(.*)$/s;

/** Reads `-c name=value …`, with escaped spaces. Throws `RangeError`, whose message continues the setting's name. */
export function readOptions(text: string): Parameters {
  const parameters: Record<string, string> = {};
  const words = text.match(/(?:\\.|[^\s\\])+/gs) ?? [];
  for (const [at, word] of words.entries()) {
    if (word === '-c' && at + 1 < words.length) continue;
    const [, name = '', value = ''] = ASSIGNMENT.exec(words[at - 1] === '-c' ? `-c${word}` : word) ?? [];
    if (name === '') throw new RangeError('must contain only -c name=value in the parameter options');
    if (FIXED.has(name.toLowerCase()))
      throw new RangeError(`must not set ${name} in the parameter options, because the service sets it`);
    parameters[name.replaceAll('-', '_')] = value.replace(/\\(.)/gs, '$1');
  }
  return parameters;
}

/** The startup parameter `options`, which has precedence over the settings of the server, the database and the role. */
export const toOptions = (parameters: Parameters): string =>
  Object.entries(parameters)
    .map(([name, value]) => `-c ${name}=${value.replace(/[\s\\]/g, '\\$&')}`)
    .join(' ');

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** A statement that sets the parameters until the transaction ends, and returns no rows. */
export const toStatement = (parameters: Parameters): string =>
  `SELECT WHERE ${Object.entries(parameters)
    .map(([name, value]) => `set_config(${literal(name)}, ${literal(value)}, true) IS NULL`)
    .join(' OR ')}`;
