import { compare } from '../measuring/comparison.ts';
import { load } from '../measuring/load.ts';
import { residentSize } from '../measuring/resident-size.ts';
import { atLeast, atMost, type Figure, none } from '../measuring/table.ts';
import type { Environment } from '../stand/environment.ts';
import { startServer } from '../stand/service-process.ts';
import { openStand } from '../stand/stand.ts';
import { startNeighbour } from './hostile/neighbour.ts';

const SECONDS = 5;
/** So many users that 32 connections never take a fifth place of one user. */
const USERS = 128;
const LARGE_CALLS = 16;

const QUERY = { method: 'abci_query', params: { path: '/cosmos.bank.v1beta1.Query/Balance', data: 'ab'.repeat(60) } };
const call = (id: number, { method, params }: { method: string; params: object } = QUERY) => ({
  ...{ jsonrpc: '2.0', id, method, params },
});

/** Compares a query through the service with a bare proxy, and measures memory and another user's latency. */
export async function measure(environment: Environment): Promise<Figure[]> {
  const stand = await openStand(environment, USERS);
  const [neighbourKey = '', key = '', ...keys] = stand.keys;
  // On the core of the load: on the core of the service and the proxy, it would take more time from the faster one.
  const node = await startServer('calls/rpc/bare-node.ts', {}, { core: 1 });
  const proxy = await startServer('calls/rpc/bare-proxy.ts', { NODE_URL: node.url });
  const service = await stand.startService({ NODE_RPC_URLS: node.url });
  const url = `${service.url}/v1/node/rpc`;
  const body = JSON.stringify(call(1));
  const [ratio = Number.NaN] = await compare({ url, keys, body }, { url: `${proxy.url}/`, keys, body });

  const size = async () => (await residentSize(service.pid)) ?? Number.NaN;
  const quiet = await size();
  let most = quiet;
  const sampling = setInterval(async () => {
    most = Math.max(most, await size());
  }, 20);
  const large = JSON.stringify(call(1, { method: 'block_results', params: {} }));
  const responses = await Promise.all(
    keys.slice(0, LARGE_CALLS).map(async (one) => {
      const response = await fetch(url, { method: 'POST', headers: { 'x-api-key': one }, body: large });
      return (await response.text()).includes('too large');
    }),
  );
  clearInterval(sampling);

  const neighbour = await startNeighbour(service.url, neighbourKey);
  const batch = JSON.stringify(Array.from({ length: 20 }, (_, id) => call(id)));
  const { spell, result: rate } = await neighbour.during(() =>
    load({ url, keys: [key], body: batch, seconds: SECONDS, connections: 4 }),
  );
  await neighbour.close();
  await proxy.close();
  await stand.close();
  await node.close();
  return [
    atLeast('abci_query against a bare Fastify and undici proxy, requests per second', ratio, 0.8),
    atMost('memory per call during 16 calls with endless responses', (most - quiet) / LARGE_CALLS, 4, 'MB'),
    none('… responses that were not rejected', responses.filter((isRejected) => !isRejected).length),
    atMost(`neighbour's p99 during ${Math.round(rate)} batches of 20 per second in four loops`, spell.p99, 100, 'ms'),
    none('… failed calls of the neighbour', spell.failures.length),
  ];
}
