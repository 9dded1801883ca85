import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { base64, transferBytes } from '../../../fixtures/signing.ts';
import { METRICS_ON, openScrape } from '../../support/service/metrics.ts';
import { openOwnStand, openStand, type Stand } from './stand.ts';

let stand: Stand;
let alice = '';
beforeAll(async () => {
  stand = await openStand({ settings: { NODE_REST_PREFIXES: 'osmosis, registration' } });
  afterAll(() => stand?.close());
  alice = stand.chain.accounts[0]?.address as string;
});

const NEW = 'cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu';
const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('a query', () => {
  test('is passed on byte for byte, with the chosen height', async () => {
    const path = `cosmos/bank/v1beta1/balances/${alice}?pagination.limit=1000&pagination.key=AB%2B%2F&x='a'`;
    // `fetch` would encode the quotes.
    await rawGet(path);
    expect(stand.double.calls.at(-1)?.url).toBe(`/cosmos-node/${path}`);
    const { status, headers, body } = await stand.rest(path, {
      headers: { 'x-cosmos-block-height': '5', 'x-other': 'a' },
    });
    expect(status).toBe(200);
    expect(body).toHaveProperty('balances');
    expect(headers.get('grpc-metadata-x-cosmos-block-height')).toMatch(/^\d+$/);
    expect(headers.get('cache-control')).toBe('no-store');
    const received = stand.double.calls.at(-1);
    expect(received?.headers).toMatchObject({ 'x-cosmos-block-height': '5', accept: 'application/json' });
    for (const name of ['x-api-key', 'authorization', 'x-other', 'cookie', 'x-forwarded-for'])
      expect(received?.headers).not.toHaveProperty(name);
  });

  test.each([
    ['/cosmos/staking/v1beta1/params', 'cosmos/staking/v1beta1/params'],
    ['cosmos//staking/v1beta1/params/', 'cosmos/staking/v1beta1/params'],
    ['cosmos/staking/v1beta1/params?', 'cosmos/staking/v1beta1/params?'],
    ['osmosis/gamm/v1beta1/pools', 'osmosis/gamm/v1beta1/pools'],
  ])('%s reaches the node as %s', async (path, received) => {
    await stand.rest(path);
    expect(stand.double.calls.at(-1)?.url).toBe(`/cosmos-node/${received}`);
  });

  test('of an account that does not exist is the node’s 404 with code 5', async () => {
    const { status, body } = await stand.rest(`cosmos/auth/v1beta1/accounts/${NEW}`);
    expect([status, body]).toEqual([404, { code: 5, message: expect.stringContaining('not found'), details: [] }]);
    const missing = 'AB'.repeat(32);
    expect(await stand.rest(`cosmos/tx/v1beta1/txs/${missing}`)).toMatchObject({
      status: 404,
      body: { code: 5, message: expect.stringContaining(`tx not found: ${missing}`) },
    });
  });

  test('of a path that the node does not serve is 501, and never another 404', async () => {
    stand.double.state.override = ({ path }) =>
      path.includes('/nft/') ? { status: 404, body: '404 page not found' } : undefined;
    expect(await stand.rest('cosmos/nft/v1beta1/classes')).toMatchObject({ status: 501, body: { code: 12 } });
    expect(await stand.rest('cosmos/mint/v1beta1/inflation')).toMatchObject({ status: 501, body: { code: 12 } });
    stand.double.state.override = () => undefined;
  });
});

describe('a path that is refused', () => {
  test.each([
    ...['cosmos/nope', 'metrics', 'swagger/', '', 'status', 'cosmos', 'cosmos/', 'terra/oracle/v1beta1/denoms/actives'],
    ...['cosmos/base/reflection/v1beta1/interfaces', 'cosmos/base/tendermint/v1beta1/abci_query?path=/app/version'],
    ...['cosmos/tx/v1beta1/decode', 'cosmos/tx/v1beta1/txs/nothash', 'cosmos/tx/v1beta1/encode/amino', 'COSMOS/bank/x'],
    ...['cosmos/bankrupt/v1beta1/x', 'ibc', 'cosmwasm/wasm/v2/x', 'cosmos/tx/v1beta1/%64ecode', 'osmosis2/x'],
  ])('%s is 501 with code 12 and reaches no node', async (path) => {
    const before = stand.double.asked().length;
    expect(await stand.rest(path)).toMatchObject({ status: 501, body: { code: 12, details: [] } });
    expect(stand.double.asked().length).toBe(before);
  });

  test.each([
    ...['cosmos/%2e%2e/metrics', 'cosmos/bank/%2E%2E/%2e%2e/metrics', 'cosmos/bank/x%2fy', 'cosmos/bank/x%5Cy'],
    ...['cosmos/bank/%252e%252e/x', 'cosmos/bank/x%00', 'cosmos/bank/x%E2%80%8By', 'cosmos/bank/x%0d%0aHost:y'],
    ...['cosmos/bank/x;y', 'cosmos/bank/x%EF%BB%BF'],
    ...['cosmos/bank/v1beta1/supply?pagination.limit=1001', 'cosmos/bank/v1beta1/supply?pagination.limit=0xFFFF'],
    ...['cosmos/bank/v1beta1/supply?pagination.limit=1&pagination.limit=99999'],
    ...['cosmos/bank/v1beta1/supply?pagination%2Elimit=5000', 'cosmos/bank/v1beta1/supply?a=1;pagination.limit=5000'],
    ...[
      'cosmos/bank/v1beta1/supply?pagination.offset=10001',
      'cosmos/bank/v1beta1/supply?pagination.key=AA&pagination.offset=1',
    ],
    ...[
      'cosmos/bank/v1beta1/supply?pagination.limit=18446744073709551615',
      'cosmos/bank/v1beta1/supply?pagination.limit=',
    ],
  ])('%s is 400 with code 3 and reaches no node', async (path) => {
    const before = stand.double.asked().length;
    // `fetch` would resolve the dots.
    const response = await rawGet(path);
    expect(response.status).toBe(400);
    expect(JSON.parse(response.body)).toMatchObject({ code: 3, details: [] });
    expect(stand.double.asked().length).toBe(before);
  });

  test('with dots that the client does not resolve, or with invalid encoding, reaches no node', async () => {
    const before = stand.double.asked().length;
    for (const path of [
      'cosmos/bank/x%zz',
      'cosmos/bank/%c0%ae%c0%ae/x',
      'cosmos/../metrics',
      '../../status',
      'cosmos/bank/../../metrics',
    ])
      expect((await rawGet(path)).status).toBeGreaterThanOrEqual(400);
    expect(stand.double.asked().length).toBe(before);
  });

  test('a malformed height, and other methods, are rejected', async () => {
    const path = 'cosmos/staking/v1beta1/params';
    for (const height of ['-1', '0x5', 'latest', '5, 6'])
      expect(await stand.rest(path, { headers: { 'x-cosmos-block-height': height } })).toMatchObject({
        status: 400,
        body: { code: 3 },
      });
    for (const method of ['HEAD', 'PUT', 'DELETE', 'PATCH'])
      expect(
        (await fetch(`${stand.service.url}/v1/node/rest/${path}`, { method, headers: { 'x-api-key': stand.key } }))
          .status,
      ).toBe(405);
    expect(await stand.rest(path, post({ tx_bytes: 'AA==' }))).toMatchObject({ status: 501, body: { code: 12 } });
  });
});

/** Sends a path as it is. */
async function rawGet(path: string): Promise<{ status: number; body: string }> {
  const { request } = await import('node:http');
  const { hostname, port } = new URL(stand.service.url);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: `/v1/node/rest/${path}`, headers: { 'x-api-key': stand.key } },
      async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part);
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() });
      },
    );
    sent.on('error', reject).end();
  });
}

describe('a transaction', () => {
  const transfer = async (sequence: number) =>
    base64(await transferBytes({ chain: stand.chain }, { to: NEW, sequence }));

  test('is simulated, sent once in any form of the body, and found by its hash', async () => {
    const tx_bytes = await transfer(0);
    const simulated = await stand.rest('cosmos/tx/v1beta1/simulate', post({ tx_bytes }));
    expect(simulated).toMatchObject({ status: 200, body: { gas_info: { gas_used: expect.stringMatching(/^\d+$/) } } });

    const before = stand.double.broadcasts();
    const body = { txBytes: tx_bytes, mode: 'BROADCAST_MODE_SYNC' };
    const sent = await stand.rest('/cosmos/tx/v1beta1/txs', post(body, { 'content-type': 'text/plain;charset=UTF-8' }));
    expect(sent).toMatchObject({ status: 200, body: { tx_response: { code: 0, height: '0', logs: [], tx: null } } });
    expect(stand.double.broadcasts()).toBe(before + 1);
    const { txhash } = sent.body.tx_response as { txhash: string };
    await expect.poll(async () => (await stand.rest(`cosmos/tx/v1beta1/txs/${txhash}`)).status).toBe(200);
    expect(await stand.rest(`cosmos/tx/v1beta1/txs?query=tx.hash%3D%27${txhash}%27`)).toMatchObject({ status: 200 });
  });

  test('in mode block is sent as sync, and returned as the node reports it when it is in a block', async () => {
    const before = stand.double.broadcasts();
    const sent = await stand.rest('cosmos/tx/v1beta1/txs', post({ tx_bytes: await transfer(1), mode: 1 }));
    expect(sent).toMatchObject({
      status: 200,
      body: { tx: { body: { messages: [{ '@type': '/cosmos.bank.v1beta1.MsgSend' }] } }, tx_response: { code: 0 } },
    });
    expect(Number(sent.body.tx_response.height)).toBeGreaterThan(0);
    expect(stand.double.broadcasts()).toBe(before + 1);
  });

  test('that the chain rejects is 200 with its code', async () => {
    const sent = await stand.rest(
      'cosmos/tx/v1beta1/txs',
      post({ tx_bytes: await transfer(77), mode: 'BROADCAST_MODE_SYNC' }),
    );
    expect(sent).toMatchObject({
      status: 200,
      body: { tx_response: { code: 32, codespace: 'sdk', txhash: expect.stringMatching(/^[\dA-F]{64}$/) } },
    });
  });

  test.each([
    ['no JSON', 'text'],
    ['no object', '[]'],
    ['no bytes', { mode: 'BROADCAST_MODE_SYNC' }],
    ['no base64', { tx_bytes: '%%%', mode: 'BROADCAST_MODE_SYNC' }],
    ['an unknown mode', { tx_bytes: 'AA==', mode: 'BROADCAST_MODE_UNSPECIFIED' }],
    ['no mode', { tx_bytes: 'AA==' }],
    ['a seed phrase', { mnemonic: 'a b c', tx_bytes: 'AA==', mode: 'BROADCAST_MODE_SYNC' }],
  ])('with %s is 400 with code 3 and reaches no node', async (_name, body) => {
    const before = stand.double.asked().length;
    expect(await stand.rest('cosmos/tx/v1beta1/txs', post(body))).toMatchObject({ status: 400, body: { code: 3 } });
    expect(stand.double.asked().length).toBe(before);
  });

  test('in a gRPC body, or of more than 128 KB, is rejected', async () => {
    const grpc = post('AAAA', { 'content-type': 'application/grpc-web+proto' });
    expect(await stand.rest('cosmos/tx/v1beta1/txs', grpc)).toMatchObject({ status: 415, body: { code: 3 } });
    const large = post({ tx_bytes: 'A'.repeat(140 * 1024), mode: 2 });
    expect(await stand.rest('cosmos/tx/v1beta1/txs', large)).toMatchObject({ status: 413, body: { code: 8 } });
  });

  test('whose simulation panics is the node’s 500, with a message of at most 2,000 characters', async () => {
    const message = `panic: ${'goroutine 7 [running] '.repeat(400)}`;
    stand.double.state.override = ({ path }) =>
      path.endsWith('/simulate') ? { status: 500, body: JSON.stringify({ code: 2, message, details: [] }) } : undefined;
    const { status, body } = await stand.rest('cosmos/tx/v1beta1/simulate', post({ tx_bytes: 'AA==' }));
    stand.double.state.override = () => undefined;
    expect([status, body.code, body.message]).toEqual([500, 2, message.slice(0, 2000)]);
  });
});

describe('errors of the service', () => {
  const PATH = 'cosmos/staking/v1beta1/params';

  test('have the form of the interface', async () => {
    const { service, key } = stand;
    const owner = { 'x-api-key': key };
    const created = await fetch(`${service.url}/v1/user/keys?label=p&scopes=prices`, {
      method: 'POST',
      headers: owner,
    });
    const { apiKey } = (await created.json()) as { apiKey: string };
    expect(await stand.rest(PATH, { as: 'qt_unknown' })).toMatchObject({
      status: 401,
      body: { code: 16, details: [] },
    });
    expect(await stand.rest(PATH, { as: apiKey })).toMatchObject({ status: 403, body: { code: 7, details: [] } });
    const status = { jsonrpc: '2.0', id: 1, method: 'status' };
    expect(await stand.rpc(status, { as: 'qt_unknown' })).toMatchObject({
      status: 401,
      body: { id: null, error: { code: -32000 } },
    });
    expect(await stand.rpc(status, { as: apiKey })).toMatchObject({ status: 403, body: { error: { code: -32000 } } });
    expect(await stand.rpc('x'.repeat(200_000))).toMatchObject({ status: 413, body: { error: { code: -32000 } } });
  });

  test('of the burst limit are 429 with Retry-After', async () => {
    const { rest, rpc } = await openOwnStand({ settings: { BURST_PER_SECOND: '1' } });
    const answers = await Promise.all([rest(PATH), rest(PATH), rest(PATH)]);
    const limited = answers.find(({ status }) => status === 429);
    expect(limited).toMatchObject({ body: { code: 8, details: [] } });
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await rpc({ jsonrpc: '2.0', id: 1, method: 'status' })).toMatchObject({
      status: 429,
      body: { error: { code: -32000 } },
    });
  });
});

test('metrics and the request log name the prefix or the method, and never an address or a hash', async () => {
  const { service, key, rest, rpc, double } = await openOwnStand({ settings: METRICS_ON });
  const hash = 'CD'.repeat(32);
  // Successful requests are recorded after the log was read.
  await service.get('/v1/user/requests', { key });
  await rest(`cosmos/bank/v1beta1/balances/${alice}`);
  await rest(`cosmos/tx/v1beta1/txs/${hash}`);
  await rest(`cosmos/nope/${alice}`);
  await rest(`cosmos/bank/v1beta1/balances/${alice}`, { as: 'qt_unknown' });
  await rpc({ jsonrpc: '2.0', id: 1, method: 'tx', params: { hash: Buffer.from(hash, 'hex').toString('base64') } });
  await rpc({ jsonrpc: '2.0', id: 1, method: 'genesis' });
  await service.get(`/v1/node/rpc/tx?hash=0x${hash}`, { key });
  const scrape = await openScrape(service);
  const metrics = await scrape.text();
  await scrape.close();
  for (const route of ['rest/cosmos/bank', 'rest/cosmos/tx', 'rest/*', 'rpc/tx', 'rpc/other'])
    expect(metrics.includes(`route="/v1/node/${route}"`), route).toBe(true);
  const log = await (await service.get('/v1/user/requests', { key })).text();
  expect(log).toContain('/v1/node/rest/cosmos/tx');
  for (const text of [metrics, log, service.logLines.join('\n')]) {
    expect(text).not.toContain(alice);
    expect(text.toUpperCase()).not.toContain(hash);
  }
  expect(double.calls.length).toBeGreaterThan(0);
});
