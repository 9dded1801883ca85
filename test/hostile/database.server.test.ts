import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repeatRequest } from '../../bench/calls/hostile/attacks.ts';
import { execute } from '../../bench/stand/database.ts';
import { startHangingProxy } from './hanging-proxy.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

/** The deadline of 5 s, and a margin for a busy machine. */
const WITHIN = 7_000;

const SERVER = process.env.TEST_DATABASE_URL ?? '';

let proxy: Awaited<ReturnType<typeof startHangingProxy>>;
let stand: Stand;
let apiKey: string;
beforeAll(async () => {
  proxy = await startHangingProxy(new URL(SERVER));
  stand = await openStand({
    databaseAt(url) {
      const through = new URL(url);
      through.host = `127.0.0.1:${proxy.port}`;
      return through.href;
    },
  });
  apiKey = await stand.register();
});
afterAll(async () => {
  proxy?.resume();
  await stand?.close();
  await proxy?.close();
});

const create = () => `/v1/user/create?${new URLSearchParams({ name: 'A', email: 'a@example.org', plan: 'monthly' })}`;

/** Repeats a request while the response may be a cached result of the last second. */
async function requestUntilRejected(path: string, method: string) {
  const key = path.startsWith('/health') ? undefined : apiKey;
  for (const end = performance.now() + 2_000; ; await wait(100)) {
    const response = await stand.ask(path, key, { method });
    if (response.status !== 200 || performance.now() > end) return response;
  }
}

/** Sends one request of each kind that requires the database. Each must be rejected with 503 in time. */
async function requestWithoutDatabase(paths: readonly (readonly [string, string])[]) {
  return Promise.all(
    paths.map(async ([method, path]) => {
      const { status, code, headers, ms } = await requestUntilRejected(path, method);
      return { request: `${method} ${path}`, status, code, ms, retryAfter: headers.get('retry-after') };
    }),
  );
}

const WRITING = [
  ['POST', create()],
  ['POST', '/v1/user/rotate?graceSeconds=100'],
  ['GET', '/health/ready'],
] as const;
const READING = [
  ['GET', '/v1/user/usage'],
  ['GET', '/v1/user/data'],
] as const;

const expectUnavailable = (responses: Awaited<ReturnType<typeof requestWithoutDatabase>>) => {
  for (const { request, status, code, ms, retryAfter } of responses) {
    expect.soft({ request, status, code }).toEqual({ request, status: 503, code: 'database_unavailable' });
    expect.soft(Number(retryAfter), request).toBeGreaterThan(0);
    expect.soft(ms, request).toBeLessThan(WITHIN);
  }
};

const isReady = async () => (await stand.ask('/health/ready')).status;

it('while the database hangs, responds with 503 within 5 s, and recovers when the database responds again', async () => {
  const { result } = await stand.attacked(async () => {
    proxy.hang();
    try {
      // Sent in two groups, because hanging statements must not use up all connections.
      const first = requestWithoutDatabase([...WRITING, ...READING]);
      const many = Promise.all(Array.from({ length: 20 }, () => stand.ask('/v1/user/data', apiKey)));
      return [...(await first), ...(await many).map((one) => ({ request: 'one of many', ...one, retryAfter: '1' }))];
    } finally {
      proxy.resume();
    }
  });
  await expect.poll(isReady, { timeout: 15_000 }).toBe(200);
  expect((await stand.ask('/v1/user/usage', apiKey)).status).toBe(200);
  expectUnavailable(result);
});

it('while the database is read-only, rejects writes with 503 and is not ready', async () => {
  const name = new URL(stand.databaseUrl ?? '').pathname.slice(1);
  const setReadOnly = async (isOn: boolean) => {
    await execute(SERVER, `ALTER DATABASE ${name} SET default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
    await execute(
      SERVER,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> pg_backend_pid()`,
    );
  };
  const { result } = await stand.attacked(async () => {
    await setReadOnly(true);
    try {
      return await requestWithoutDatabase(WRITING);
    } finally {
      await setReadOnly(false);
    }
  });
  await expect.poll(isReady, { timeout: 15_000 }).toBe(200);
  expectUnavailable(result);
});

it('many readiness checks cause one database check per second', async () => {
  const count = async () => {
    const [row] = await execute<{ n: string }>(
      stand.databaseUrl ?? '',
      'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
    );
    return Number(row?.n);
  };
  const before = await count();
  const attack = { path: '/health/ready', connections: 8, ms: ATTACK_MS };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url() }, attack));
  expect(Object.keys(result)).toEqual(['200']);
  expect(result['200']).toBeGreaterThan(500);
  // Includes the statements of the ledger, of the archive and of the server's statistics.
  expect((await count()) - before).toBeLessThan(300);
});
