import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestClock } from '../../fixtures/clock.ts';
import { type Service, startService } from '../support/service/service.ts';
import { startTestNode, type TestNode } from '../support/upstream/test-node.ts';

const HASH = 'AB'.repeat(32);
/** With a stopped clock, a key can make only the calls of its first second. */
const BURST = 2;

let node: TestNode;
let service: Service;

beforeAll(async () => {
  node = await startTestNode();
  node.state.known.set(HASH, { height: '5', txhash: HASH });
  service = await startService({
    clock: createTestClock('2026-05-15T14:00:00Z'),
    settings: { NODE_URLS: node.url, BURST_PER_SECOND: String(BURST) },
  });
});
afterAll(async () => {
  await service?.close();
  await node?.close();
});

it('node calls are free of charge, and count toward the burst limit', async () => {
  const key = await service.createUser();
  const responses = [];
  for (let call = 0; call < BURST + 1; call++) responses.push(await service.get(`/v1/node/txs/${HASH}`, { key }));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect(await responses[BURST]?.json()).toMatchObject({ code: 'rate_limited' });

  const before = node.calls.length;
  const headers = { 'x-api-key': key };
  const body = JSON.stringify({ tx_bytes: 'CpAB', mode: 'sync' });
  const sent = await fetch(`${service.url}/v1/node/txs`, { method: 'POST', headers, body });
  expect(sent.status).toBe(429);
  expect(node.calls.length).toBe(before);
});
