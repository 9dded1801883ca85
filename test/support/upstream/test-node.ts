import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { NodeDialect } from '#cosmos/dialects/adapter';
import { type FakeResponse, startUpstreamServer, type UpstreamCall } from './upstream-server.ts';

type Known = { height: string; txhash: string; code?: number; raw_log?: string };
/** Returns a reply, handles the response itself, or leaves the request to the node. */
type Override = (call: UpstreamCall, response: ServerResponse) => FakeResponse | 'taken' | undefined;

const json = (body: unknown, status = 200): FakeResponse => ({ status, body: JSON.stringify(body) });

const MODERN = '/cosmos/tx/v1beta1/txs';
const TENDERMINT = '/cosmos/base/tendermint/v1beta1';

/**
 * Starts a test node on 127.0.0.1 that supports one dialect. Tests can change its height, its balances and its known
 * transactions. `override` is called first.
 */
export async function startTestNode({ dialect = 'cosmos' as NodeDialect, height = 1000 } = {}) {
  const state = {
    dialect,
    height,
    amount: '7',
    /** The response to a broadcast, besides its hash if not set, and the known transactions by hash. */
    response: { height: '0', raw_log: '[]' } as Partial<Known>,
    chainId: 'test-1',
    known: new Map<string, Known>(),
    override: (() => undefined) as Override,
  };

  const header = (height: string) => ({
    chain_id: state.chainId,
    height: height === 'latest' ? String(state.height) : height,
    time: '2026-05-15T14:42:25Z',
  });

  function legacy({ method, path }: UpstreamCall): FakeResponse | undefined {
    if (path.startsWith('/blocks/'))
      return json({
        block_id: { hash: 'AB'.repeat(32) },
        block: { header: header(path.slice(8)), data: {} },
      });
    if (path === '/node_info') return json({ node_info: { network: state.chainId } });
    if (path.startsWith('/auth/accounts/')) {
      const value = { address: path.slice(15), account_number: '5', sequence: '6' };
      return json({ height: String(state.height), result: { type: 'cosmos-sdk/Account', value } });
    }
    if (path.startsWith('/bank/balances/')) {
      return json({ height: String(state.height), result: [{ denom: 'ukava', amount: state.amount }] });
    }
    if (path === '/txs' && method === 'POST') return json({ txhash: 'A'.repeat(64), ...state.response });
    if (path === '/txs') {
      const txs = [...state.known.values()];
      const count = String(txs.length);
      return json({ total_count: count, count, page_number: '1', page_total: '1', limit: '30', txs });
    }
    const hash = path.replace('/txs/', '');
    return state.known.has(hash)
      ? json(state.known.get(hash))
      : json({ error: `Tx: RPC error -32603 - Internal error: Tx (${hash}) not found` }, 404);
  }

  function modern({ method, path, body }: UpstreamCall): FakeResponse | undefined {
    if (path.startsWith(`${TENDERMINT}/blocks/`)) {
      const hash = Buffer.alloc(32, 0xab).toString('base64');
      return json({ block_id: { hash }, block: { header: header(path.slice(TENDERMINT.length + 8)) } });
    }
    if (path === `${TENDERMINT}/node_info`) return json({ default_node_info: { network: state.chainId } });
    if (path.startsWith('/cosmos/auth/v1beta1/accounts/')) {
      const base = { address: path.split('/').at(-1), account_number: '5', sequence: '6' };
      return json({ account: { '@type': '/cosmos.auth.v1beta1.BaseAccount', ...base } });
    }
    if (path.startsWith('/cosmos/bank/v1beta1/balances/')) {
      return json({
        balances: [{ denom: 'ukava', amount: state.amount }],
        pagination: { next_key: null, total: '1' },
      });
    }
    if (path === MODERN && method === 'POST') {
      const bytes = Buffer.from(JSON.parse(body).tx_bytes, 'base64');
      const txhash = createHash('sha256').update(bytes).digest('hex').toUpperCase();
      return json({ tx_response: { code: 0, txhash, ...state.response } });
    }
    if (path === MODERN) {
      const found = [...state.known.values()];
      return json({ txs: found.map(() => ({})), tx_responses: found, total: String(found.length) });
    }
    const hash = path.replace(`${MODERN}/`, '');
    return state.known.has(hash)
      ? json({ tx: {}, tx_response: state.known.get(hash) })
      : json({ code: 5, message: `tx not found: ${hash}`, details: [] }, 404);
  }

  const server = await startUpstreamServer((call, response) => {
    const own = state.override(call, response);
    if (own === 'taken') return undefined;
    if (own) return own;
    const isModernPath = call.path.startsWith('/cosmos/');
    if (state.dialect === 'legacy') {
      return isModernPath ? { status: 404, body: '404 page not found' } : legacy(call);
    }
    return isModernPath ? modern(call) : json({ code: 12, message: 'Not Implemented', details: [] }, 501);
  });

  /** All calls except those for the newest block. */
  const asked = () => server.calls.filter(({ path }) => !/latest$/.test(path));

  return {
    ...server,
    state,
    asked,
    /** The number of received broadcasts. */
    broadcasts: () => asked().filter(({ method }) => method === 'POST').length,
  };
}

export type TestNode = Awaited<ReturnType<typeof startTestNode>>;

/** Faults: a node hangs, closes the connection after reading the request, or responds otherwise. */
export const hang = (): 'taken' => 'taken';
export const cut: Override = (_call, response) => {
  response.destroy();
  return 'taken';
};

/** A port without a listener. */
export async function deadUrl(): Promise<string> {
  const server = await startUpstreamServer(() => undefined);
  await server.close();
  return server.url;
}
