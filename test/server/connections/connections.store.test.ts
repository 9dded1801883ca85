import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { TIMEOUTS } from '#server/connections/request-body';
import { type Service, startService } from '../../support/service/service.ts';
import { startTestNode, type TestNode } from '../../support/upstream/test-node.ts';

/* Faults below the HTTP level, and the state of the connection afterwards. */

const QUICK = { ...TIMEOUTS, head: 400, window: 200, linger: 300 };
const SLOW = '/v1/node/bank/balances/kava17wcggpjx007uc09s8y4hwrj8f228mlwe0n0upn';
let node: TestNode;
let service: Service;
let key: string;
const sockets: Socket[] = [];

beforeAll(async () => {
  node = await startTestNode();
  const settings = { BURST_PER_SECOND: '0', NODE_URLS: node.url };
  service = await startService({ timeouts: QUICK, settings });
  key = await service.createUser();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await service?.close();
  await node?.close();
});

/** A connection on which these bytes are sent. `received` is everything that arrives until the server closes it. */
function open(bytes = '') {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.on('error', () => undefined).on('data', (data) => (text += data.toString('latin1')));
  const send = (more: string) => socket.write(more.replaceAll('\n', '\r\n').replaceAll('KEY', key));
  send(bytes);
  const received = once(socket, 'close').then(() => text.split(/(?=HTTP\/1\.1 \d)/));
  return { socket, send, received, text: () => text };
}

/** The status and code of each response. */
const outcomes = (responses: string[]) =>
  responses.map((response) => {
    const code = /"code":"(\w+)"/.exec(response)?.[1];
    if (code) expect(response).toMatch(/content-type: application\/problem\+json/i);
    return [Number(response.slice(9, 12)), code];
  });

const get = (path: string, fields = 'Host: x\nx-api-key: KEY\n') => `GET ${path} HTTP/1.1\n${fields}\n`;
const post = (path: string, fields: string) => `POST ${path} HTTP/1.1\nHost: x\nx-api-key: KEY\n${fields}\n`;
const TIMED_OUT = [408, 'request_timeout'];
const INVALID = [400, 'invalid_request'];

test.each(['', 'GET /health/live HT', 'GET /health/live HTTP/1.1\nHost: x\nx-'])(
  'responds with 408 to an incomplete head: %j',
  async (bytes) => {
    const responses = await open(bytes).received;
    expect(outcomes(responses)).toEqual([TIMED_OUT]);
    expect(responses[0]).toMatch(/connection: close/i);
  },
);

test.each([
  ['no Host header', '', INVALID],
  ['two Host headers', 'Host: x\nhost: x\n', INVALID],
])('%s', async (_what, fields, outcome) => {
  const responses = await open(get('/health/live', fields) + get('/health/live')).received;
  expect(outcomes(responses)).toEqual([outcome]);
  expect(responses[0]).toMatch(/"location":"header.host"/);
});

test.each([
  ['an invalid head', 'nonsense\n\n', INVALID],
  ['a truncated head', 'GET / HT', TIMED_OUT],
  ['a head that is too large', `GET / HTTP/1.1\nHost: x\nx: ${'x'.repeat(140_000)}\n\n`, [431, 'headers_too_large']],
  ['both Content-Length and Transfer-Encoding', post('/', 'Content-Length: 1\nTransfer-Encoding: chunked\n'), INVALID],
  ['no Host header', get('/health/live', ''), INVALID],
  ['a tunnel', 'CONNECT x:80 HTTP/1.1\nHost: x\n\n', INVALID],
])('%s is answered after the pending responses', async (_what, bytes, outcome) => {
  const { promise: arrival, resolve: arrived } = Promise.withResolvers<() => void>();
  node.state.override = ({ path }, response) => {
    if (!path.includes('/balances/')) return undefined;
    arrived(() => response.end(JSON.stringify({ balances: [], pagination: {} })));
    return 'taken';
  };
  const { send, received } = open(get(SLOW) + get('/health/live'));
  const response = await arrival;
  send(bytes);
  // The service responds on another connection, so it has read the bytes by now.
  await open(get('/health/live', 'Host: x\nConnection: close\n')).received;
  response();
  expect(outcomes(await received)).toEqual([[200, undefined], [200, undefined], outcome]);
});

test.each([
  ['a body that becomes invalid', 'Transfer-Encoding: chunked\n', 'nonsense\n\n', INVALID],
  [
    'a chunk with endless extensions',
    'Transfer-Encoding: chunked\n',
    `1;${'x'.repeat(40_000)}`,
    [413, 'body_too_large'],
  ],
  [
    'endless trailers',
    'Transfer-Encoding: chunked\n',
    `2\n{}\n0\nx: ${'x'.repeat(200_000)}`,
    [431, 'headers_too_large'],
  ],
  ['a body that does not arrive', 'Content-Length: 10\n', '', TIMED_OUT],
  ['a body that is too large', 'Content-Length: 131073\n', 'x'.repeat(131_073), [413, 'body_too_large']],
])('%s is rejected in response to its request, and the connection is closed', async (_what, fields, body, outcome) => {
  expect(outcomes(await open(post('/v1/node/txs', fields) + body).received)).toEqual([outcome]);
});

test.each([
  ['an unknown path', 'POST /nothing', [404, 'not_found']],
  ['an unknown path, with a method that needs no body', 'GET /nothing', [404, 'not_found']],
  ['another method', 'POST /v1/tokens', [405, 'method_not_allowed']],
  ['no key', 'POST /v1/user/rotate', [401, 'api_key_missing']],
])('%s is rejected before the body arrives, and the wait for the body is short', async (_what, line, outcome) => {
  const head = `${line} HTTP/1.1\nHost: x\nContent-Length: 1000000\n\n`;
  const { received, socket } = open(head);
  const dripping = setInterval(() => socket.write('x'), 20);
  expect(outcomes(await received)).toEqual([outcome]);
  clearInterval(dripping);
});

test('after a rejection, the connection stays open if the body has arrived, and closes for a long body', async () => {
  const refused = (bytes: number) => post('/nothing', `Content-Length: ${bytes}\n`) + 'x'.repeat(bytes);
  const last = get('/health/live', 'Host: x\nConnection: close\n');
  const small = open(refused(10) + refused(60_000) + last);
  expect(outcomes(await small.received)).toEqual([
    [404, 'not_found'],
    [404, 'not_found'],
    [200, undefined],
  ]);
  expect(outcomes(await open(refused(100_000) + last).received)).toEqual([[404, 'not_found']]);
  expect(outcomes(await open(refused(2_000_000) + last).received)).toEqual([[413, 'body_too_large']]);
});
