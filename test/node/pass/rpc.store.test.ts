import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transferBytes } from '../../../fixtures/signing.ts';
import { openOwnStand, openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand?.close());

const call = (method: string, params: unknown = {}, id: unknown = 1) => ({ jsonrpc: '2.0', id, method, params });
const QUERY = { path: '/cosmos.staking.v1beta1.Query/Params', data: '', prove: false };

describe('a call', () => {
  test.each([7, 'a text', 123_456_789_012])('is answered by the node with its id %s', async (id) => {
    const { status, body, headers } = await stand.rpc(call('status', {}, id));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      id,
      result: { node_info: { network: 'sandbox-1', version: '0.38.12' } },
    });
  });

  test('by position is passed on by name', async () => {
    const { body } = await stand.rpc(call('abci_query', [QUERY.path, QUERY.data]));
    expect(body.result.response).toMatchObject({ code: 0 });
    expect(stand.double.rpcCalls().at(-1)).toMatchObject({ params: { path: QUERY.path, data: '' } });
    expect((await stand.rpc(call('status', []))).body.result).toBeDefined();
  });

  test('with an error of the node returns this error with status 200', async () => {
    const { status, body } = await stand.rpc(call('block', { height: '999999999' }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1, error: { code: -32603, data: expect.stringContaining('must be less than') } });
  });

  test('passes on only the checked members, because nodes read names in any case', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"status","Method":"genesis","params":{"PATH":"x","path":"y"}}';
    expect((await stand.rpc(body)).body.result).toBeDefined();
    expect(stand.double.rpcCalls().at(-1)).toEqual({ jsonrpc: '2.0', id: 1, method: 'status', params: {} });
  });

  test('without an id is a notification, which is not passed on', async () => {
    const before = stand.double.calls.length;
    const { status, body } = await stand.rpc({ jsonrpc: '2.0', method: 'status' });
    expect([status, body]).toEqual([200, undefined]);
    expect(stand.double.calls.length).toBe(before);
  });
});

describe('a call that is refused', () => {
  const before = () => stand.double.asked().length;

  test.each([
    ...['genesis', 'genesis_chunked', 'dump_consensus_state', 'consensus_state', 'net_info', 'unconfirmed_txs'],
    ...['broadcast_tx_commit', 'check_tx', 'broadcast_evidence', 'dial_seeds', 'dial_peers', 'unsafe_flush_mempool'],
    ...['subscribe', 'unsubscribe', 'unsubscribe_all', 'Status', 'toString', '__proto__', 'constructor', ''],
  ])('%s is −32601 and reaches no node', async (method) => {
    const count = before();
    const { status, body } = await stand.rpc(call(method, { query: "tm.event='Tx'" }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1, error: { code: -32601 } });
    expect(before()).toBe(count);
  });

  const huge = 'ab'.repeat(66 * 1024);
  test.each([
    ['abci_query', { path: '/store/bank/subspace', data: '00' }],
    ['abci_query', { path: '/store/evidence/key', data: '00' }],
    ['abci_query', { path: '/app/snapshots' }],
    ['abci_query', { path: '/app/simulate' }],
    ['abci_query', { path: '/p2p/filter/addr/1.2.3.4' }],
    ['abci_query', { path: '/custom/bank/balances' }],
    ['abci_query', { path: '/cosmos.tx.v1beta1.Service/BroadcastTx' }],
    ['abci_query', { path: '/cosmos.base.tendermint.v1beta1.Service/ABCIQuery' }],
    ['abci_query', { path: '/cosmos.base.reflection.v2alpha1.ReflectionService/GetQueryServicesDescriptor' }],
    ['abci_query', { path: '/cosmos.bank.v1beta1.Query/Balance\n' }],
    ['abci_query', { path: '/cosmos.bank.v1beta1.Query/../Balance' }],
    ['abci_query', { ...QUERY, data: 'zz' }],
    ['abci_query', {}],
    ['block', { height: '1e3' }],
    ['block', { height: -1 }],
    ['block', { height: {} }],
    ['validators', { per_page: '101' }],
    ['validators', { page: 1001 }],
    ['tx_search', { query: 'x'.repeat(513) }],
    ['tx_search', { query: 'tx.height=1', prove: true }],
    ['tx_search', { query: 'tx.height=1', per_page: 1000 }],
    ['tx', { hash: 'AB' }],
    ['broadcast_tx_sync', { tx: '%%%' }],
    ['broadcast_tx_sync', {}],
    ['status', 'text'],
    ['status', [1]],
  ])('%s with %j is −32602 and reaches no node', async (method, params) => {
    const count = before();
    const { status, body } = await stand.rpc(call(method, params));
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(before()).toBe(count);
  });

  test('data of more than 128 KB is rejected with its bound, or with the bound of the body', async () => {
    const { status } = await stand.rpc(call('abci_query', { ...QUERY, data: huge }));
    expect(status).toBe(413);
    const larger = await openOwnStand({ settings: { NODE_MAX_BODY_KB: '1024' } });
    const { body } = await larger.rpc(call('abci_query', { ...QUERY, data: huge }));
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining('128 KB') });
    expect(larger.double.asked()).toEqual([]);
  });

  test.each([
    ['text', '{"jsonrpc":', -32700],
    ['a number', '7', -32600],
    ['null', 'null', -32600],
    ['an object without a method', '{}', -32600],
    ['an id that is an object', JSON.stringify(call('status', {}, {})), -32600],
    ['an id that is a fraction', JSON.stringify(call('status', {}, 1.5)), -32600],
    ['a deep body', '['.repeat(2000), -32700],
  ])('%s is a JSON-RPC error with id null', async (_name, body, code) => {
    const answer = await stand.rpc(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id: null, error: { code } });
  });
});

describe('the probes of clients', () => {
  test('a POST without a body is 200 with the methods', async () => {
    for (const path of ['/v1/node/rpc', '/v1/node/rpc/']) {
      const { status, body } = await stand.rpc('', { path });
      expect(status).toBe(200);
      expect(body.result.methods).toContain('abci_query');
    }
  });

  test('the URI form has the id −1, and no broadcasts', async () => {
    const get = async (path: string) => {
      const response = await stand.service.get(`/v1/node/rpc/${path}`, { key: stand.key });
      return { status: response.status, body: (await response.json()) as { error?: object; result?: object } };
    };
    expect(await get('status')).toMatchObject({ status: 200, body: { id: -1, result: { node_info: {} } } });
    expect(await get('block?height=5')).toMatchObject({
      body: { id: -1, result: { block: { header: { height: '5' } } } },
    });
    expect(await get('block?height="5"')).toMatchObject({ body: { result: { block: { header: { height: '5' } } } } });
    const query = await get(`abci_query?path="${QUERY.path}"&data=0x`);
    expect(query).toMatchObject({ body: { id: -1, result: { response: { code: 0 } } } });
    const count = stand.double.calls.length;
    expect(await get('broadcast_tx_sync?tx=0x00')).toMatchObject({
      status: 200,
      body: { id: -1, error: { code: -32601 } },
    });
    expect(await get('tx?hash=ABCD')).toMatchObject({ status: 200, body: { id: -1, error: { code: -32602 } } });
    expect(await get('genesis')).toMatchObject({ status: 200, body: { error: { code: -32601 } } });
    expect(await get('websocket')).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
    expect(stand.double.calls.length).toBe(count);
  });

  test('without NODE_RPC_URLS, the error names the setting', async () => {
    const { rpc } = await openOwnStand({ restOnly: true });
    expect(await rpc(call('status', {}, 9))).toMatchObject({
      status: 200,
      body: { id: 9, error: { code: -32601, message: expect.stringContaining('NODE_RPC_URLS') } },
    });
  });
});

describe('a batch', () => {
  test('of 20 is split, and every call is answered with its id', async () => {
    const elements = Array.from({ length: 20 }, (_, i) => call('abci_query', QUERY, i % 2 ? `text ${i}` : i));
    elements[7] = call('net_info', {}, 'refused');
    const { status, body } = await stand.rpc(elements);
    expect(status).toBe(200);
    expect(body.map(({ id }: { id: unknown }) => id)).toEqual(elements.map(({ id }) => id));
    for (const [i, answer] of body.entries()) {
      if (i === 7) expect(answer).toMatchObject({ error: { code: -32601 } });
      else expect(answer.result.response.code).toBe(0);
    }
    for (const received of stand.double.rpcCalls()) expect(Array.isArray(received)).toBe(false);
  });

  test.each([
    ['that is empty', []],
    ['of 21 calls', Array.from({ length: 21 }, (_, i) => call('status', {}, i))],
    ['of 1,000 calls', Array.from({ length: 1000 }, (_, i) => call('status', {}, i))],
  ])('%s is one error', async (_name, elements) => {
    const before = stand.double.calls.length;
    expect(await stand.rpc(elements)).toMatchObject({ status: 200, body: { id: null, error: { code: -32600 } } });
    expect(stand.double.calls.length).toBe(before);
  });

  test('in a batch is an error of that element', async () => {
    const { body } = await stand.rpc([[call('status')], call('status', {}, 2)]);
    expect(body[0]).toMatchObject({ id: null, error: { code: -32600 } });
    expect(body[1]).toMatchObject({ id: 2, result: {} });
  });

  test('of notifications has an empty body', async () => {
    const notification = { jsonrpc: '2.0', method: 'status' };
    expect(await stand.rpc([notification, notification])).toMatchObject({ status: 200, body: undefined });
    expect((await stand.rpc([notification, call('status', {}, 3)])).body).toHaveLength(1);
  });

  test('has at most one broadcast', async () => {
    const tx = Buffer.from('no transaction').toString('base64');
    const before = stand.double.broadcasts();
    const { body } = await stand.rpc([1, 2, 3].map((id) => call('broadcast_tx_sync', { tx }, id)));
    expect(body.filter(({ error }: { error?: object }) => error).length).toBe(2);
    expect(stand.double.broadcasts()).toBe(before + 1);
  });

  test('counts each call toward the burst limit', async () => {
    const { rpc } = await openOwnStand({ settings: { BURST_PER_SECOND: '20' } });
    const elements = Array.from({ length: 20 }, (_, i) => call('health', {}, i));
    expect((await rpc(elements)).status).toBe(200);
    const second = await rpc(elements);
    expect(second).toMatchObject({ status: 429, body: { id: null, error: { code: -32000 } } });
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('a transfer', () => {
  test('is simulated, sent once, and found by its hash', async () => {
    const { chain, rpc, double } = stand;
    const [, bob] = chain.accounts;
    const bytes = Buffer.from(await transferBytes({ chain }, { to: bob?.address as string }));
    const before = double.broadcasts();
    const sent = await rpc(call('broadcast_tx_sync', { tx: bytes.toString('base64') }, 'send'));
    expect(sent.body).toMatchObject({ id: 'send', result: { code: 0, codespace: '', log: '' } });
    const { hash } = sent.body.result as { hash: string };
    expect(double.broadcasts()).toBe(before + 1);
    const inBase64 = Buffer.from(hash, 'hex').toString('base64');
    await expect
      .poll(async () => (await rpc(call('tx', { hash: inBase64, prove: false }))).body.result?.tx_result.code)
      .toBe(0);
    const search = await rpc(call('tx_search', { query: `tx.hash='${hash}'`, page: '1', per_page: '100' }));
    expect(search.body.result).toMatchObject({ total_count: '1', txs: [{ hash }] });
  });

  test('that CheckTx rejects is a result with its code', async () => {
    const { body } = await stand.rpc(
      call('broadcast_tx_sync', { tx: Buffer.from('no transaction').toString('base64') }),
    );
    expect(body.result).toMatchObject({ code: 2, codespace: 'sdk' });
  });
});
