import { afterAll, beforeAll, expect, test } from 'vitest';
import { archive as commandLine } from '#cli/archive/archive';
import { type Replicas, startReplicas } from '../../accounts/ledger/processes/replicas.ts';
import { runHere } from '../../cli/run-command.ts';
import { createTestDatabase } from '../../support/database/database.ts';

let made: Awaited<ReturnType<typeof createTestDatabase>>;
let replicas: Replicas;
beforeAll(async () => {
  made = await createTestDatabase();
  replicas = await startReplicas(2, { url: made.url });
}, 120_000);
afterAll(async () => {
  await replicas?.close();
  await made?.drop();
});

test('running processes drop purged samples, and serve none of them', async () => {
  const { apiKey } = await replicas.createUser(1000);
  const [first] = replicas.processes;
  const get = (url = '', path = '') => fetch(`${url}${path}`, { headers: { 'x-api-key': apiKey } });
  const days = '/v1/prices/history/days?tokenName=bitcoin&days=30';
  expect((await get(first?.url, days)).status).toBe(200);
  const heldBy = async (url = '') => {
    const tokens = (await (await get(url, '/v1/tokens')).json()) as {
      archive: { day: { points: number } };
    }[];
    return tokens.reduce((sum, { archive }) => sum + archive.day.points, 0);
  };
  for (const { url } of replicas.processes) await expect.poll(() => heldBy(url)).toBeGreaterThan(0);

  // Makes all fetches fail, because new data would be served otherwise.
  replicas.sandbox.faults.always({ kind: 'html' });
  const purged = await runHere(commandLine, ['purge', '--source', 'coingecko'], { DATABASE_URL: made.url });
  expect([purged.code, purged.stderr]).toEqual([0, '']);
  expect(purged.stdout).toMatch(
    /^coingecko: [1-9]\d* points, 0 candles, \d latest prices and [1-9]\d* coverage entries deleted in total$/m,
  );
  for (const { url } of replicas.processes) {
    await expect.poll(() => heldBy(url)).toBe(0);
    await expect.poll(async () => (await get(url, days)).status).toBe(502);
  }
  replicas.sandbox.faults.clear();
}, 120_000);

test('running processes drop purged candles', async () => {
  const { apiKey } = await replicas.createUser(1000);
  const candles = '/v1/prices/history/ohlc?tokenName=bitcoin&fromDate=2026-01-01&thruDate=2026-01-03';
  const statusOf = async (url: string) =>
    (await fetch(`${url}${candles}`, { headers: { 'x-api-key': apiKey } })).status;
  for (const { url } of replicas.processes) await expect.poll(() => statusOf(url)).toBe(200);

  replicas.sandbox.faults.always({ kind: 'html' });
  const purged = await runHere(commandLine, ['purge', '--source', 'kraken'], { DATABASE_URL: made.url });
  expect(purged.stdout).toMatch(/^kraken: 0 points, [1-9]\d* candles, 0 latest prices and 1 coverage entries/m);
  for (const { url } of replicas.processes) await expect.poll(() => statusOf(url)).not.toBe(200);
  replicas.sandbox.faults.clear();
}, 120_000);
