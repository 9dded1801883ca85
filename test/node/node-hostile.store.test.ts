import { toBech32 } from '@cosmjs/encoding';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Service, startService } from '../support/service/service.ts';
import { exchange } from '../support/service/socket.ts';
import { startTestNode, type TestNode } from '../support/upstream/test-node.ts';

const ADDRESS = 'kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';

let node: TestNode;
let service: Service;
let key: string;

beforeAll(async () => {
  node = await startTestNode();
  service = await startService({
    settings: { NODE_URLS: `${node.url}/secret-prefix`, BURST_PER_SECOND: '0' },
  });
  key = await service.register();
});
afterAll(async () => {
  await service?.close();
  await node?.close();
});

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Buffer };

/** Sends a request with exactly these bytes, below `/v1/node`. */
async function send(target: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) {
  const all = {
    host: 'quotient',
    'x-api-key': key,
    ...(body.length > 0 && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const response = await exchange(service.url, `${method} /v1/node${target} HTTP/1.1\r\n${lines.join('')}\r\n`, body);
  const problem = JSON.parse(response.body) as { code?: string; errors?: { location: string }[] };
  return {
    status: response.status,
    code: problem.code,
    locations: problem.errors?.map(({ location }) => location),
    text: response.body,
  };
}

describe('requests that must not reach the node', () => {
  afterEach(() => expect(node.calls).toEqual([]));

  const withChecksum = (prefix: string) => toBech32(prefix, new Uint8Array(20));
  it.each([
    '..%2f..%2fstatus',
    '%2e%2e%2f%2e%2e%2fstatus',
    '%2e%2e',
    '..%5c..%5cstatus',
    '%00',
    `${ADDRESS}%00`,
    `${ADDRESS}%2f..%2fstatus`,
    `${ADDRESS}%3fheight=1`,
    `${ADDRESS}%0d%0aX-Evil:%201`,
    `${ADDRESS}%20`,
    'http%3a%2f%2fevil.example%2f',
    '%2f%2fevil.example',
    ADDRESS.replace('kava', 'KAVA'),
    ADDRESS.replace(/.$/, (last) => last.toUpperCase()),
    `${ADDRESS.slice(0, -1)}q`,
    encodeURIComponent(withChecksum('../../status')),
    encodeURIComponent(withChecksum('a/b')),
    'x'.repeat(500),
  ])('an address such as %s', async (text) => {
    const response = await send(`/bank/balances/${text}`);
    expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['path.address'] });
  });

  it.each([
    'status',
    '..%2fstatus',
    '%00',
    'A'.repeat(63),
    'A'.repeat(65),
    `${'A'.repeat(64)}%0a`,
    `${'A'.repeat(61)}%2f..`,
    'G'.repeat(64),
    '０'.repeat(20),
  ])('a hash such as %s', async (text) => {
    const response = await send(`/txs/${encodeURI(decodeURIComponent(text)) === text ? text : encodeURI(text)}`);
    expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: ['path.hash'] });
  });

  it.each([
    ['/bank/balances/../../status', 404, 'not_found'],
    [`/bank/balances/${ADDRESS}/../../status`, 404, 'not_found'],
    ['/bank/balances/http://evil.example/', 404, 'not_found'],
    ['/bank/balances/', 400, 'invalid_request'],
    ['/bank/balances', 404, 'not_found'],
    ['/status', 404, 'not_found'],
    ['/blocks', 404, 'not_found'],
    ['/blocks/0', 400, 'invalid_request'],
    ['/blocks/-1', 400, 'invalid_request'],
    ['/blocks/Latest', 400, 'invalid_request'],
    ['/blocks/..%2fstatus', 400, 'invalid_request'],
    ['/blocks/1%00', 400, 'invalid_request'],
    [`/blocks/${'9'.repeat(19)}`, 400, 'invalid_request'],
    ['/node_info/x', 404, 'not_found'],
    [`/auth/accounts/${ADDRESS}x`, 400, 'invalid_request'],
    ['/auth/accounts/..%2f..%2fstatus', 400, 'invalid_request'],
    ['/auth/accounts', 404, 'not_found'],
    ['/cosmos/tx/v1beta1/txs', 404, 'not_found'],
    ['/bank/balances/%zz', 400, 'invalid_request'],
    [`/bank/balances/${'x'.repeat(10 * 1024)}`, 414, 'uri_too_long'],
    [`/bank/balances/${'x'.repeat(2 * 1024)}`, 414, 'uri_too_long'],
    [`/txs?message.sender=${'x'.repeat(64 * 1024)}`, 414, 'uri_too_long'],
    [`/txs?message.sender=${ADDRESS}&mnemonic=abandon`, 400, 'secret_in_request'],
    ['/txs', 400, 'invalid_request'],
    ['/txs?foo=bar', 400, 'invalid_request'],
    [`/txs?message.sender=x'%20OR%20a.b='`, 400, 'invalid_request'],
    ['/txs?message.sender=%00', 400, 'invalid_request'],
    ['/txs?a.b%27=1', 400, 'invalid_request'],
    [`/txs?message.sender=${ADDRESS}&page=-1`, 400, 'invalid_request'],
    [`/txs?message.sender=${ADDRESS}&limit=1e9`, 400, 'invalid_request'],
  ])('GET %s', async (target, status, code) => {
    expect(await send(target)).toMatchObject({ status, code });
  });

  it.each([
    ['PUT', '/txs'],
    ['DELETE', `/txs/${'A'.repeat(64)}`],
    ['POST', `/txs/${'A'.repeat(64)}`],
    ['POST', `/bank/balances/${ADDRESS}`],
    ['POST', `/auth/accounts/${ADDRESS}`],
    ['PUT', '/blocks/latest'],
    ['DELETE', '/node_info'],
  ])('%s %s', async (method, target) => {
    expect(await send(target, { method })).toMatchObject({ status: 405, code: 'method_not_allowed' });
  });

  const tx = { msg: [], fee: { amount: [], gas: '1' }, signatures: [], memo: '' };
  it.each([
    ['no body', '', 'body'],
    ['broken JSON', '{"tx_bytes": "CpAB"', 'body'],
    ['not JSON', 'tx_bytes=CpAB&mode=sync', 'body'],
    ['a list', '[]', 'body'],
    ['a text', '"tx"', 'body'],
    ['null', 'null', 'body'],
    ['neither', '{"mode":"sync"}', 'body'],
    ['both', JSON.stringify({ tx, tx_bytes: 'CpAB', mode: 'sync' }), 'body'],
    ['no mode', JSON.stringify({ tx }), 'body.mode'],
    ['a wrong mode', JSON.stringify({ tx, mode: 'commit' }), 'body.mode'],
    ['a mode of the modern API', JSON.stringify({ tx, mode: 'BROADCAST_MODE_SYNC' }), 'body.mode'],
    ['a mode named like an inherited property', JSON.stringify({ tx, mode: 'constructor' }), 'body.mode'],
    ['a list of modes', JSON.stringify({ tx, mode: ['sync'] }), 'body.mode'],
    ['a tx that is a string', JSON.stringify({ tx: 'x', mode: 'sync' }), 'body.tx'],
    ['bytes that are not base64', JSON.stringify({ tx_bytes: '~', mode: 'sync' }), 'body.tx_bytes'],
    ['truncated bytes', JSON.stringify({ tx_bytes: 'CpA', mode: 'sync' }), 'body.tx_bytes'],
    ['no bytes', JSON.stringify({ tx_bytes: '', mode: 'sync' }), 'body.tx_bytes'],
    ['bytes as a number', JSON.stringify({ tx_bytes: 5, mode: 'sync' }), 'body.tx_bytes'],
    ['too deep', `{"mode":"sync","tx":{"msg":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`, 'body'],
    ['too many values', `{"mode":"sync","tx":{"msg":[${'{},'.repeat(40_000)}{}]}}`, 'body'],
  ])('a broadcast with %s', async (_name, body, location) => {
    const headers = { 'content-type': 'application/json' };
    const response = await send('/txs', { method: 'POST', headers, body });
    expect(response).toMatchObject({ status: 400, code: 'invalid_request', locations: [location] });
    expect(response.text).not.toMatch(/CpA|commit/);
  });

  it('a broadcast of 5 MB', async () => {
    const body = Buffer.alloc(5 * 1024 * 1024, ' ');
    const headers = { 'content-type': 'application/json' };
    expect(await send('/txs', { method: 'POST', headers, body })).toMatchObject({
      status: 413,
      code: 'body_too_large',
    });
  });

  it('a broadcast of 5 MB in chunks', async () => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x100000, ' '), Buffer.from('\r\n')]);
    const head =
      `POST /v1/node/txs HTTP/1.1\r\nhost: quotient\r\nx-api-key: ${key}\r\n` +
      'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
    const response = await exchange(service.url, head, chunk, chunk, chunk, chunk, chunk, '0\r\n\r\n');
    expect(response.status).toBe(413);
  });

  it('a broadcast with another media type', async () => {
    const body = JSON.stringify({ tx_bytes: 'CpAB', mode: 'sync' });
    for (const type of ['application/xml', 'multipart/form-data; boundary=x', 'image/png']) {
      const headers = { 'content-type': type };
      expect(await send('/txs', { method: 'POST', headers, body })).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
    }
  });

  it('a seed phrase in a broadcast', async () => {
    const body = JSON.stringify({ tx, mode: 'sync', Mnemonic: 'abandon ability' });
    const response = await send('/txs', { method: 'POST', body });
    expect(response).toMatchObject({ status: 400, code: 'secret_in_request' });
    expect(response.text + service.logLines.join('')).not.toContain('abandon');
  });

  it('a call without a key, before its parameters are validated', async () => {
    const headers = { 'x-api-key': '' };
    for (const target of [`/bank/balances/${ADDRESS}`, '/bank/balances/x', '/txs?tx.height=5']) {
      expect(await send(target, { headers })).toMatchObject({ status: 401, code: 'api_key_missing' });
    }
    const broadcast = await send('/txs', { method: 'POST', headers, body: '{"broken' });
    expect(broadcast).toMatchObject({ status: 401, code: 'api_key_missing' });
  });
});

describe('requests that reach the node', () => {
  it('contain no client data except parameters and body', async () => {
    node.state.override = ({ path }) =>
      path.endsWith('latest') ? { body: JSON.stringify({ block: { header: { height: '5' } } }) } : undefined;
    const headers = {
      cookie: 'session=s3cret',
      authorization: 'Bearer s3cret',
      'x-forwarded-for': '203.0.113.9',
      'x-cosmos-block-height': '1',
      'x-request-id': 's3cret-id',
      'user-agent': 's3cret',
      te: 'trailers',
      'proxy-authorization': 's3cret',
      connection: 'close, x-api-key',
    };
    await send(`/txs?message.sender=${ADDRESS}&x.y=a%0Ab`, { headers });
    await send(`/bank/balances/${ADDRESS}?height=1&x=s3cret`, { headers });
    await send('/txs', { method: 'POST', headers, body: '{"tx_bytes":"CpAB","mode":"sync","x":"s3cret"}' });
    expect(node.calls.length).toBeGreaterThan(2);
    for (const call of node.calls) {
      expect(Object.keys(call.headers).sort()).toEqual(
        [
          'accept',
          'accept-encoding',
          'connection',
          'host',
          'user-agent',
          ...(call.method === 'POST' ? ['content-length', 'content-type'] : []),
        ].sort(),
      );
      expect(JSON.stringify(call)).not.toMatch(/s3cret|qt_/);
      // Every request keeps the path prefix of the node's URL.
      expect(call.path).toMatch(/^\/secret-prefix\/(cosmos\/|blocks\/latest$)/);
    }
  });
});
