import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readSettings, SETTING_NAMES } from '#settings';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** The values that the example sets, and the values that it shows as defaults, by name. */
const shown = new Map(
  [...read('.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
);
const composed = new Set([...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name));

/** Settings without a default, or with a default that depends on the plan. */
const UNSET = [
  'BASE_PATH',
  'DATABASE_URL',
  'COINGECKO_API_KEY',
  'COINGECKO_URL',
  'COINGECKO_CALLS_PER_MINUTE',
  'COINGECKO_CALLS_PER_MONTH',
  'COINGECKO_REFRESH',
  'MARKET_RETENTION',
  'CRYPTOCOMPARE_API_KEY',
  'ETHEREUM_STATS_API_KEY',
  'NODE_CHAIN_ID',
  'NODE_URLS',
  'EXPLORER_TX_URL',
  'EXPLORER_ADDRESS_URL',
  'SMTP_URL',
  'MAIL_FROM',
  'PUBLIC_URL',
  'TRUST_PROXY',
  'PROCESS_URL',
  'WEBHOOK_ALLOW',
  'CORS_ORIGINS',
  'METRICS_PORT',
  'ADMIN_PORT',
  'ADMIN_TOKEN',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
];

it(".env.example contains exactly the service's settings and the compose file's variables", () => {
  expect(new Set(shown.keys())).toEqual(new Set([...SETTING_NAMES, ...composed]));
});

it('.env.example shows the actual defaults', () => {
  expect(readSettings(Object.fromEntries(shown))).toEqual(readSettings({}));
  const empty = SETTING_NAMES.filter((name) => shown.get(name) === '');
  expect(empty.sort()).toEqual([...UNSET].sort());
});

it('.env.example sets only the password, and the compose file contains no password', () => {
  const set = [...read('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
  expect(set).toEqual(['POSTGRES_PASSWORD']);
  const passwords = [...read('docker-compose.yml').matchAll(/PASSWORD: (.*)$/gm)].map(([, value]) => value);
  expect(passwords.length).toBeGreaterThan(0);
  for (const value of passwords) expect(value).toMatch(/^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/);
});
