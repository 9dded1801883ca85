import { isIP } from 'node:net';
import { z } from 'zod';
import { accountSettings, accountVariables } from '#accounts/settings';
import { baseUrl, oneOf, readBy, SettingsError, whole } from '#core/setting-forms';
import { parseServerUrl } from '#database/hosts';
import { nodeSettings, nodeVariables } from '#node/settings';
import { mailFaults, notificationSettings, notificationVariables } from '#notifications/settings';
import { operatorFaults, operatorSettings, operatorVariables } from '#operator/settings';
import { priceSettings, priceVariables } from '#prices/settings';
import { statisticsFaults, statisticsSettings, statisticsVariables } from '#statistics/settings';

const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .refine(
    (list) => list.every((origin) => origin === '*' || URL.parse(origin)?.origin === origin),
    'must be * or a comma-separated list of origins, such as https://app.example.org',
  );

const isAddress = (text: string) => {
  const [address = '', bits] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
  return bits === undefined ? width > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= width;
};

const proxies = z
  .string()
  .transform((text): number | string[] =>
    /^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((one) => one.trim()),
  )
  .refine(
    (given) => typeof given === 'number' || given.every(isAddress),
    'must be the number of proxies, or a comma-separated list of proxy addresses, such as 10.0.0.0/8',
  );

const share = z
  .string()
  .refine((text) => /^(0|1|0?\.\d{1,9}|1\.0+)$/.test(text), 'must be a number from 0 to 1')
  .transform(Number);

const { WEBHOOK_ALLOW, ...mailVariables } = notificationVariables;

/** The settings. Faults are reported in this order. */
const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be empty, or a path without a trailing slash, such as /market')
    .default(''),
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
  TRUST_PROXY: proxies.optional(),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a level such as info or warn')
    .default('info'),
  LOG_REQUESTS: oneOf('all', 'errors', 'none').default('errors'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: whole(0, 65_535).optional(),
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
export const SETTING_NAMES = Object.keys(variables.shape) as SettingName[];
export type Environment = Partial<Record<SettingName, string>>;

export const settingsIn = (env: Readonly<Record<string, string | undefined>> = process.env): Environment =>
  Object.fromEntries(SETTING_NAMES.filter((name) => env[name]).map((name) => [name, env[name]]));

const environment = variables.superRefine((env, context) => {
  for (const [name, message] of [...statisticsFaults(env), ...mailFaults(env), ...operatorFaults(env)])
    context.addIssue({ code: 'custom', path: [name], message });
});

function tracingSettings(env: z.output<typeof variables>) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share } = env;
  if (endpoint === undefined) return undefined;
  const ratio = sampler.endsWith('always_on') ? 1 : sampler.endsWith('always_off') ? 0 : share;
  return { endpoint, sampling: { followsParent: sampler.startsWith('parentbased_'), ratio } };
}

/** An empty value counts as unset. Throws `SettingsError`, whose faults never repeat a value, which may be a secret. */
export function readSettings(env: Readonly<Record<string, string | undefined>> = process.env) {
  const parsed = environment.safeParse(settingsIn(env));
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`));
  }
  const { data } = parsed;
  return {
    ...priceSettings(data),
    ...statisticsSettings(data),
    ...nodeSettings(data),
    ...notificationSettings(data),
    ...accountSettings(data),
    ...operatorSettings(data),
    host: data.HOST,
    port: data.PORT,
    basePath: data.BASE_PATH,
    publicUrl: data.PUBLIC_URL,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    upstreamTimeoutMs: data.UPSTREAM_TIMEOUT_MS,
    trustProxy: data.TRUST_PROXY,
    corsOrigins: data.CORS_ORIGINS,
    logLevel: data.LOG_LEVEL,
    logRequests: data.LOG_REQUESTS,
    metrics: { host: data.METRICS_HOST, port: data.METRICS_PORT },
    tracing: tracingSettings(data),
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
  };
}

export type Settings = ReturnType<typeof readSettings>;
