import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { head, MB, sendTexts } from '../../bench/calls/hostile/attacks.ts';
import { openRaw } from '../../bench/calls/hostile/raw-connection.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';

let stand: Stand;
let apiKey: string;
let balances: string;
beforeAll(async () => {
  stand = await openStand();
  apiKey = await stand.register();
  const [account] = stand.sandbox.chain.accounts;
  balances = `/v1/node/bank/balances/${account?.address}`;
});
afterAll(() => stand?.close());

/** A connection that is closed at the end of the test. */
function connected() {
  const connection = openRaw(stand.url());
  onTestFinished(connection.close);
  return connection;
}

/** Matches a problem with this status and code. */
const problem = (status: number, code: string) =>
  expect.objectContaining({
    ...{ status, code },
    headers: expect.objectContaining({
      'content-type': expect.stringMatching(/^application\/problem\+json/),
      'cache-control': 'no-store',
    }),
  });

const BROKEN: readonly [name: string, status: number, code: string, bytes: string][] = [
  ['no Host', 400, 'invalid_request', 'GET /v1/tokens HTTP/1.1\r\n\r\n'],
  ['two Host headers', 400, 'invalid_request', 'GET /v1/tokens HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n'],
  ['no HTTP', 400, 'invalid_request', 'HELO quotient\r\n\r\n'],
  ['a broken header', 400, 'invalid_request', 'GET /v1/tokens HTTP/1.1\r\nhost: a\r\nx y: z\r\n\r\n'],
  [
    'two Content-Length headers',
    400,
    'invalid_request',
    head('POST /v1/user/renew', { 'content-length': '1\r\ncontent-length: 2' }),
  ],
  [
    'both Content-Length and Transfer-Encoding',
    400,
    'invalid_request',
    head('POST /v1/user/renew', { 'content-length': 3, 'transfer-encoding': 'chunked' }),
  ],
  ['an invalid Content-Length', 400, 'invalid_request', head('POST /v1/user/renew', { 'content-length': '-1' })],
  ['a head of 200 KB', 431, 'headers_too_large', head('GET /v1/tokens', { x: 'x'.repeat(200_000) })],
];

it.each(BROKEN)('%s is rejected with %i and a problem', async (_name, status, code, bytes) => {
  const connection = connected();
  connection.send(bytes);
  expect(await connection.readResponse()).toEqual(problem(status, code));
});

it.each(BROKEN)(
  "%s after a pending call: the call's response comes first, then the problem (%i)",
  async (_name, status, code, bytes) => {
    const hold = stand.sandbox.faults.hold({ path: '/balances/' });
    onTestFinished(hold.release);
    const connection = connected();
    connection.send(head(`GET ${balances}`, { 'x-api-key': apiKey }), bytes);
    await hold.arrived(1);
    hold.release();
    expect(await connection.readResponse()).toMatchObject({ status: 200 });
    expect(await connection.readResponse()).toEqual(problem(status, code));
  },
);

it('an invalid chunk is rejected with a problem', async () => {
  const connection = connected();
  connection.send(head('POST /v1/user/renew', { 'transfer-encoding': 'chunked' }), 'zzz\r\n');
  // Both problems are correct: the key is missing, and the body is invalid.
  const response = await connection.readResponse();
  expect([problem(400, 'invalid_request'), problem(401, 'api_key_missing')]).toContainEqual(response);
});

const ODD: readonly [name: string, bytes: string][] = [
  ['CONNECT', 'CONNECT quotient:443 HTTP/1.1\r\nhost: quotient:443\r\n\r\n'],
  ['an upgrade', head('GET /v1/tokens', { connection: 'upgrade', upgrade: 'websocket' })],
  ['an upgrade to HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown expectation', head('POST /v1/user/renew', { expect: 'nothing', 'content-length': 0 })],
];

it.each(ODD)('%s is rejected or the connection is closed, without a 5xx', async (_name, bytes) => {
  const connection = connected();
  connection.send(bytes);
  const response = await connection.readResponse();
  if (!response) await connection.ended;
  expect(response?.status ?? 400).toBeLessThan(500);
});

it('continuous invalid requests on 16 connections do not slow down other users', async () => {
  const texts = [...BROKEN.map(([, , , bytes]) => bytes), ...ODD.map(([, bytes]) => bytes)];
  const { result } = await stand.attacked(() => sendTexts(stand.url(), texts, { connections: 16, ms: ATTACK_MS }));
  expect(result['400 invalid_request']).toBeGreaterThan(0);
  expect(Object.keys(result).filter((kind) => kind.startsWith('5'))).toEqual([]);
});

it.each([
  ['a chunk extension', '1;', Buffer.alloc(64 * 1024, 'x')],
  ['trailers', '0\r\n', Buffer.from(`x-trailer: ${'x'.repeat(1_000)}\r\n`.repeat(64))],
])('closes the connection after too much data in %s', async (_name, beginning, more) => {
  const connection = connected();
  connection.send(head('POST /v1/node/txs', { 'x-api-key': apiKey, 'transfer-encoding': 'chunked' }) + beginning);
  for (let sent = 0; sent < 32 * MB && connection.isOpen(); sent += more.length) {
    connection.send(more);
    await wait(1);
  }
  expect(connection.isOpen()).toBe(false);
});
