import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TokenRecord } from '#prices/model/prices-records';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { runHere } from '../cli/run-command.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';

// Three processes start, and apply each change.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
type Days = [{ prices: { price: number }[] }];
/** The time within which a process must apply a change. */
const WITHIN = { timeout: 5000, interval: 50 };

let sandbox: Sandbox;
let database: Awaited<ReturnType<typeof createTestDatabase>>;
let processes: ServiceProcess[];
let key: string;

const env = () => ({
  DATABASE_URL: database.url,
  COINGECKO_URL: sandbox.coingeckoUrl,
  COINGECKO_CALLS_PER_MINUTE: '10000',
  KRAKEN_URL: sandbox.krakenUrl,
});
const tokens = async (...args: string[]) => {
  const { code, stdout, stderr } = await runHere('tokens', args, env());
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};
const send = ({ url }: ServiceProcess, path: string) => fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
const statuses = (path: string) => Promise.all(processes.map(async (one) => (await send(one, path)).status));
const listed = async (one: ServiceProcess) =>
  ((await (await send(one, '/v1/tokens')).json()) as TokenRecord[]).map(({ tokenName }) => tokenName);

beforeAll(async () => {
  sandbox = await startSandbox();
  database = await createTestDatabase();
  processes = await Promise.all([1, 2, 3].map(() => startServiceProcess(env())));
  const create = '/v1/user/create?name=Ada&email=ada@example.org&plan=monthly';
  const created = await fetch(`${processes[0]?.url}${create}`, { method: 'POST' });
  key = ((await created.json()) as { apiKey: string }).apiKey;
});
afterAll(async () => {
  for (const one of processes ?? []) await one.kill();
  await database?.drop();
  await sandbox?.close();
});

describe('three running processes', () => {
  test('serve an added token within seconds, on every path with a token parameter', async () => {
    const paths = (token: string) => [
      `/v1/prices/latest/token?tokenName=${token}`,
      `/v1/prices/history/days?tokenName=${token}&days=30`,
      `/v1/prices/history/ohlc?tokenName=${token}&fromDate=2026-01-01&thruDate=2026-12-31`,
    ];
    for (const path of paths('albado')) expect(await statuses(path)).toEqual([400, 400, 400]);
    await tokens('add', 'albado');
    const [first = '', ...others] = paths('ALBADO');
    await expect.poll(() => statuses(first), WITHIN).toEqual([200, 200, 200]);
    for (const path of [...others, ...paths('abd')]) expect(await statuses(path)).toEqual([200, 200, 200]);
    for (const one of processes) expect(await listed(one)).toContain('albado');
  });

  test('stop serving a removed token, and serve its stored data when it is added again', async () => {
    const path = '/v1/prices/history/days?tokenName=abd&days=30';
    const before = await (await send(processes[0] as ServiceProcess, path)).text();
    await tokens('remove', 'albado');
    await expect.poll(() => statuses(path), WITHIN).toEqual([400, 400, 400]);
    for (const one of processes) expect(await listed(one)).not.toContain('albado');
    const calls = sandbox.calls.length;
    await tokens('add', 'albado');
    await expect.poll(() => statuses(path), WITHIN).toEqual([200, 200, 200]);
    const after = await (await send(processes[0] as ServiceProcess, path)).text();
    expect(JSON.parse(after)[0].prices.slice(0, 25)).toEqual(JSON.parse(before)[0].prices.slice(0, 25));
    // The command's calls and the latest price only, because no history is fetched again.
    const since = sandbox.calls.slice(calls).filter(({ query }) => query.interval === 'daily');
    expect(since).toHaveLength(1);
  });

  test('never serve the old token for a symbol that has moved to another token', async () => {
    await tokens('add', 'bebado', '--symbol', 'xyz', '--kraken', 'none');
    await tokens('add', 'bebaka', '--symbol', 'xyz', '--kraken', 'none');
    const days = (token: string) => `/v1/prices/history/days?tokenName=${token}&days=30`;
    const first = async (one: ServiceProcess, token: string) => {
      const response = await send(one, days(token));
      return response.status === 200 ? ((await response.json()) as Days)[0].prices[0]?.price : response.status;
    };
    for (const one of processes) {
      await expect.poll(() => statuses(days('bebaka')), WITHIN).toEqual([200, 200, 200]);
      expect(await first(one, 'xyz')).toBe(await first(one, 'bebado'));
    }
    const other = await first(processes[0] as ServiceProcess, 'bebaka');
    expect(await first(processes[0] as ServiceProcess, 'xyz')).not.toBe(other);
    await tokens('remove', 'bebado');
    for (const one of processes) await expect.poll(() => first(one, 'xyz'), WITHIN).toBe(other);
    await tokens('add', 'bebado', '--symbol', 'xyz', '--kraken', 'none');
    for (const one of processes) {
      // The token is also requested by name, because the other token's cached response must not be served.
      await expect.poll(async () => (await first(one, 'bebaka')) === (await first(one, 'xyz')), WITHIN).toBe(false);
      expect(await first(one, 'xyz')).toBe(await first(one, 'bebado'));
    }
  });
});
