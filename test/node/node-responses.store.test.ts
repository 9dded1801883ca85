import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { txHashOf } from '#cosmos/transactions';
import { type Document, published } from '../../fixtures/published.ts';
import { type Service, startService } from '../support/service/service.ts';
import { startTestNode, type TestNode } from '../support/upstream/test-node.ts';

const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
const HASH = 'AB'.repeat(32);
const TX_BYTES = Buffer.from('a signed transaction').toString('base64');

let node: TestNode;
let service: Service;
let contract: ReturnType<typeof published>;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  service = await startService({
    settings: {
      NODE_URLS: node.url,
      EXPLORER_TX_URL: 'https://explorer.example/tx/{hash}?from=quotient',
      EXPLORER_ADDRESS_URL: 'https://explorer.example/address/{address}',
    },
  });
  contract = published((await (await service.get('/openapi.json')).json()) as Document);
  key = await service.register();
});
afterAll(async () => {
  await service?.close();
  await node?.close();
});
beforeEach(() => {
  node.state.override = () => undefined;
  node.state.known.clear();
});

type Sent = { method?: string; body?: string; headers?: Record<string, string>; as?: string };

/** Makes a call, and expects the response to conform to the API description of the path `as`. */
async function call(target: string, { method = 'GET', body, headers, as = target }: Sent = {}) {
  const response = await fetch(`${service.url}/v1/node${target}`, {
    method,
    headers: { 'x-api-key': key, ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const faults = contract.faults({
    method,
    path: `/v1/node${as.split('?')[0]}`,
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: text,
  });
  expect(faults, text).toEqual([]);
  return { status: response.status, headers: response.headers, body: JSON.parse(text || '{}') };
}

const post = (body: object, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  call('/txs', { method: 'POST', body: JSON.stringify(body), headers });

describe('a call', () => {
  it('returns balances with a link to the explorer, and Cache-Control: no-store', async () => {
    const { status, headers, body } = await call(`/bank/balances/${ADDRESS}`, {
      as: '/bank/balances/{address}',
    });
    expect(status).toBe(200);
    expect(body).toEqual({ height: '1000', result: [{ denom: 'ukava', amount: '7' }] });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('link')).toBe(
      `<https://explorer.example/address/${ADDRESS}>; rel="alternate"; title="explorer"`,
    );
  });

  it('accepts an address in upper case, and uses it in lower case', async () => {
    const upper = ADDRESS.toUpperCase();
    const balances = await call(`/bank/balances/${upper}`, { as: '/bank/balances/{address}' });
    expect(balances).toMatchObject({ status: 200, body: { result: [{ denom: 'ukava', amount: '7' }] } });
    expect(balances.headers.get('link')).toContain(`/address/${ADDRESS}>`);
    const account = await call(`/auth/accounts/${upper}`, { as: '/auth/accounts/{address}' });
    expect(account).toMatchObject({ status: 200, body: { result: { value: { address: ADDRESS } } } });
    for (const condition of [
      `message.sender=${upper}`,
      `query=${encodeURIComponent(`message.sender='${upper}' AND tx.height>=5`)}`,
      `events=${encodeURIComponent(`transfer.recipient='${upper}'`)}`,
    ]) {
      expect((await call(`/txs?${condition}`)).status).toBe(200);
      const sent = JSON.stringify(node.calls.at(-1));
      expect(sent, condition).toContain(ADDRESS);
      expect(sent, condition).not.toContain(upper);
    }
  });

  it('forwards the query of a search, except the service’s own parameters', async () => {
    node.state.known.set(HASH, { height: '5', txhash: HASH });
    const target = `/txs?message.sender=${ADDRESS}&tx.minheight=5&currency=usd&network=mainnet&page=1&limit=10`;
    const { status, headers, body } = await call(target);
    expect(status).toBe(200);
    expect(body).toMatchObject({ total_count: '1', count: '1', page_number: '1', limit: '10' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(node.asked().at(-1)?.query).toEqual({
      query: `message.sender='${ADDRESS}' AND tx.height>=5`,
      page: '1',
      limit: '10',
      'pagination.offset': '0',
      'pagination.limit': '10',
    });
  });

  it('returns a transaction in a block as immutable', async () => {
    node.state.known.set(HASH, { height: '5', txhash: HASH, code: 11, raw_log: 'out of gas' });
    const { status, headers, body } = await call(`/txs/${HASH.toLowerCase()}`, { as: '/txs/{hash}' });
    expect(status).toBe(200);
    expect(body).toEqual({ height: '5', txhash: HASH, code: 11, raw_log: 'out of gas', tx: {} });
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(headers.get('link')).toBe(
      `<https://explorer.example/tx/${HASH}?from=quotient>; rel="alternate"; title="explorer"`,
    );
  });

  it('returns a transaction that is not in a block with Cache-Control: no-store', async () => {
    const other = 'CD'.repeat(32);
    node.state.known.set(other, { height: '0', txhash: other });
    const { headers } = await call(`/txs/${other}`, { as: '/txs/{hash}' });
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/x-www-form-urlencoded'])(
    'accepts a broadcast with the media type %s',
    async (type) => {
      const { status, headers, body } = await post({ tx_bytes: TX_BYTES, mode: 'sync' }, { 'content-type': type });
      expect(status).toBe(200);
      expect(body).toEqual({ height: '0', txhash: await txHashOf(TX_BYTES), raw_log: '[]' });
      expect(headers.get('cache-control')).toBe('no-store');
      expect(JSON.parse(node.asked().at(-1)?.body ?? '')).toEqual({
        tx_bytes: TX_BYTES,
        mode: 'BROADCAST_MODE_SYNC',
      });
    },
  );

  it('returns an account, the chain and its blocks with Cache-Control: no-store', async () => {
    const account = await call(`/auth/accounts/${ADDRESS}`, { as: '/auth/accounts/{address}' });
    expect(account.body).toEqual({
      height: '1000',
      result: {
        type: 'cosmos-sdk/Account',
        value: {
          address: ADDRESS,
          coins: [{ denom: 'ukava', amount: '7' }],
          ...{ public_key: null, account_number: '5', sequence: '6' },
        },
      },
    });
    const info = await call('/node_info');
    expect(info.body).toMatchObject({ node_info: { network: 'test-1' } });
    const latest = await call('/blocks/latest');
    expect(latest.body.block.header).toMatchObject({ chain_id: 'test-1', height: '1000' });
    const block = await call('/blocks/7', { as: '/blocks/{height}' });
    expect(block.body.block).toMatchObject({ header: { height: '7' }, data: { txs: null } });
    for (const { status, headers } of [account, info, latest, block])
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  });

  it('is free of charge', async () => {
    const usage = await (await service.get('/v1/user/usage', { key })).json();
    expect(usage).toMatchObject({ used: 0 });
  });
});

describe('a rejection by the node', () => {
  it('of a transaction is a 200 response with its code', async () => {
    const txhash = await txHashOf(TX_BYTES);
    node.state.override = ({ method }) =>
      method === 'POST'
        ? { body: JSON.stringify({ tx_response: { height: '0', txhash, code: 32, raw_log: 'no' } }) }
        : undefined;
    const { status, headers, body } = await post({ tx_bytes: TX_BYTES, mode: 'block' });
    expect(status).toBe(200);
    expect(body).toEqual({ height: '0', txhash, code: 32, raw_log: 'no' });
    expect(headers.get('link')).toBeNull();
  });

  it.each([400, 404, 422])('with status %i is passed on, with its message in `error`', async (status) => {
    const message = `this is refused with ${status}`;
    node.state.override = ({ path }) =>
      path.endsWith('latest') ? undefined : { status, body: JSON.stringify({ code: 3, message, details: [] }) };
    const received = [await post({ tx_bytes: TX_BYTES, mode: 'sync' }), await call('/txs?tx.height=5')];
    for (const one of received) {
      expect(one.status).toBe(status);
      expect(one.body).toMatchObject({ code: 'node_rejected', status, error: message });
    }
  });

  it('of an unknown transaction is 404, and of amino JSON that cannot be encoded 422', async () => {
    const unknown = await call(`/txs/${'EF'.repeat(32)}`, { as: '/txs/{hash}' });
    expect(unknown).toMatchObject({ status: 404, body: { code: 'node_rejected' } });
    const msg = [{ type: 'wasm/MsgStoreCode', value: {} }];
    const tx = { msg, fee: { amount: [], gas: '1' }, signatures: [], memo: '' };
    const amino = await post({ tx, mode: 'sync' });
    expect(amino).toMatchObject({ status: 422, body: { code: 'node_rejected', error: /send tx_bytes/ } });
  });

  it('a broadcast without a response is 504 with its hash', async () => {
    node.state.override = ({ method, path }) => {
      if (method === 'POST') return { status: 502, body: 'gone' };
      return /txs\/[A-F0-9]{64}$/.test(path) ? { status: 200, body: 'gone' } : undefined;
    };
    const brief = await startService({ settings: { NODE_URLS: node.url, UPSTREAM_TIMEOUT_MS: '300' } });
    try {
      const response = await fetch(`${brief.url}/v1/node/txs`, {
        method: 'POST',
        headers: { 'x-api-key': await brief.register() },
        body: JSON.stringify({ tx_bytes: TX_BYTES, mode: 'sync' }),
      });
      expect(response.status).toBe(504);
      expect(await response.json()).toMatchObject({
        code: 'upstream_timeout',
        txhash: expect.stringMatching(/^[A-F0-9]{64}$/),
      });
      const ready = await (await brief.get('/health/ready')).json();
      expect(ready).toMatchObject({ warnings: [expect.stringMatching(/^node 1: /)] });
    } finally {
      await brief.close();
    }
  });
});

it('without a node, every call reports that no node is configured', async () => {
  const bare = await startService();
  try {
    const headers = { 'x-api-key': await bare.register() };
    const body = JSON.stringify({ tx_bytes: TX_BYTES, mode: 'sync' });
    for (const [target, init] of [
      [`/bank/balances/${ADDRESS}`, {}],
      [`/auth/accounts/${ADDRESS}`, {}],
      ['/node_info', {}],
      ['/blocks/latest', {}],
      ['/blocks/5', {}],
      [`/txs/${HASH}`, {}],
      ['/txs?tx.height=5', {}],
      ['/txs', { method: 'POST', body }],
    ] as const) {
      const response = await fetch(`${bare.url}/v1/node${target}`, { headers, ...init });
      expect(response.status, target).toBe(503);
      expect(response.headers.get('retry-after')).toBe('3600');
      expect(await response.json()).toMatchObject({ code: 'node_not_configured' });
    }
  } finally {
    await bare.close();
  }
});
