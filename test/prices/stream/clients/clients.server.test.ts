import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '#database/database';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestDatabase } from '../../../support/database/database.ts';
import { startBalancer } from '../../../support/service/balancer.ts';
import { type ServiceProcess, startServiceProcess } from '../../../support/service/service-process.ts';
import { storePrice } from '../../../support/service/store-price.ts';
import { clients, type Reader } from './reader.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let sandbox: Sandbox;
let server: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let processes: ServiceProcess[];
let balancer: Awaited<ReturnType<typeof startBalancer>>;

beforeAll(async () => {
  sandbox = await startSandbox();
  server = await createTestDatabase();
  database = await openDatabase({ url: server.url, dataDir: 'unused' });
  const env = { DATABASE_URL: server.url, COINGECKO_URL: sandbox.coingeckoUrl, COINGECKO_REFRESH: 'latest=1h' };
  processes = await Promise.all([1, 2].map(() => startServiceProcess(env)));
  balancer = await startBalancer(processes.map(({ url }) => url));
});
afterAll(async () => {
  await balancer?.close();
  for (const one of processes ?? []) await one.kill();
  await database?.close();
  await server?.drop();
  await sandbox?.close();
});

async function post(path: string, key?: string): Promise<{ apiKey: string; id: number }> {
  const response = await fetch(balancer.url + path, { method: 'POST', headers: key ? { 'x-api-key': key } : {} });
  return (await response.json()) as { apiKey: string; id: number };
}

test('every client receives prices, changes and problems, and resumes after its process was killed', async () => {
  const { apiKey: owner } = await post('/v1/user/create?name=Ada&email=ada@example.org&plan=monthly');
  const { apiKey, id } = await post('/v1/user/keys?label=streams', owner);
  const url = `${balancer.url}/v1/prices/stream?tokenNames=bitcoin,solana`;
  const readers = clients.map(({ name, start }) => ({ name, ...start(url, apiKey) }));
  const all = (value: (seen: Reader['seen']) => unknown) =>
    Object.fromEntries(readers.map(({ name, seen }) => [name, value(seen)]));
  const expectAll = (value: (seen: Reader['seen']) => unknown, expected: unknown, timeout = 30_000) =>
    expect.poll(() => all(value), { timeout }).toEqual(Object.fromEntries(readers.map(({ name }) => [name, expected])));
  try {
    await expectAll(({ prices }) => prices.map(({ tokenName }) => tokenName).sort(), ['bitcoin', 'solana']);
    await storePrice(database, 'solana', 1234.5);
    await expectAll(({ prices }) => prices.at(-1), expect.objectContaining({ current_price: 1234.5 }));

    await processes[0]?.kill();
    await expectAll(
      ({ prices }) =>
        prices
          .slice(3)
          .map(({ tokenName }) => tokenName)
          .sort(),
      ['bitcoin', 'solana'],
    );
    await storePrice(database, 'bitcoin', 99.5);
    await expectAll(({ prices }) => prices.at(-1), expect.objectContaining({ current_price: 99.5 }));

    await fetch(`${balancer.url}/v1/user/keys/${id}`, { method: 'DELETE', headers: { 'x-api-key': owner } });
    await expectAll(({ problems }) => problems, ['api_key_revoked']);
  } finally {
    for (const one of readers) one.close();
  }
});
