import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hammer, PRICED } from '../../support/service/hammer.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const LIMIT = 100_000;

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(0);
});
afterAll(() => replicas?.close());

it('a stop under load loses no call and no count, and returns unspent calls', async () => {
  const process = await replicas.start();
  const { key, apiKey } = await replicas.createUser(LIMIT);
  const load = hammer(process.url, apiKey, { connections: 16 });
  await expect.poll(() => load.count(), { timeout: 10_000, interval: 20 }).toBeGreaterThan(1_000);

  expect(await process.stop()).toBe(0);
  await load.done;
  expect(load.failed).toEqual([]);
  expect(new Set(load.responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(load.responses.filter(({ closes }) => closes)).toHaveLength(16);
  expect(await replicas.ledgerRows(key)).toEqual({ used: load.count(), outstanding: 0, daily: load.count() });
});

it('a call in progress when the stop starts is answered, with Connection: close', async () => {
  const process = await replicas.start();
  const { key, apiKey } = await replicas.createUser(LIMIT);
  const hold = replicas.sandbox.faults.hold();
  const path = '/v1/prices/history/days?tokenName=solana&days=30';
  const slow = hammer(process.url, apiKey, { connections: 1, path });
  await hold.arrived(1);

  const stopped = process.stop();
  await process.logged(/"stopping"/);
  hold.release();
  expect(await stopped).toBe(0);
  await slow.done;
  expect(slow.failed).toEqual([]);
  expect(slow.responses).toMatchObject([{ status: 200, closes: true }]);
  expect(await replicas.ledgerRows(key)).toEqual({ used: 1, outstanding: 0, daily: 1 });
});

it('a request on an open connection is answered after the stop has started; new connections are rejected', async () => {
  const process = await replicas.start();
  const { apiKey } = await replicas.createUser(LIMIT);
  const { port } = new URL(process.url);
  const socket = connect(Number(port), '127.0.0.1');
  const request = `GET ${PRICED} HTTP/1.1\r\nhost: quotient\r\nx-api-key: ${apiKey}\r\n\r\n`;
  socket.write(request);
  const [first] = (await once(socket, 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1\.1 200 /);

  const stopped = process.stop();
  await process.logged(/"stopping"/);
  await expect.poll(() => isRefused(Number(port)), { interval: 5 }).toBe(true);
  socket.write(request);
  const [second] = (await once(socket, 'data')) as [Buffer];
  expect(second.toString()).toMatch(/^HTTP\/1\.1 200 /);
  expect(second.toString()).toMatch(/\r\nconnection: close\r\n/i);
  expect(await stopped).toBe(0);
});

function isRefused(port: number): Promise<boolean> {
  const probe = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    probe.on('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', () => resolve(true));
  });
}
