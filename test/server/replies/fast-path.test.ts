import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Allowance } from '#accounts/gate/allowance';
import { createGate } from '#accounts/gate/gate';
import { OWNER_SCOPES, type Scope } from '#accounts/keys/api-key';
import type { Caller } from '#accounts/keys/key-cache';
import type { KeyHolder } from '#accounts/keys/user-store';
import type { Receipt } from '#accounts/ledger/leases';
import { type Instant, systemClock } from '#core/clock';
import { createRequestBodies, TIMEOUTS } from '#server/connections/request-body';
import { createHttpServer, createPendingResponses } from '#server/connections/server';
import { createCorsHeaders } from '#server/cross-origin';
import type { Answer } from '#server/replies/answer-body';
import { bodyOf } from '#server/replies/answer-body';
import { createCacheHeaders } from '#server/replies/answer-headers';
import { createFastPath, type FastPath } from '#server/replies/fast-path';
import { createAnswerWriter } from '#server/replies/write-answer';
import type { LogAnswer } from '#server/request-log';
import { countsOf, createRequestHistograms, type RequestHistograms } from '#server/request-metrics';
import { recordTraces } from '../../support/recording-tracer.ts';

const NOW = Date.parse('2026-05-15T14:10:06Z');
const KEY = 'known';
/** The remaining calls of a lease after a refund. */
const LEASE = { granted: 7, spent: 0, left: 0 };
const URL = '/v1/prices/latest/token?tokenName=bitcoin';

let fastPath: FastPath;
let server: Server;
/** The number of requests that reached the framework. */
let framework: string[];
let spent: number;
/** The number of calls that remain charged. */
let kept: number;
let left: number;
/** The number of calls that were spent. */
let spendCalls: number;
let holds: boolean;
/** The generation of the catalogue, which may change while the framework handles a request. */
let generation: number;
let onFramework: () => void;
/** The cost of a call. */
let cost: number;
/** The scopes of the key. */
let scopes: readonly Scope[];
/** When the user's term ends. */
let validUntil: number;
/** The origins for which the key's uses were noted. */
let noted: (string | undefined)[];

const answer: Answer = {
  body: bodyOf('{"current_price":1}'),
  source: 'coingecko',
  modifiedAt: NOW - 1000,
  fetchedAt: NOW - 1900,
  dueAt: NOW + 60_000,
  settled: false,
  gaps: [],
  outcome: { fetched: false, refreshing: false, failure: undefined },
  fromCache: () => (holds ? answer : undefined),
};

const ETAG_KEY = 'a key';
/** The response's validator. */
const { etag: ETAG } = createCacheHeaders({ varyByOrigin: false, etagKey: ETAG_KEY })(
  answer,
  answer.body.identity,
  'json',
  NOW,
);

const route = {
  url: '/v1/prices/latest/token',
  config: { scope: 'prices', usagePath: 1 },
} as FastifyRequest['routeOptions'];

/** The parts of one user's allowance that the fast path uses. */
function anAllowance(): Allowance {
  const period = { start: NOW, end: NOW + 1_000_000 };
  const verbs = {
    holderAtOnce: (apiKey: string) => (apiKey === KEY ? { user: { key: 1, validUntil }, scopes } : undefined),
    noteUse: (_caller: Caller, _now: number, origin?: string) => void noted.push(origin),
    spendAtOnce(_key: KeyHolder, _path: number, _now: Instant, cost: number) {
      spendCalls += 1;
      if (left < cost) return undefined;
      left -= cost;
      spent += cost;
      return { lease: { period, limit: 10, ...LEASE }, cost, remaining: left };
    },
    keep() {
      kept += 1;
    },
    refund({ cost }: Receipt) {
      left += cost;
      spent -= cost;
    },
  };
  return verbs as unknown as Allowance;
}

type Opening = { burstPerSecond?: number; requests?: RequestHistograms; log?: LogAnswer; origins?: string[] };

async function open({ burstPerSecond = 0, requests, log, origins = [] }: Opening = {}): Promise<void> {
  const clock = { ...systemClock, now: () => NOW };
  const [bodies, pending] = [createRequestBodies(), createPendingResponses()];
  const gate = createGate(anAllowance(), burstPerSecond);
  const corsHeaders = createCorsHeaders(origins);
  const cacheHeaders = createCacheHeaders({ varyByOrigin: corsHeaders.vary, etagKey: ETAG_KEY });
  const write = createAnswerWriter({ gate, cacheHeaders, corsHeaders, keepAliveMs: 1000 });
  const catalogue = { generation: () => generation };
  fastPath = createFastPath({ gate, catalogue, clock, write, requests, log });
  const create = createHttpServer({ timeouts: TIMEOUTS, bodies, pending, fastPath: fastPath.answer });
  server = create((incoming: IncomingMessage, response) => {
    framework.push(`${incoming.method} ${incoming.url}`);
    onFramework();
    fastPath.remember(incoming, answer, 'json', route, cost);
    response.end('framework');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

type Received = { status: number; headers: IncomingMessage['headers']; body: string };

function respond(
  headers: Record<string, string | string[]> = {},
  { url = URL, method = 'GET', body = '' } = {},
): Promise<Received> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = { 'x-api-key': KEY, ...headers };
    const sending = request({ port, host: '127.0.0.1', path: url, method, headers: sent }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

beforeEach(async () => {
  [framework, spent, kept, left, spendCalls, holds, cost] = [[], 0, 0, 100, 0, true, 1];
  [generation, onFramework] = [1, () => undefined];
  [scopes, noted, validUntil] = [['prices'], [], NOW + 1];
  await open();
});
afterEach(() => void server.close());

test('a repeated request is answered without the framework, with all headers', async () => {
  expect((await respond()).body).toBe('framework');
  const again = await respond({ 'x-request-id': 'mine' });
  expect(framework).toHaveLength(1);
  expect(again).toMatchObject({ status: 200, body: '{"current_price":1}' });
  expect(again.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': '19',
    etag: ETAG,
    'cache-control': expect.stringContaining('max-age=62'),
    'cache-status': 'quotient; hit; ttl=60',
    age: '1',
    ratelimit: '"plan";r=99;t=1000',
    'ratelimit-policy': '"plan";q=10;w=1000',
    'x-request-id': 'mine',
  });
  expect([spent, kept]).toEqual([1, 1]);
});

test('a request of a sampled trace is recorded, without the framework', async () => {
  await respond();
  const { ended, close } = recordTraces({ isSampled: (parent) => parent?.traceFlags === 1 });
  const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}`;
  for (const traceparent of [
    `${parent}-01`,
    `${parent}-00`,
    `${parent}-01-x`,
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
  ])
    await respond({ traceparent });
  await respond({ traceparent: `${parent}-01`, 'if-none-match': ETAG });
  close();
  expect(framework).toHaveLength(1);
  const attributes = { 'http.request.method': 'GET', 'http.route': route.url, 'url.path': route.url };
  const recorded = (status: number) => ({
    name: `GET ${route.url}`,
    parent: 'b'.repeat(16),
    attributes: { ...attributes, 'http.response.status_code': status },
    isFailed: false,
  });
  expect(ended).toMatchObject([recorded(200), recorded(304)]);
  for (const { at } of ended) expect(at).toEqual([...at].sort((a, b) => Number(a) - Number(b)));
});

test.each([
  ['another URL', {}, { url: `${URL}&x=1` }],
  ['another method', {}, { method: 'HEAD' }],
  ['an unknown key', { 'x-api-key': 'unknown' }, {}],
  ['two keys', { 'x-api-key': [KEY, KEY] }, {}],
  ['another Accept header', { accept: 'text/csv' }, {}],
  ['a body', { 'content-length': '2' }, { body: 'ab' }],
  ['a chunked body', { 'transfer-encoding': 'chunked' }, { body: 'ab' }],
  ['headers that are too large', { 'x-long': 'x'.repeat(16_000), 'x-longer': 'x'.repeat(1000) }, {}],
])('passes a request with %s to the framework, without a charge', async (_what, headers, rest) => {
  await respond();
  await respond(headers as Record<string, string>, rest);
  expect(framework).toHaveLength(2);
  expect(spent).toBe(0);
});

test('a key without the route’s scope goes to the framework, which rejects it', async () => {
  await respond();
  scopes = ['node'];
  expect((await respond()).body).toBe('framework');
  expect([spent, noted]).toEqual([0, []]);
});

test('the use of a key is noted, and for an owner key also the origin of a cross-site page', async () => {
  await respond();
  const page = { host: 'quotient.example', origin: 'https://shop.example' };
  await respond(page);
  scopes = OWNER_SCOPES;
  await respond(page);
  await respond({ ...page, 'sec-fetch-site': 'same-origin' });
  await respond({ ...page, origin: 'http://quotient.example' });
  await respond({ ...page, origin: `https://${'x'.repeat(300)}` });
  expect(noted).toEqual([undefined, 'https://shop.example', undefined, undefined, undefined]);
});

test('a call with an expired key is passed to the framework, without a charge', async () => {
  await respond();
  expect((await respond()).body).toBe('{"current_price":1}');
  validUntil = NOW;
  expect((await respond()).body).toBe('framework');
  expect(spendCalls).toBe(1);
});

test('a response that is no longer valid is not reused', async () => {
  await respond();
  holds = false;
  expect((await respond()).body).toBe('framework');
  expect(spent).toBe(0);
});

test('after a token was added or removed, a request is passed to the framework, because its URL may name another token', async () => {
  await respond();
  expect((await respond()).body).toBe('{"current_price":1}');
  generation += 1;
  expect((await respond()).body).toBe('framework');
  expect((await respond()).body).toBe('{"current_price":1}');
});

test('a response is not remembered if a token was added or removed while it was built', async () => {
  onFramework = () => {
    generation += 1;
  };
  await respond();
  onFramework = () => undefined;
  expect((await respond()).body).toBe('framework');
  expect((await respond()).body).toBe('{"current_price":1}');
});

test('a call without remaining calls in the lease is passed to the framework', async () => {
  await respond();
  left = 0;
  expect((await respond()).body).toBe('framework');
});

test('a call that costs several calls is charged the same again, or passed to the framework if fewer calls are left', async () => {
  cost = 10;
  await respond();
  expect((await respond()).headers.ratelimit).toBe('"plan";r=90;t=1000');
  const unchanged = await respond({ 'if-none-match': ETAG });
  expect([unchanged.status, spent, left]).toEqual([304, 10, 90]);
  left = 9;
  expect((await respond()).body).toBe('framework');
  expect([spent, left]).toEqual([10, 9]);
});

test('a call above the burst limit is passed to the framework, without a charge', async () => {
  server.close();
  await open({ burstPerSecond: 3 });
  await respond();
  const bodies = [];
  for (let i = 0; i < 5; i++) bodies.push((await respond()).body);
  expect(bodies.filter((body) => body !== 'framework')).toHaveLength(3);
  expect([spendCalls, spent, left]).toEqual([3, 3, 97]);
});

test('responses are counted under the remembered route, and requests passed to the framework are not', async () => {
  server.close();
  const requests = createRequestHistograms();
  await open({ requests });
  await respond();
  for (let i = 0; i < 3; i++) await respond();
  await respond({ 'x-api-key': 'unknown' });
  expect(framework).toHaveLength(2);
  const counted = Array.from(requests.all(), (histogram) => {
    const { route, method, status } = histogram;
    return [route, method, status, countsOf(histogram).reduce((sum, count) => sum + count)];
  });
  expect(counted).toEqual([['/v1/prices/latest/token', 'GET', 200, 3]]);
});

test('after it is closed, all requests go to the framework', async () => {
  await respond();
  fastPath.close();
  await respond();
  await respond();
  expect(framework).toHaveLength(3);
});

test.each(['etag', '*'])('the response’s validator (%s) gets a 304, free of charge', async (known) => {
  server.close();
  const requests = createRequestHistograms();
  await open({ requests });
  await respond();
  const etag = known === 'etag' ? ETAG : known;
  const { status, headers, body } = await respond({ 'if-none-match': etag });
  expect([status, body, headers.etag]).toEqual([304, '', ETAG]);
  for (const name of ['content-type', 'content-length']) expect(headers).not.toHaveProperty(name);
  expect(headers.ratelimit).toBe('"plan";r=7;t=1000');
  expect([framework.length, spendCalls, spent, left]).toEqual([1, 1, 0, 100]);
  expect(Array.from(requests.all(), ({ status }) => status)).toEqual([200, 304]);
});

test('another validator gets a 200, which is charged', async () => {
  await respond();
  expect(await respond({ 'if-none-match': '"x"' })).toMatchObject({ status: 200, body: '{"current_price":1}' });
  expect([framework.length, spent]).toEqual([1, 1]);
});

test.each([
  [['*'], 'https://any.example.org', '*'],
  [['*'], undefined, '*'],
  [['https://app.example.org'], 'https://app.example.org', 'https://app.example.org'],
  [['https://app.example.org'], 'https://other.example.org', undefined],
  [[], 'https://app.example.org', undefined],
])('with the origins %j, a page of %s can read it: %s', async (origins, origin, allowed) => {
  server.close();
  await open({ origins });
  await respond();
  const { body, headers } = await respond(origin === undefined ? {} : { origin });
  expect([body, framework.length]).toEqual(['{"current_price":1}', 1]);
  expect(headers['access-control-allow-origin']).toBe(allowed);
  expect(headers['access-control-expose-headers']?.includes('RateLimit')).toBe(allowed && true);
});

test('each response is logged if all requests are logged', async () => {
  server.close();
  const lines: object[] = [];
  await open({ log: (facts) => lines.push(facts) });
  await respond();
  await respond({ 'x-request-id': 'mine' });
  const ms = expect.any(Number);
  const received = { reqId: 'mine', method: 'GET', route: '/v1/prices/latest/token', status: 200, ms, user: 1 };
  expect(lines).toEqual([received]);
});

test('a connection that will be closed receives Connection: close', async () => {
  await respond();
  const { body, headers } = await respond({ connection: 'close' });
  expect([body, headers.connection]).toEqual(['{"current_price":1}', 'close']);
});
