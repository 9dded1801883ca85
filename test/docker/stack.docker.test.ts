import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CountedResponse, hammer, PRICED } from '../support/service/hammer.ts';
import { LIMITS, limitsOf } from './limits.ts';
import { buildImage, docker, logsOf, openStack } from './stack.ts';

const REPLICAS = 3;
const LIMIT = 1_000_000;
/** About two hundred calls a second. */
const LOAD = { connections: 4, everyMs: 15 };
const ALL_UP = ['up', '--detach', '--wait', '--no-build', '--scale', `api=${REPLICAS}`, '--no-recreate'];
const PATIENT = { timeout: 120_000 };

const stack = openStack();
let url: string;

/** Creates a user as the operator, because registrations are limited. */
async function createUser() {
  const form = ['--name', 'Ada Lovelace', '--email', 'ada@example.org', '--plan', 'monthly'];
  const command = ['quotient', 'users', 'create', ...form, '--limit', String(LIMIT)];
  const record = await stack.compose('exec', '-T', 'api', ...command);
  const apiKey = /^apiKey: +(\S+)/m.exec(record)?.[1] ?? '';
  return { key: Number(/^key: +(\d+)/m.exec(record)?.[1]), apiKey };
}

const get = (path: string, apiKey: string) => fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey } });
const registration = (email: string) =>
  `/v1/user/create?${new URLSearchParams({ name: 'Ada', email, plan: 'monthly' })}`;

/** Whether no call has been rejected for a second. */
const isRecovered = (responses: readonly CountedResponse[]) =>
  responses.every(({ status, at }) => status === 200 || at < performance.now() - 1000);

beforeAll(buildImage);
afterAll(async () => {
  await stack.close();
  const label = `label=com.docker.compose.project=${stack.project}`;
  for (const kind of ['container', 'volume', 'network']) {
    const all = kind === 'container' ? ['--all'] : [];
    expect(await docker(kind, 'ls', '--quiet', ...all, '--filter', label)).toBe('');
  }
});

it('requires a password, and states how to create one', async () => {
  const config = docker('compose', '--env-file', '/dev/null', 'config');
  await expect(config).rejects.toThrow(/POSTGRES_PASSWORD.*copy \.env\.example to \.env first/);
});

it('the replicas wait for an unavailable database, and migrate it once when it is available', async () => {
  await stack.compose('up', '--detach', '--no-deps', '--no-build', '--scale', `api=${REPLICAS}`, 'api');
  const replicas = await stack.containers('api');
  const countLogging = async (text: string) =>
    (await Promise.all(replicas.map(logsOf))).filter((log) => log.includes(text)).length;
  await expect.poll(() => countLogging('cannot connect to the database'), PATIENT).toBe(REPLICAS);

  await stack.compose(...ALL_UP);
  url = await stack.url();
  await expect.poll(() => countLogging('database recovered'), PATIENT).toBe(REPLICAS);
  const migrations = await stack.query('SELECT migration_name FROM _prisma_migrations');
  expect(new Set(migrations).size).toBe(migrations.length);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
});

it('publishes only the balancer', async () => {
  const rows = (await stack.compose('ps', '--format', '{{.Service}} {{.Ports}}')).split('\n');
  expect(rows).toHaveLength(REPLICAS + 3);
  expect(rows.filter((row) => row.includes('->')).map((row) => row.split(' ', 1)[0])).toEqual(['balancer']);
  expect(await docker('network', 'inspect', `${stack.project}_back`, '--format', '{{.Internal}}')).toBe('true');
});

it('every container has limits, only the capability it needs, and a read-only root file system', async () => {
  for (const [service, { capability, ...limits }] of Object.entries(LIMITS)) {
    const containers = await stack.containers(service);
    expect(containers.length).toBeGreaterThan(0);
    for (const id of containers) {
      expect({ service, ...(await limitsOf(id)) }).toEqual({
        service,
        ...limits,
        log: { Type: 'json-file', Config: { 'max-file': '3', 'max-size': '10m' } },
        dropped: ['ALL'],
        security: ['no-new-privileges:true'],
        isReadOnly: true,
      });
      // Process 1, which a command of the entrypoint may have started.
      const status = await docker('exec', id, 'cat', '/proc/1/status');
      expect([service, /^CapBnd:\s*(\w+)$/m.exec(status)?.[1]]).toEqual([service, capability]);
      expect([service, /^NoNewPrivs:\s*(\d)$/m.exec(status)?.[1]]).toEqual([service, '1']);
    }
  }
});

it('registers, responds and counts on every replica', async () => {
  const created = await fetch(`${url}${registration('grace@example.org')}`, { method: 'POST' });
  expect(created.status).toBe(201);
  const { apiKey, key } = (await created.json()) as { apiKey: string; key: number };
  const responses = await Promise.all(Array.from({ length: 4 * REPLICAS }, () => get(PRICED, apiKey)));
  for (const response of responses) {
    expect([response.status, response.headers.has('ratelimit')]).toEqual([200, true]);
    expect(((await response.json()) as { current_price: number }).current_price).toBeGreaterThan(0);
  }
  await expect.poll(() => stack.ledgerRows(key), PATIENT).toEqual({ used: responses.length, outstanding: 0 });
  for (const id of await stack.containers('api')) {
    expect(await logsOf(id)).toContain('"route":"/v1/prices/latest/token"');
  }
});

it('killing a replica under load loses no response to a read', async () => {
  const { key, apiKey } = await createUser();
  const load = hammer(url, apiKey, LOAD);
  await expect.poll(() => load.count(), PATIENT).toBeGreaterThan(400);
  const [victim = ''] = await stack.containers('api');
  const killed = performance.now();
  await docker('kill', '--signal', 'KILL', victim);
  const before = load.count();
  await expect.poll(() => load.count(), PATIENT).toBeGreaterThan(before + 600);
  await load.stop();
  expect(load.failed).toEqual([]);
  expect(load.responses.filter(({ status }) => status !== 200)).toEqual([]);

  // Calls that the replica had not settled are not charged: those of one second, and a pending settlement.
  const lost = load.responses.filter(({ at }) => at > killed - 2000 && at <= killed).length;
  await expect
    .poll(async () => (await stack.ledgerRows(key)).used, PATIENT)
    .toBeGreaterThanOrEqual(load.count() - lost);
  const { used } = await stack.ledgerRows(key);
  expect(used).toBeLessThanOrEqual(load.count() + LOAD.connections);
  console.log(`killed: ${load.count()} answered, ${load.failed.length} failed, ${used} counted`);
  await stack.compose(...ALL_UP);
});

it('stopping a replica under load loses neither responses nor counts', async () => {
  const { key, apiKey } = await createUser();
  const load = hammer(url, apiKey, LOAD);
  await expect.poll(() => load.count(), PATIENT).toBeGreaterThan(400);
  const [stopped = ''] = await stack.containers('api');
  const began = performance.now();
  await docker('stop', stopped);
  const took = performance.now() - began;
  const before = load.count();
  await expect.poll(() => load.count(), PATIENT).toBeGreaterThan(before + 200);
  await load.stop();
  expect(await docker('inspect', stopped, '--format', '{{.State.ExitCode}}')).toBe('0');
  expect(load.failed).toEqual([]);
  expect(load.responses.filter(({ status }) => status !== 200)).toEqual([]);
  await expect.poll(() => stack.ledgerRows(key), PATIENT).toEqual({ used: load.count(), outstanding: 0 });
  console.log(`stopped in ${Math.round(took)} ms: ${load.count()} answered and counted`);
  await stack.compose(...ALL_UP);
});

it('the service recovers from a database restart under load without losing counts', async () => {
  const { key, apiKey } = await createUser();
  const load = hammer(url, apiKey, LOAD);
  await expect.poll(async () => (await stack.ledgerRows(key)).used, PATIENT).toBeGreaterThan(400);
  await stack.compose('restart', 'postgres');
  const restarted = load.responses.length;
  await expect.poll(() => load.responses.length > restarted + 400 && isRecovered(load.responses), PATIENT).toBe(true);
  await load.stop();
  expect(load.failed).toEqual([]);
  const rejected = load.responses.filter(({ status }) => status !== 200);
  for (const { status, code } of rejected) {
    expect({ status, code }).toEqual({ status: 503, code: 'database_unavailable' });
  }
  await expect.poll(() => stack.ledgerRows(key), PATIENT).toEqual({ used: load.count(), outstanding: 0 });
  console.log(`restarted: ${load.count()} answered and counted, ${rejected.length} rejected`);
});

it('distinguishes clients by the address that the balancer sees', async () => {
  const register = (headers: Record<string, string> = {}) =>
    fetch(`${url}${registration('ada@example.org')}`, { method: 'POST', headers }).then(({ status }) => status);
  const statuses: number[] = [];
  while (statuses.slice(-REPLICAS).filter((status) => status === 429).length < REPLICAS) {
    statuses.push(await register());
    expect(statuses.length).toBeLessThan(50);
  }
  expect(statuses.filter((status) => status === 201).length).toBeGreaterThan(0);
  // The client's own forwarding header is ignored; its address counts.
  expect(await register({ 'x-forwarded-for': '198.51.100.7' })).toBe(429);
  const elsewhere = `fetch('http://balancer:8080${registration('grace@example.org')}', { method: 'POST' })
    .then(({ status }) => console.log(status))`;
  expect(await stack.compose('exec', '-T', 'sandbox', 'node', '-e', elsewhere)).toBe('201');
});

it('the balancer logs no key, even if it logs every request', async () => {
  const { apiKey } = await createUser();
  // The same configuration with debug logging.
  const verbose = `cp -r /etc/caddy /tmp/caddy && sed -i '0,/^{$/s//{\\n\\tdebug/' /tmp/caddy/Caddyfile
    && exec caddy run --adapter caddyfile --config /tmp/caddy/Caddyfile`.replaceAll('\n', ' ');
  const name = `${stack.project}-verbose`;
  const [id = ''] = await stack.containers('balancer');
  const options = ['--detach', '--name', name, '--network', `${stack.project}_front`, '--volumes-from', id];
  await docker('run', ...options, 'caddy:2', 'sh', '-c', verbose);
  try {
    const log = () => logsOf(name);
    await expect.poll(log, PATIENT).toContain('serving initial configuration');
    const command = `fetch('http://${name}:8080/v1/user/data?api=${apiKey}', { headers: { 'x-api-key': '${apiKey}' } })
      .then(({ status }) => console.log(status))`;
    expect(await stack.compose('exec', '-T', 'sandbox', 'node', '-e', command)).toBe('200');
    await expect.poll(log, PATIENT).toMatch(/upstream roundtrip.*"request": ?\{.*"method": ?"GET"/);
    expect(await log()).not.toContain('qt_');
  } finally {
    await docker('rm', '--force', name);
  }
});

it('no container reached its memory limit', async () => {
  const everything = (await stack.compose('ps', '--all', '--quiet')).split('\n');
  for (const id of everything) {
    expect(await docker('inspect', id, '--format', '{{.State.OOMKilled}} {{.RestartCount}}')).toBe('false 0');
  }
});

it('responds with a problem if no replica runs', async () => {
  await stack.compose('stop', 'api');
  const response = await get(PRICED, 'unimportant');
  expect([response.status, response.headers.get('content-type'), response.headers.get('retry-after')]).toEqual([
    503,
    'application/problem+json',
    '1',
  ]);
  const problem = (await response.json()) as { code: string; requestId: string };
  expect(problem).toMatchObject({ status: 503, code: 'overloaded', type: '/docs/problems#overloaded' });
  expect(response.headers.get('x-request-id')).toBe(problem.requestId);
});
