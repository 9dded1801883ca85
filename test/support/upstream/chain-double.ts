import type { ServerResponse } from 'node:http';
import { createChain } from '#sandbox/chain/chain';
import { createCosmosNode } from '#sandbox/chain/cosmos-node';
import { createRpcNode } from '#sandbox/chain/rpc/rpc-node';
import type { CometVersion } from '#sandbox/chain/rpc/rpc-records';
import { type FakeResponse, startUpstreamServer, type UpstreamCall } from './upstream-server.ts';

type Override = (call: UpstreamCall, response: ServerResponse) => FakeResponse | 'taken' | undefined;
/** A call of JSON-RPC as the node received it. */
type RpcRequest = { id: unknown; method: string; params: Record<string, unknown> };

const clock = { now: Date.now };
/** The sandbox's chain, which other nodes can share. */
export const openChain = (blockMs = 50) => createChain({ seed: 1, clock }, blockMs);

/**
 * Starts a node with the REST and the RPC interface of a chain, which records every request. `override` is called first.
 */
export async function startChainDouble({ chain = openChain(), comet = '0.38' as CometVersion } = {}) {
  const upstreams = [createRpcNode(chain, comet), createCosmosNode(chain, clock)];
  const state = { override: (() => undefined) as Override };
  const server = await startUpstreamServer((call, response) => {
    const own = state.override(call, response);
    if (own === 'taken') return undefined;
    if (own) return own;
    const upstream = upstreams.find(({ prefix }) => call.path.startsWith(prefix));
    const query = new URLSearchParams(call.url.split('?')[1]);
    const path = call.path.slice(upstream?.prefix.length);
    return upstream?.answer({ ...call, path, query }) ?? { status: 404, body: 'not found' };
  });
  const rpcCalls = () =>
    server.calls
      .filter(({ path }) => path.startsWith('/rpc-node'))
      .map(({ body }) => JSON.parse(body) as RpcRequest | RpcRequest[]);

  return {
    chain,
    state,
    rpcUrl: `${server.url}/rpc-node`,
    restUrl: `${server.url}/cosmos-node`,
    calls: server.calls,
    /** The bodies that the RPC interface received. */
    rpcCalls,
    /** The requests of clients, without those for the newest block. */
    asked: () =>
      server.calls.filter(({ path, body }) => !path.endsWith('/blocks/latest') && !body.includes('"method":"status"')),
    broadcasts: () =>
      server.calls.filter(
        ({ method, path, body }) =>
          method === 'POST' && (path.endsWith('/tx/v1beta1/txs') || /"method":"broadcast_tx/.test(body)),
      ).length,
    close: server.close,
  };
}

export type ChainDouble = Awaited<ReturnType<typeof startChainDouble>>;
