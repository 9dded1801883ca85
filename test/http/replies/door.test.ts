import { once } from 'node:events';
import { type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#domain/clock';
import { countsOf, createRequestTally, type RequestTally } from '#http/metrics/request-histogram';
import { createBurst } from '#http/pipeline/burst';
import { createRequestBodies, PATIENCE } from '#http/pipeline/request-body';
import { requestOptions } from '#http/pipeline/request-limits';
import { createFreshness } from '#http/replies/cache-headers';
import { createOwedAnswers } from '#http/replies/owed-answers';
import { createDoor, type Door } from '#http/replies/response-cache';
import type { Answer } from '#services/caching/answer';
import { bodyOf } from '#services/caching/bodies';
import type { Allowance } from '#services/quota/allowance';

const NOW = Date.parse('2026-05-15T14:10:06Z');
const KEY = 'known';
const URL = '/v1/prices/latest/token?tokenName=bitcoin';

let door: Door;
let server: Server;
/** What reached the framework. */
let framework: string[];
let spent: number;
/** How many of these calls stay paid for. */
let kept: number;
let left: number;
/** How often a call was to be paid for. */
let asked: number;
let holds: boolean;

const answer: Answer = {
  body: bodyOf('{"current_price":1}'),
  modifiedAt: NOW - 1000,
  fetchedAt: NOW - 1900,
  dueAt: NOW + 60_000,
  settled: false,
  gaps: [],
  outcome: { fetched: false, refreshing: false, failure: undefined },
  holds: () => holds,
};

/** An allowance of one user; what of it a door does not use is not there. */
function allowance(): Allowance {
  const period = { start: NOW, end: NOW + 1_000_000 };
  const caller = { user: { key: 1 } };
  const verbs = {
    holderAtOnce: (apiKey: string) => (apiKey === KEY ? caller : undefined),
    spendAtOnce() {
      asked += 1;
      if (left === 0) return undefined;
      left -= 1;
      spent += 1;
      return { lease: { period, limit: 10 }, remaining: left };
    },
    keep() {
      kept += 1;
    },
  };
  return verbs as unknown as Allowance;
}

type Opening = { burstPerSecond?: number; isOpen?: boolean; requests?: RequestTally };

async function open({ burstPerSecond = 0, isOpen = true, requests }: Opening = {}): Promise<void> {
  const burst = createBurst(burstPerSecond);
  const freshness = createFreshness({ variesByOrigin: false });
  const clock = { ...systemClock, now: () => NOW };
  const [bodies, answers] = [createRequestBodies(), createOwedAnswers()];
  door = createDoor({ allowance: allowance(), burst, freshness, clock, bodies, answers, isOpen, requests });
  const options = {
    http: requestOptions(PATIENCE),
    keepAliveTimeout: 1000,
    requestTimeout: 0,
    connectionTimeout: 0,
  };
  server = door.server((incoming: IncomingMessage, response) => {
    framework.push(`${incoming.method} ${incoming.url}`);
    door.remember(incoming, answer, 'json', '/v1/prices/latest/token');
    response.end('framework');
  }, options);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

type Told = { status: number; headers: IncomingMessage['headers']; body: string };

function ask(
  headers: Record<string, string | string[]> = {},
  { url = URL, method = 'GET', body = '' } = {},
): Promise<Told> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const sent = { 'x-api-key': KEY, ...headers };
    const sending = request(
      { port, host: '127.0.0.1', path: url, method, headers: sent },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

beforeEach(async () => {
  [framework, spent, kept, left, asked, holds] = [[], 0, 0, 100, 0, true];
  await open();
});
afterEach(() => void server.close());

test('a question in the same words is answered without the framework, with all the headers', async () => {
  expect((await ask()).body).toBe('framework');
  const again = await ask({ 'x-request-id': 'mine' });
  expect(framework).toHaveLength(1);
  expect(again).toMatchObject({ status: 200, body: '{"current_price":1}' });
  expect(again.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': '19',
    etag: answer.body.identity.etag,
    'cache-control': expect.stringContaining('max-age=60'),
    'cache-status': 'quotient; hit; ttl=60',
    age: '1',
    ratelimit: '"plan";r=99;t=1000',
    'ratelimit-policy': '"plan";q=10;w=1000',
    'x-request-id': 'mine',
  });
  expect([spent, kept]).toEqual([1, 1]);
});

test.each([
  ['other words', {}, { url: `${URL}&x=1` }],
  ['another method', {}, { method: 'HEAD' }],
  ['a key that is not known', { 'x-api-key': 'unknown' }, {}],
  ['two keys', { 'x-api-key': [KEY, KEY] }, {}],
  ['a validator', { 'if-none-match': '"x"' }, {}],
  ['a page of another origin', { origin: 'https://app.example.org' }, {}],
  ['another wish for a media type', { accept: 'text/csv' }, {}],
  ['a body', { 'content-length': '2' }, { body: 'ab' }],
  ['a body in chunks', { 'transfer-encoding': 'chunked' }, { body: 'ab' }],
  ['header fields that are too large', { 'x-long': 'x'.repeat(16_000), 'x-longer': 'x'.repeat(1000) }, {}],
])('%s: goes to the framework, and nothing is taken', async (_what, headers, rest) => {
  await ask();
  await ask(headers as Record<string, string>, rest);
  expect(framework).toHaveLength(2);
  expect(spent).toBe(0);
});

test('an answer that holds no more is not given again', async () => {
  await ask();
  holds = false;
  expect((await ask()).body).toBe('framework');
  expect(spent).toBe(0);
});

test('who has nothing left at once goes to the framework', async () => {
  await ask();
  left = 0;
  expect((await ask()).body).toBe('framework');
});

test('who comes too fast goes to the framework, and nothing is taken for it', async () => {
  server.close();
  await open({ burstPerSecond: 3 });
  await ask();
  const bodies = [];
  for (let i = 0; i < 5; i++) bodies.push((await ask()).body);
  expect(bodies.filter((body) => body !== 'framework')).toHaveLength(3);
  expect([asked, spent, left]).toEqual([3, 3, 97]);
});

test('what it answers is counted by the route that it remembers, and what goes on to the framework is not', async () => {
  server.close();
  const requests = createRequestTally();
  await open({ requests });
  await ask();
  for (let i = 0; i < 3; i++) await ask();
  await ask({ 'x-api-key': 'unknown' });
  expect(framework).toHaveLength(2);
  const counted = Array.from(requests.all(), (tally) => {
    const { route, method, status } = tally;
    return [route, method, status, countsOf(tally).reduce((sum, count) => sum + count)];
  });
  expect(counted).toEqual([['/v1/prices/latest/token', 'GET', 200, 3]]);
});

test('a closed door lets everything through', async () => {
  await ask();
  door.close();
  await ask();
  server.close();
  await open({ isOpen: false });
  await ask();
  await ask();
  expect(framework).toHaveLength(4);
});
