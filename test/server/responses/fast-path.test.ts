import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Instant, systemClock } from '#core/clock';
import { createGate } from '#gate/admission';
import type { Allowance } from '#gate/allowance';
import { OWNER_SCOPES, type Scope } from '#keys/api-key';
import type { Caller } from '#keys/key-cache';
import type { KeyHolder } from '#keys/key-validity';
import type { Receipt } from '#ledger/leases';
import { createLingering } from '#server/connections/lingering';
import { createRequestBodies, TIMEOUTS } from '#server/connections/request-body';
import { createHttpServer, createPendingResponses } from '#server/connections/server';
import { createCorsHeaders } from '#server/cross-origin';
import { createFinish } from '#server/finish-request';
import { createRequestTargets } from '#server/request-target';
import { createFastPath, type FastPath } from '#server/responses/fast-path';
import type { DataResponse } from '#server/responses/response-body';
import { bodyOf } from '#server/responses/response-body';
import { createCacheHeaders } from '#server/responses/response-headers';
import { createDataResponseWriter } from '#server/responses/write-response';
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
/** The generation of the catalogue, which may change while the framework handles a request. */
let generation: number;
let onFramework: () => void;
/** The cost of a call. */
let cost: number;
/** The scopes of the key. */
let scopes: readonly Scope[];
/** The origins for which the key's uses were noted. */
let noted: (string | undefined)[];

const DATA: DataResponse = {
  body: bodyOf('{"current_price":1}'),
  source: 'coingecko',
  modifiedAt: NOW - 1000,
  fetchedAt: NOW - 1900,
  dueAt: NOW + 60_000,
  isImmutable: false,
  gaps: [],
  outcome: { fetched: false, refreshing: false, failure: undefined },
  fromCache: () => DATA,
};

const ETAG_KEY = 'a key';
/** The response's validator. */
const { etag: ETAG } = createCacheHeaders({ varyByOrigin: false, etagKey: ETAG_KEY })(
  DATA,
  DATA.body.identity,
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
    holderAtOnce: (apiKey: string) => (apiKey === KEY ? { user: { key: 1, validUntil: NOW + 1 }, scopes } : undefined),
    noteUse: (_caller: Caller, _now: number, origin?: string) => void noted.push(origin),
    spendAtOnce(_key: KeyHolder, _path: number, _now: Instant, cost: number) {
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

async function open(): Promise<void> {
  const clock = { ...systemClock, now: () => NOW };
  const [bodies, pending] = [createRequestBodies(), createPendingResponses()];
  const gate = createGate(anAllowance(), 0);
  const { finish } = createFinish({ gate: { ...gate, requestLog: undefined }, now: clock.now });
  const corsHeaders = createCorsHeaders([]);
  const cacheHeaders = createCacheHeaders({ varyByOrigin: corsHeaders.vary, etagKey: ETAG_KEY });
  const write = createDataResponseWriter({ gate, cacheHeaders, corsHeaders });
  const catalogue = { generation: () => generation };
  fastPath = createFastPath<Receipt>({ gate, catalogue, clock, write, finish });
  const clients = { ofConnection: () => undefined };
  const linger = createLingering(0);
  const create = createHttpServer({
    timeouts: TIMEOUTS,
    bodies,
    pending,
    clients,
    linger,
    takeTarget: createRequestTargets('', ''),
    fastPath: fastPath.respond,
  });
  server = create((incoming: IncomingMessage, response) => {
    framework.push(`${incoming.method} ${incoming.url}`);
    onFramework();
    fastPath.remember(incoming, DATA, 'json', route, cost);
    response.end('framework');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

type Received = { status: number; headers: IncomingMessage['headers']; body: string };

function respond(headers: Record<string, string> = {}): Promise<Received> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = { 'x-api-key': KEY, ...headers };
    const sending = request({ port, host: '127.0.0.1', path: URL, headers: sent }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
    sending.on('error', reject);
    sending.end();
  });
}

beforeEach(async () => {
  framework = [];
  spent = 0;
  kept = 0;
  left = 100;
  cost = 1;
  generation = 1;
  onFramework = () => undefined;
  scopes = ['prices'];
  noted = [];
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

test('after it is closed, all requests go to the framework', async () => {
  await respond();
  fastPath.close();
  await respond();
  await respond();
  expect(framework).toHaveLength(3);
});
