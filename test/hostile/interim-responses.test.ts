import { afterAll, beforeAll, expect, it } from 'vitest';
import { repeatRequest } from '../../bench/calls/hostile/attacks.ts';
import { startInterimServer } from '../support/upstream/interim-server.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

type InterimServer = Awaited<ReturnType<typeof startInterimServer>>;

let server: InterimServer;
let stand: Stand;
let apiKeys: string[];
beforeAll(async () => {
  server = await startInterimServer('HTTP/1.1 103 Early Hints', Number.POSITIVE_INFINITY);
  stand = await openStand({ settings: { NODE_URLS: server.url, NODE_DIALECT: 'cosmos' } });
  apiKeys = await Promise.all(Array.from({ length: 8 }, () => stand.register()));
});
afterAll(async () => {
  await stand?.close();
  await server?.close();
});

it('searches on a node that sends endless interim responses', async () => {
  // The duration of a search does not count against the node, so no open circuit breaker ends this attack.
  const path = `/v1/node/txs?message.sender=${stand.sandbox.chain.accounts[0]?.address}`;
  const attack = { path, connections: 4, ms: ATTACK_MS };
  const { result } = await stand.attacked(() =>
    Promise.all(apiKeys.map((apiKey) => repeatRequest({ url: stand.url(), apiKey }, attack))),
  );
  const kinds = result.flatMap((one) => Object.keys(one));
  expect(kinds.filter((kind) => !/^50[34] /.test(kind))).toEqual([]);
  expect(server.requests()).toBeGreaterThan(0);
});
