import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CometVersion } from '#sandbox/chain/rpc/rpc-records';
import { restEndpoint, rpcEndpoint } from '../../../packages/client/index.ts';
import { startService } from '../../support/service/service.ts';

type Options = { comet?: CometVersion };

/** The service in front of the sandbox's chain, which makes a block every 50 ms. */
export async function openForClient({ comet = '0.38' }: Options = {}) {
  const service = await startService({
    sandbox: { node: { comet, blockMs: 50 } },
    settings: ({ cosmosNodeUrl, rpcNodeUrl }) => ({
      NODE_URLS: cosmosNodeUrl,
      NODE_RPC_URLS: rpcNodeUrl,
      NODE_REST_PREFIXES: 'osmosis,registration,compute',
      BURST_PER_SECOND: '0',
    }),
  });
  const key = await service.register();
  const { chain } = service.sandbox;
  const [alice, bob] = chain.accounts as [(typeof chain.accounts)[number], (typeof chain.accounts)[number]];

  return {
    service,
    key,
    chain,
    alice,
    bob,
    rpc: rpcEndpoint({ baseUrl: service.url, apiKey: key }),
    restUrl: restEndpoint({ baseUrl: service.url, apiKey: key }).url,
    /** The number of broadcasts that the nodes have received. */
    broadcasts: () =>
      service.sandbox.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/tx/v1beta1/txs')).length,
    close: service.close,
  };
}

export type Opened = Awaited<ReturnType<typeof openForClient>>;

/** A proxy that adds the key to each request, for a library that can send only a URL. */
export async function openKeyedUrl({ service, key }: Opened) {
  const { hostname, port } = new URL(service.url);
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const options = { hostname, port, method, path: url, headers: { ...headers, 'x-api-key': key } };
    request.pipe(
      send(options, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
