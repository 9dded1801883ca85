import { afterAll, beforeAll, expect, it } from 'vitest';
import { demoEnvironment } from '#cli/demo-environment';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { type Environment, readSettings, SETTING_NAMES } from '#settings';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ plan: 'pro' });
});
afterAll(() => sandbox.close());

const demo = (given: Environment, dialect: 'cosmos' | 'legacy' = 'cosmos') =>
  demoEnvironment(given, { sandbox, dialect, mailUrl: 'smtp://127.0.0.1:2525', dataDir: '/tmp/demo' });

it('passes each declared setting on unchanged, or lists it as overridden', () => {
  expect(SETTING_NAMES).toContain('SHUTDOWN_GRACE_MS');
  const given = Object.fromEntries(SETTING_NAMES.map((name) => [name, `given ${name}`])) as Environment;
  const { environment, overridden } = demo(given);
  const passed = SETTING_NAMES.filter((name) => environment[name] === given[name]);
  expect([...passed, ...overridden].sort()).toEqual([...SETTING_NAMES].sort());
  const ofUpstreams =
    /^(DATA|COINGECKO_(URL|API|PLAN)|KRAKEN|CRYPTO|SOLANA|ARWEAVE|.*_STATS|NODE|EXPLORER|EXCHANGE|SMTP)/;
  expect(overridden.filter((name) => !ofUpstreams.test(name))).toEqual([]);
});

it('does not adopt secrets of upstreams or databases', () => {
  const { environment, overridden } = demo({
    ...{ DATABASE_URL: 'postgresql://x', COINGECKO_API_KEY: 'x', ETHEREUM_STATS_API_KEY: 'x' },
    ...{ CRYPTOCOMPARE_API_KEY: 'x', SMTP_URL: 'smtp://x', NODE_URLS: 'http://x:y@z' },
  });
  const settings = readSettings(environment);
  expect([settings.databaseUrl, settings.coingecko.apiKey]).toEqual([undefined, undefined]);
  expect(overridden).toHaveLength(6);
});

it('lists no setting that is not set or has the same value', () => {
  expect(demo({}).overridden).toEqual([]);
  const { environment } = demo({ NODE_DIALECT: 'auto', LOG_LEVEL: 'warn' });
  expect(demo(environment).overridden).toEqual([]);
  expect(demo({ NODE_DIALECT: 'legacy' }, 'legacy').overridden).toEqual([]);
  expect(demo({ NODE_DIALECT: 'legacy' }).overridden).toEqual(['NODE_DIALECT']);
});

it.each([
  [{}, 'error'],
  [{ LOG_REQUESTS: 'all' }, 'info'],
  [{ LOG_REQUESTS: 'all', LOG_LEVEL: 'warn' }, 'warn'],
] as const)('with %j, logs at level %s', (given, level) => {
  expect(readSettings(demo(given).environment).logLevel).toBe(level);
});
