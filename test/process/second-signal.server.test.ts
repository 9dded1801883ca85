import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { hammer } from '../support/service/hammer.ts';

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(0);
});
afterAll(() => replicas?.close());

it('a second signal ends a slow stop', async () => {
  const process = await replicas.start();
  const { apiKey } = await replicas.createUser(10);
  const hold = replicas.sandbox.faults.hold();
  const path = '/v1/prices/history/days?tokenName=arweave&days=30';
  const slow = hammer(process.url, apiKey, { connections: 1, path });
  await hold.arrived(1);

  process.signal('SIGTERM');
  await process.logged(/"stopping"/);
  expect(slow.inFlight()).toBe(1);
  process.signal('SIGINT');
  expect(await process.exited).toEqual([1, null]);
  await process.logged(/second SIGINT, exiting/);
  await slow.done;
  expect(slow.failed).toHaveLength(1);
  hold.release();
});
