import { onTestFinished } from 'vitest';
import { type Service, startService } from '../../support/service/service.ts';
import { type ChainDouble, startChainDouble } from '../../support/upstream/chain-double.ts';

type Options = {
  nodes?: readonly ChainDouble[];
  settings?: Readonly<Record<string, string>>;
  /** Without the RPC URLs. */
  restOnly?: true;
};

/** The service in front of nodes of one chain. */
export async function openStand({ nodes, settings, restOnly }: Options = {}) {
  const doubles = nodes ?? [await startChainDouble()];
  const service: Service = await startService({
    settings: {
      NODE_URLS: doubles.map(({ restUrl }) => restUrl).join(),
      ...(!restOnly && { NODE_RPC_URLS: doubles.map(({ rpcUrl }) => rpcUrl).join() }),
      BURST_PER_SECOND: '0',
      ...settings,
    },
  });
  const key = await service.register();
  const [double] = doubles as [ChainDouble];

  async function rpc(body: unknown, { path = '/v1/node/rpc', headers = {}, as = key } = {}) {
    const response = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': as, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  async function rest(path: string, init: RequestInit & { as?: string } = {}) {
    const response = await fetch(`${service.url}/v1/node/rest/${path}`, {
      ...init,
      headers: { 'x-api-key': init.as ?? key, ...init.headers },
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  }

  async function close(): Promise<void> {
    await service.close();
    for (const { close: closeDouble } of doubles) await closeDouble();
  }

  return { service, key, double, doubles, rpc, rest, chain: double.chain, close };
}

export type Stand = Awaited<ReturnType<typeof openStand>>;

/** Opens a stand that is closed at the end of the test. */
export async function openOwnStand(options?: Options): Promise<Stand> {
  const stand = await openStand(options);
  onTestFinished(stand.close);
  return stand;
}
