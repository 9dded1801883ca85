import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { toError } from '#core/errors';
import { type Network, parseNetworks } from '#core/forms/network-address';
import { baseUrl, listenerAt, oneOf, portOrOff, readBy, SettingsError, whole } from '#core/forms/setting-forms';
import { memberNames } from '#core/names';
import { parseServerUrl } from '#database/connection/server-url';
import { ledgerSettings, ledgerVariables } from '#ledger/ledger-settings';
import { nodeSettings, nodeVariables } from '#node/node-settings';
import { mailFaults, notificationSettings, notificationVariables } from '#notifications/notifications-settings';
import { operatorFaults, operatorSettings, operatorVariables } from '#operator/operator-settings';
import { priceSettings, priceVariables } from '#prices/prices-settings';
import { statisticsFaults, statisticsSettings, statisticsVariables } from '#statistics/statistics-settings';
import { accountSettings, accountVariables } from '#users/users-settings';

const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .refine(
    (list) => list.every((origin) => origin === '*' || (URL.parse(origin)?.origin === origin && !origin.includes('*'))),
    'must be * or a comma-separated list of origins, such as https://app.example.org',
  );

const proxies = readBy((text): number | readonly Network[] => {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  try {
    return parseNetworks(text);
  } catch {
    throw new Error('must be the number of proxies, or a comma-separated list of proxy addresses, such as 10.0.0.0/8');
  }
});

const PATH = /^(\/[A-Za-z0-9._~-]+)*$/;

const PUBLIC_PATH = 'must have a path of letters, digits and . _ ~ -, or none, such as https://example.org/market';

const share = z
  .string()
  .refine((text) => /^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text), 'must be a number from 0 to 1')
  .transform(Number);

const { WEBHOOK_ALLOW, ...mailVariables } = notificationVariables;

/** The port that Prometheus expects of an OpenTelemetry exporter. */
const METRICS_PORT = 9464;

/** The settings. Faults are reported in this order. */
const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  BASE_PATH: z.string().regex(PATH, 'must be empty, or a path without a trailing slash, such as /market').default(''),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:/, 'must be a postgresql:// URL')
    .pipe(readBy((text) => parseServerUrl(text) && text))
    .optional(),
  DATA_DIR: z.string().default('./data'),
  ...priceVariables,
  ...statisticsVariables,
  WEBHOOK_ALLOW,
  ...nodeVariables,
  ...mailVariables,
  UPSTREAM_TIMEOUT_MS: whole(100, 120_000).default(5000),
  ...accountVariables,
  ...ledgerVariables,
  TRUST_PROXY: proxies.optional(),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a level such as info or warn')
    .default('info'),
  LOG_REQUESTS: oneOf('all', 'errors', 'none').default('errors'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: portOrOff.optional(),
  ...operatorVariables,
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional(),
  OTEL_TRACES_SAMPLER: oneOf(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  ).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: share.default(1),
  SHUTDOWN_GRACE_MS: whole(0, 600_000).default(10_000),
});

export type SettingName = keyof typeof variables.shape;
export const SETTING_NAMES = memberNames(variables.shape);
export type Environment = Partial<Record<SettingName, string>>;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** If a secret was set in place of the path, it is not repeated. */
const nameOf = (path: string) => (path.includes('/') && !path.includes('://') ? path : 'the file');

/** Returns the value of a setting from the file that `NAME_FILE` names, or why the file is unusable. */
function readSettingFile(name: string, path: string): { path: string; value: string } | { fault: string } {
  let value: string;
  try {
    value = readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code = '' } = toError(error);
    return { fault: `${name}_FILE: cannot read ${nameOf(path)}: ${REASONS[code] ?? code}` };
  }
  if (value === '') return { fault: `${name}_FILE: ${nameOf(path)} is empty` };
  if (/[\r\n]/.test(value)) return { fault: `${name}_FILE: ${nameOf(path)} must contain a single line` };
  return { path, value };
}

/** The values by name, and the path of the file of each value that comes from one. */
type Given = { values: Environment; files: Partial<Record<SettingName, string>> };

/** Trims each value: `docker run --env-file` keeps trailing spaces, carriage returns and quotes. */
function givenIn(env: Readonly<Record<string, string | undefined>>): Given {
  const environment: Given = { values: {}, files: {} };
  const faults: string[] = [];
  for (const name of SETTING_NAMES) {
    const value = env[name]?.trim();
    const path = env[`${name}_FILE`]?.trim();
    if (value) environment.values[name] = value;
    if (!path) continue;
    if (value) {
      faults.push(`${name} and ${name}_FILE are both set: remove one of them`);
      continue;
    }
    const file = readSettingFile(name, path);
    if ('fault' in file) {
      faults.push(file.fault);
      continue;
    }
    environment.values[name] = file.value;
    environment.files[name] = file.path;
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return environment;
}

/** The settings of an environment, with the contents of the files that it names. Throws `SettingsError`. */
export const settingsIn = (env: Readonly<Record<string, string | undefined>> = process.env): Environment =>
  givenIn(env).values;

/** No setting has a value in quotes. A directory with quotes in its name would be an empty database. */
const isQuoted = (value: string) => /^(["']).*\1$/s.test(value);

const environment = variables.superRefine((env, context) => {
  for (const [name, message] of [...statisticsFaults(env), ...mailFaults(env), ...operatorFaults(env)])
    context.addIssue({ code: 'custom', path: [name], message });
  if (!PATH.test(publicPath(env.PUBLIC_URL)))
    context.addIssue({ code: 'custom', path: ['PUBLIC_URL'], message: PUBLIC_PATH });
});

function tracingSettings(env: z.output<typeof variables>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share } = env;
  if (endpoint === undefined) return undefined;
  const ratio = sampler.endsWith('always_on') ? 1 : sampler.endsWith('always_off') ? 0 : share;
  const { hostname: address = env.HOST, protocol = 'http:' } = URL.parse(env.PUBLIC_URL ?? '') ?? {};
  const server = { address, scheme: protocol.slice(0, -1) };
  return { endpoint, sampling: { followsParent: sampler.startsWith('parentbased_'), ratio }, server };
}

/** The path under which clients see the service. A proxy in front may strip or replace it. */
const publicPath = (url: string | undefined): string => URL.parse(url ?? '')?.pathname.replace(/\/$/, '') ?? '';

/** An empty value counts as unset. Throws `SettingsError`, whose faults never repeat a value, which may be a secret. */
export function readSettings(env: Readonly<Record<string, string | undefined>> = process.env) {
  const { values, files } = givenIn(env);
  const named = (name: string) => (name in files ? `${name} in ${files[name as SettingName]}` : name);
  const quoted = Object.entries(values).filter(([, value]) => isQuoted(value));
  if (quoted.length > 0) throw new SettingsError(quoted.map(([name]) => `${named(name)} must not be in quotes`));
  const parsed = environment.safeParse(values);
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.map(({ path, message }) => `${named(path.join('.'))} ${message}`));
  }
  const { data } = parsed;
  return {
    ...priceSettings(data),
    ...statisticsSettings(data),
    ...nodeSettings(data),
    ...notificationSettings(data),
    ...accountSettings(data),
    ...ledgerSettings(data),
    ...operatorSettings(data),
    host: data.HOST,
    port: data.PORT,
    basePath: publicPath(data.PUBLIC_URL) || data.BASE_PATH,
    receivedPath: data.BASE_PATH,
    publicUrl: data.PUBLIC_URL,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    upstreamTimeoutMs: data.UPSTREAM_TIMEOUT_MS,
    trustProxy: data.TRUST_PROXY,
    corsOrigins: data.CORS_ORIGINS,
    logLevel: data.LOG_LEVEL,
    logRequests: data.LOG_REQUESTS,
    metrics: listenerAt(data.METRICS_HOST, data.METRICS_PORT, METRICS_PORT),
    tracing: tracingSettings(data),
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
  };
}

export type Settings = ReturnType<typeof readSettings>;
