import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Replicas, startReplicas } from '../ledger/processes/replicas.ts';
import { hammer } from '../support/service/hammer.ts';

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas(0);
});
afterAll(() => replicas?.close());

it.each([
  ['SIGTERM', 'arweave'],
  ['SIGINT', 'solana'],
] as const)('a second signal ends a slow stop, %s', async (signal, token) => {
  const process = await replicas.start();
  const { apiKey } = await replicas.createUser(10);
  const hold = replicas.sandbox.faults.hold();
  const path = `/v1/prices/history/days?tokenName=${token}&days=30`;
  const slow = hammer(process.url, apiKey, { connections: 1, path });
  await hold.arrived(1);

  process.signal('SIGTERM');
  await process.logged(/"stopping"/);
  expect(slow.inFlight()).toBe(1);
  process.signal(signal);
  expect(await process.exited).toEqual([1, null]);
  await process.logged(new RegExp(`second ${signal}, exiting`));
  await slow.done;
  expect(slow.failed).toHaveLength(1);
  hold.release();
});
