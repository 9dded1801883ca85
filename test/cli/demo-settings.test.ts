import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { startReceiver } from '../support/webhook/receiver.ts';
import { makeDirectory, runProcess, startCommand } from './run-command.ts';

// Each command is a process that opens a database, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

let directory: Awaited<ReturnType<typeof makeDirectory>>;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => directory.remove());

const OVERRIDDEN = /^The demo overrides these settings: (.*)\.$/m;
/** A command line that the demo prints: its settings, the command and its arguments. */
const COMMAND = /^ {2}((?:[A-Z_]+=\S* )+)npx quotient (\w+) (.+)$/gm;

async function startDemo(settings: Record<string, string>, args: readonly string[] = []) {
  const demo = startCommand('demo', args, { TMPDIR: directory.path, PORT: '0', ...settings }, directory.path);
  onTestFinished(() => void demo.kill('SIGTERM'));
  await demo.until('stdout', /Ctrl-C/);
  const { stdout } = demo.output;
  const url = /Console: +(http:\S+)\/$/m.exec(stdout)?.[1] ?? '';
  const key = /Your API key: +(\S+)$/m.exec(stdout)?.[1] ?? '';
  const commands = [...stdout.matchAll(COMMAND)].map(([, assigned = '', name = '', rest = '']) => ({
    env: Object.fromEntries(
      assigned
        .trim()
        .split(' ')
        .map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
    ) as Record<string, string>,
    name,
    args: rest.split(' '),
  }));
  return {
    ...demo,
    url,
    key,
    commands,
    /** Runs one of the printed command lines in a shell with the demo's settings. `instead` replaces its arguments. */
    operate(name: string, ...instead: string[]) {
      const { env = {}, args = [] } = commands.find((one) => one.name === name) ?? {};
      return runProcess(name, instead.length > 0 ? instead : args, { ...settings, ...env });
    },
    call: (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
      fetch(url + path, { ...init, headers: { 'X-API-KEY': key, ...init.headers } }),
    async stop() {
      demo.kill('SIGINT');
      expect((await demo.ended()).code).toBe(0);
    },
  };
}

/** A port that is currently free. */
async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return String(port);
}

const usage = async ({ call }: Pick<Awaited<ReturnType<typeof startDemo>>, 'call'>) =>
  (await (await call('/v1/user/usage')).json()) as { used: number; limit: number };

it('applies the settings of the environment, works with its command lines, and continues with --keep', async () => {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const receiver = await startReceiver();
  const settings = {
    PORT: port,
    BASE_PATH: '/market',
    CORS_ORIGINS: 'https://app.example.org',
    WEBHOOK_ALLOW: '127.0.0.0/8',
    BURST_PER_SECOND: '77',
    REGISTRATION: 'closed',
    LOG_REQUESTS: 'all',
    METRICS_PORT: metricsPort,
    EXCHANGE_RATES_URL: 'off',
  };
  const demo = await startDemo(settings, ['--keep']);
  expect(demo.url).toBe(`http://127.0.0.1:${port}/market`);
  expect(demo.output.stdout).not.toMatch(OVERRIDDEN);

  const latest = await demo.call('/v1/prices/latest/token?tokenName=bitcoin', {
    headers: { Origin: 'https://app.example.org' },
  });
  expect(latest.status).toBe(200);
  expect(latest.headers.get('access-control-allow-origin')).toBe('https://app.example.org');
  expect(latest.headers.get('ratelimit-policy')).toContain('"burst";q=77;w=1');
  await demo.until('stderr', /"request completed"/);
  const inEuros = await demo.call('/v1/prices/latest/token?tokenName=bitcoin&currency=eur');
  expect(inEuros.status).toBe(400);
  const registration = await demo.call('/v1/user/create?name=A&email=a%40example.org&plan=monthly', {
    method: 'POST',
  });
  expect([registration.status, ((await registration.json()) as { code: string }).code]).toEqual([
    ...[403, 'registration_closed'],
  ]);
  const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  expect(await metrics.text()).toContain('quotient_');

  const notices = await demo.call('/v1/user/notices', {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email: false, webhookUrl: receiver.url, thresholds: [1] }),
  });
  expect(notices.status).toBe(200);
  expect((await demo.call('/v1/user/webhook/test', { method: 'POST' })).status).toBe(202);
  await expect.poll(() => receiver.deliveries.length, { timeout: 90_000 }).toBe(1);
  await receiver.close();

  expect(demo.commands.map(({ name }) => name)).toEqual(['users', 'archive', 'tokens', 'database']);
  const listed = await demo.operate('users');
  expect(listed).toMatchObject({ code: 0, stderr: '' });
  expect(listed.stdout).toMatch(/^ +1 +Demo +demo@example\.org +active/m);
  expect(await demo.operate('users', 'limit', '1', '77')).toMatchObject({ code: 0 });
  const status = await demo.operate('archive');
  expect(status).toMatchObject({ code: 0, stderr: '' });
  const added = await demo.operate('tokens');
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const [, token = ''] = /^(\S+): .*, added$/m.exec(added.stdout) ?? [];
  await expect.poll(async () => (await demo.call(`/v1/prices/latest/token?tokenName=${token}`)).status).toBe(200);
  expect(await demo.operate('database', 'backup', join(directory.path, 'demo.gz'))).toMatchObject({ code: 0 });

  const before = await usage(demo);
  await demo.stop();
  const second = await startDemo(settings, ['--keep']);
  expect(second.key).toBe(demo.key);
  const after = await usage(second);
  expect(after.used).toBeGreaterThan(before.used);
  expect(after.limit).toBe(77);
  await second.stop();
  expect((await readdir(directory.path)).sort()).toEqual(['demo-data', 'demo.gz']);
});

it('lists the overridden settings, and only those whose value differs', async () => {
  const demo = await startDemo(
    {
      DATABASE_URL: 'postgresql://root:hunter2@127.0.0.1:1/x',
      DATA_DIR: join(directory.path, 'own'),
      COINGECKO_PLAN: 'pro',
      COINGECKO_API_KEY: 'hunter2',
      KRAKEN_URL: 'http://127.0.0.1:9',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'ada@example.org',
      PUBLIC_URL: 'http://prices.example.org',
      REGISTRATION: 'verified',
      NODE_DIALECT: 'cosmos',
      NODE_CHAIN_ID: 'cosmoshub-4',
      ETHEREUM_STATS_URL: '',
    },
    ['--node', 'legacy'],
  );
  expect(OVERRIDDEN.exec(demo.output.stdout)?.[1]).toBe(
    'DATABASE_URL, DATA_DIR, COINGECKO_API_KEY, KRAKEN_URL, NODE_DIALECT, NODE_CHAIN_ID, SMTP_URL',
  );
  expect(demo.output.stdout).not.toContain('hunter2');
  expect((await demo.call('/v1/node/node_info')).status).toBe(200);
  const registration = { name: 'Ada', email: 'ada@example.org', plan: 'monthly' };
  const query = new URLSearchParams(registration);
  expect((await demo.call(`/v1/user/create?${query}`, { method: 'POST' })).status).toBe(202);
  await demo.until('stdout', /http:\/\/prices\.example\.org\/#verify=/);
  expect(await demo.operate('users')).toMatchObject({ code: 0, stdout: expect.stringContaining('Demo') });
  await demo.stop();
});
