import { afterAll, beforeAll, expect, it } from 'vitest';
import { peerToken } from '#requests/peers';
import { connectTo } from '../support/database/client.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service/service-process.ts';

/* The request log is merged over real processes, which share a database of their own. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
const processes: ServiceProcess[] = [];
const env = () => ({ DATABASE_URL: database.url, COINGECKO_URL: 'http://127.0.0.1:9', BASE_PATH: '/market' });
beforeAll(async () => {
  database = await createTestDatabase();
  processes.push(...(await Promise.all([startServiceProcess(env()), startServiceProcess(env())])));
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.stop()));
  await database?.drop();
});

type Log = {
  complete: boolean;
  recordingSince: string | null;
  requests: { path: string; status: number; keyLabel: string | null; time: string }[];
};
const urlOf = (one: ServiceProcess | undefined, path: string) => `${one?.url}/market/v1${path}`;
const get = (one: ServiceProcess | undefined, path: string, key: string) =>
  fetch(urlOf(one, path), { headers: { 'x-api-key': key } });
const read = async (one: ServiceProcess | undefined, key: string): Promise<Log> =>
  (await get(one, '/user/requests', key)).json();

async function register(): Promise<string> {
  const query = 'name=Ada&email=ada@example.org&plan=monthly';
  const response = await fetch(urlOf(processes[0], `/user/create?${query}`), { method: 'POST' });
  return ((await response.json()) as { apiKey: string }).apiKey;
}

async function query(statement: string, ...values: string[]): Promise<Record<string, string>[]> {
  const client = await connectTo(database.url);
  const { rows } = await client.query(statement, values);
  await client.end();
  return rows;
}

/** Registers a user whose log is read in every process, because new processes may not know each other yet. */
async function registerReader(...more: ServiceProcess[]): Promise<string> {
  const key = await register();
  for (const one of [...processes, ...more]) await read(one, key);
  return key;
}

/** The number of a user's requests in a process, which another process would read. */
async function countIn({ url }: ServiceProcess, user: number): Promise<number> {
  const [row] = await query(
    `SELECT id::text, value AS secret FROM process, shared_secret
     WHERE address LIKE '%:' || $1 || '/%' AND name = 'processes'`,
    new URL(url).port,
  );
  const { id: process = '', secret = '' } = row ?? {};
  const authorization = peerToken(secret, { process, user }, Date.now());
  const response = await fetch(`${url}/market/internal/requests/${user}`, { headers: { authorization } });
  return ((await response.json()) as { requests: unknown[] }).requests.length;
}

/** Waits until each process knows all others. */
const meet = (key: string, others: number) =>
  expect
    .poll(async () => {
      const logs = await Promise.all(processes.map((one) => read(one, key)));
      return logs.map(({ complete, requests }) => [complete, requests.length]);
    })
    .toEqual(processes.map(() => [true, others]));

it('contains the requests of all processes, whichever process responds', async () => {
  const key = await registerReader();
  const paths = [0, 1, 1, 0, 1].map((place, i) => [processes[place], `/user/usage?n=${i}`] as const);
  for (const [one, path] of paths) expect((await get(one, path, key)).status).toBe(200);
  await meet(key, paths.length);
  const [one, other] = await Promise.all(processes.map((process) => read(process, key)));
  expect(one).toEqual(other);
  expect(one?.recordingSince).toEqual(expect.any(String));
  const times = one?.requests.map(({ time }) => time);
  expect(times).toEqual(times?.toSorted().reverse());
});

it('starts the recording in all processes when it is read in one', async () => {
  const key = await register();
  expect((await read(processes[0], key)).recordingSince).toBe(null);
  expect((await get(processes[1], '/user/usage', key)).status).toBe(200);
  await meet(key, 1);
  expect((await read(processes[0], key)).recordingSince).toEqual(expect.any(String));
});

it('has the newest 100 failed and 100 successful requests of all processes', async () => {
  const key = await registerReader();
  for (let i = 0; i < 70; i += 1) for (const one of processes) await get(one, '/user/usage', key);
  await meet(key, 100);
  for (let i = 0; i < 70; i += 1) for (const one of processes) await get(one, '/user/usage?by=x', key);
  await meet(key, 200);
});

it('is not shown to a request without the token of a process', async () => {
  const key = await registerReader();
  const { key: user } = (await (await get(processes[0], '/user/data', key)).json()) as { key: number };
  for (const authorization of [undefined, `Bearer ${key}`, `Process ${Date.now()}.${'a'.repeat(43)}`]) {
    const response = await fetch(`${processes[0]?.url}/market/internal/requests/${user}`, {
      ...(authorization !== undefined && { headers: { authorization } }),
    });
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'not_found' }]);
  }
});

it('states that it is not complete while a process does not respond', async () => {
  const third = await startServiceProcess(env());
  try {
    const key = await registerReader(third);
    expect((await get(third, '/user/usage', key)).status).toBe(200);
    expect((await get(processes[1], '/user/usage', key)).status).toBe(200);
    await meet(key, 2);
    third.signal('SIGSTOP');
    expect(await read(processes[0], key)).toMatchObject({ complete: false, requests: [{ status: 200 }] });
    third.signal('SIGCONT');
    await meet(key, 2);
  } finally {
    await third.stop();
  }
  const key = await registerReader();
  expect((await get(processes[0], '/user/usage', key)).status).toBe(200);
  await meet(key, 1);
});

it('is complete again once the announcement of a killed process has expired', async () => {
  const third = await startServiceProcess(env());
  const key = await registerReader(third);
  expect((await get(third, '/user/usage', key)).status).toBe(200);
  await meet(key, 1);
  await third.kill();
  expect((await read(processes[0], key)).complete).toBe(false);
  const port = new URL(third.url).port;
  await query(`UPDATE process SET expires_at = now() WHERE address LIKE '%:' || $1 || '/%'`, port);
  expect((await read(processes[0], key)).complete).toBe(true);
});

it('of an erased user is deleted in every process', async () => {
  const key = await registerReader();
  const { key: user } = (await (await get(processes[0], '/user/data', key)).json()) as { key: number };
  expect((await get(processes[1], '/user/usage', key)).status).toBe(200);
  const counts = () => Promise.all(processes.map((one) => countIn(one, user)));
  await expect.poll(counts).toEqual([1, 1]);
  const erased = await fetch(urlOf(processes[0], '/user'), { method: 'DELETE', headers: { 'x-api-key': key } });
  expect(erased.status).toBe(204);
  await expect.poll(counts).toEqual([0, 0]);
  // Attempts with a key of the erased user are not listed, and neither is the erasure.
  for (const one of processes) expect((await get(one, '/user/usage', key)).status).toBe(401);
  expect(await counts()).toEqual([0, 0]);
});
