import { isIP } from 'node:net';
import { z } from 'zod';
import { parseUsageRetention } from '#accounts/ledger/usage-retention-periods';
import { DAY } from '#core/clock';
import { parseServerUrl } from '#database/server-url';
import { mailFaults, sender, smtpUrl } from '#notifications/settings';
import { parseNetworks } from '#notifications/webhooks/public-address';
import { MARKET_SOURCES, parseMarketSources } from '#prices/model/market-sources';
import { parseRetention } from '#prices/model/retention-periods';
import { parseRefreshSchedule } from '#prices/refresh/refresh-schedule';
import { COINGECKO_PLAN_NAMES, coinGeckoPlan } from '#prices/sources/coingecko-plans';
import { keyedUrls, lineUp } from '#statistics/configured-sources';
import {
  baseUrl,
  bitcoinUrl,
  chainUrl,
  httpUrl,
  linkTemplate,
  nodeUrls,
  upToEight,
} from './settings-urls.ts';

/** The settings do not hold; `faults` has a line for each that is wrong. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`);

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });
const oneOf = <const Name extends string>(...names: readonly Name[]) =>
  z.enum(names, `must be ${alternatives.format(names)}`);

/** What goes out as a header: with anything else in it no call could be made. */
const upstreamKey = z.string().regex(/^[!-~]+$/, 'must be printable ASCII characters without a space');

const origins = z
  .string()
  .transform((text) => text.split(',').map((origin) => origin.trim()))
  .refine(
    (list) => list.every((origin) => origin === '*' || URL.parse(origin)?.origin === origin),
    'must be origins like https://app.example.org, separated by commas, or *',
  );

const isAddress = (text: string) => {
  const [address = '', bits] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address) as 0 | 4 | 6];
  return bits === undefined ? width > 0 : /^\d{1,3}$/.test(bits) && Number(bits) <= width;
};

/** The proxies in front: how many, or which addresses. */
const proxies = z
  .string()
  .transform((text): number | string[] =>
    /^\d{1,2}$/.test(text) ? Number(text) : text.split(',').map((one) => one.trim()),
  )
  .refine(
    (given) => typeof given === 'number' || given.every(isAddress),
    'must be a number of proxies, or their addresses like 10.0.0.0/8, separated by commas',
  );

/** A text that a parser of the domain reads; what it throws says what is wanted. */
const readBy = <T>(parse: (text: string) => T) =>
  z.string().transform((text, context): T => {
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
      return z.NEVER;
    }
  });

/** Each setting of the environment: its name, its form and its default. */
const variables = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: whole(0, 65_535).default(8080),
  BASE_PATH: z
    .string()
    .regex(/^(\/[A-Za-z0-9._~-]+)*$/, 'must be empty or like /market, without a slash at its end')
    .default(''),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:/, 'must be a postgresql:// URL')
    .pipe(readBy((text) => parseServerUrl(text) && text))
    .optional(),
  DATA_DIR: z.string().default('./data'),
  COINGECKO_URL: httpUrl.optional(),
  COINGECKO_API_KEY: upstreamKey.optional(),
  COINGECKO_PLAN: oneOf(...COINGECKO_PLAN_NAMES).default('public'),
  COINGECKO_CALLS_PER_MINUTE: whole(0, 1_000_000).optional(),
  COINGECKO_CALLS_PER_MONTH: whole(0, 1_000_000_000).optional(),
  COINGECKO_REFRESH: readBy(parseRefreshSchedule).default({}),
  MARKET_SOURCES: readBy(parseMarketSources).default([...MARKET_SOURCES]),
  KRAKEN_URL: httpUrl.default('https://api.kraken.com/0/public'),
  MARKET_RETENTION: readBy(parseRetention).default({}),
  EXCHANGE_RATES_URL: httpUrl.or(z.literal('off')).default('https://data-api.ecb.europa.eu/service'),
  CRYPTOCOMPARE_URL: httpUrl.default('https://min-api.cryptocompare.com'),
  CRYPTOCOMPARE_API_KEY: upstreamKey.optional(),
  SOLANA_RPC_URL: upToEight(httpUrl).default([
    'https://api.mainnet-beta.solana.com',
    'https://solana-rpc.publicnode.com',
  ]),
  ARWEAVE_URL: upToEight(chainUrl).default(['https://arweave.net', 'https://turbo-gateway.com']),
  BITCOIN_STATS_URL: upToEight(bitcoinUrl).default(['https://blockchain.info', 'https://mempool.space/api']),
  ETHEREUM_STATS_URL: upToEight(chainUrl).default([
    'https://eth.blockscout.com/api/v2',
    'https://api.blockscout.com/1/api/v2',
  ]),
  ETHEREUM_STATS_API_KEY: upstreamKey.optional(),
  WEBHOOK_ALLOW: readBy(parseNetworks).default([]),
  NODE_URLS: nodeUrls.default([]),
  NODE_DIALECT: oneOf('auto', 'legacy', 'cosmos').default('auto'),
  NODE_CHAIN_ID: z
    .string()
    .regex(/^[\x21-\x7e]{1,50}$/, 'must be the id of a chain, like cosmoshub-4')
    .optional(),
  EXPLORER_TX_URL: linkTemplate('hash').optional(),
  EXPLORER_ADDRESS_URL: linkTemplate('address').optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: sender.optional(),
  PUBLIC_URL: baseUrl.optional(),
  UPSTREAM_TIMEOUT_MS: whole(100, 120_000).default(5000),
  BURST_PER_SECOND: whole(0, 1_000_000).default(50),
  USAGE_RETENTION: readBy(parseUsageRetention).default(400 * DAY),
  REGISTRATION: oneOf('open', 'verified', 'closed').default('open'),
  REGISTRATIONS_PER_MINUTE: whole(0, 1_000_000).default(30),
  TRUST_PROXY: proxies.optional(),
  CORS_ORIGINS: origins.default([]),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be a level like info or warn')
    .default('info'),
  LOG_REQUESTS: oneOf('all', 'errors', 'none').default('errors'),
  METRICS_HOST: z.string().default('127.0.0.1'),
  METRICS_PORT: whole(0, 65_535).optional(),
  SHUTDOWN_GRACE_MS: whole(0, 600_000).default(10_000),
});

export type SettingName = keyof typeof variables.shape;

/** The name of every setting of the environment. */
export const SETTING_NAMES = Object.keys(variables.shape) as SettingName[];

/** Settings as an environment has them. */
export type Environment = Partial<Record<SettingName, string>>;

/** The settings that an environment sets; an empty value counts as unset. */
export const settingsIn = (env: Readonly<Record<string, string | undefined>> = process.env): Environment =>
  Object.fromEntries(SETTING_NAMES.filter((name) => env[name]).map((name) => [name, env[name]]));

const environment = variables
  .refine((env) => env.ETHEREUM_STATS_API_KEY === undefined || keyedUrls(env.ETHEREUM_STATS_URL).length > 0, {
    path: ['ETHEREUM_STATS_API_KEY'],
    message: 'is for a URL like https://api.blockscout.com/1/api/v2: ETHEREUM_STATS_URL has none',
  })
  .superRefine((env, context) => {
    for (const [name, message] of mailFaults(env))
      context.addIssue({ code: 'custom', path: [name], message });
  });

/**
 * The settings of the service, read from the environment; an empty value counts as unset.
 * Throws `SettingsError` with a line for each fault. No value is repeated in a fault: it may be a secret.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>> = process.env) {
  const parsed = environment.safeParse(settingsIn(env));
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`));
  }
  const { data } = parsed;
  const plan = coinGeckoPlan(data.COINGECKO_PLAN);
  return {
    host: data.HOST,
    port: data.PORT,
    basePath: data.BASE_PATH,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    coingecko: {
      url: data.COINGECKO_URL ?? plan.url,
      plan: data.COINGECKO_PLAN,
      apiKey: data.COINGECKO_API_KEY,
      budget: {
        perMinute: data.COINGECKO_CALLS_PER_MINUTE ?? plan.budget.perMinute,
        perMonth: data.COINGECKO_CALLS_PER_MONTH ?? plan.budget.perMonth,
      },
      schedule: { ...plan.schedule, ...data.COINGECKO_REFRESH },
    },
    marketSources: data.MARKET_SOURCES,
    kraken: { url: data.KRAKEN_URL },
    retention: data.MARKET_RETENTION,
    exchangeRatesUrl: data.EXCHANGE_RATES_URL === 'off' ? undefined : data.EXCHANGE_RATES_URL,
    statistics: lineUp({
      cryptocompare: { url: data.CRYPTOCOMPARE_URL, apiKey: data.CRYPTOCOMPARE_API_KEY },
      bitcoin: data.BITCOIN_STATS_URL,
      ethereum: { urls: data.ETHEREUM_STATS_URL, apiKey: data.ETHEREUM_STATS_API_KEY },
      solana: data.SOLANA_RPC_URL,
      arweave: data.ARWEAVE_URL,
    }),
    node: {
      urls: data.NODE_URLS,
      dialect: data.NODE_DIALECT,
      chainId: data.NODE_CHAIN_ID,
      explorer: { transaction: data.EXPLORER_TX_URL, address: data.EXPLORER_ADDRESS_URL },
    },
    /** Where mails are sent from, if they are. */
    mail:
      data.SMTP_URL && data.MAIL_FROM !== undefined && data.PUBLIC_URL !== undefined
        ? { smtp: data.SMTP_URL, from: data.MAIL_FROM, publicUrl: data.PUBLIC_URL }
        : undefined,
    webhookAllow: data.WEBHOOK_ALLOW,
    upstreamTimeoutMs: data.UPSTREAM_TIMEOUT_MS,
    burstPerSecond: data.BURST_PER_SECOND,
    usageRetention: data.USAGE_RETENTION,
    registration: data.REGISTRATION,
    registrationsPerMinute: data.REGISTRATIONS_PER_MINUTE,
    trustProxy: data.TRUST_PROXY,
    corsOrigins: data.CORS_ORIGINS,
    logLevel: data.LOG_LEVEL,
    logRequests: data.LOG_REQUESTS,
    metrics: { host: data.METRICS_HOST, port: data.METRICS_PORT },
    shutdownGraceMs: data.SHUTDOWN_GRACE_MS,
  };
}

export type Settings = ReturnType<typeof readSettings>;
