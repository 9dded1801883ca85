import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, isoDate } from '#core/clock';
import { head, repeatRequest, sendTexts } from '../../bench/calls/hostile/attacks.ts';
import { openRaw } from '../../bench/calls/hostile/raw-connection.ts';
import { ATTACK_MS, openStand, type Stand } from './stand.ts';
import { beginUnending, type Unending } from './unending.ts';

const LATEST = '/v1/prices/latest/token?tokenName=bitcoin';
const BURST = 60;

let stand: Stand;
let apiKey: string;
let unending: Unending;
beforeAll(async () => {
  stand = await openStand({ settings: { BURST_PER_SECOND: String(BURST) } });
  apiKey = await stand.register();
  // These connections take a minute to close. Meanwhile, the other tests run.
  unending = beginUnending(stand.url(), apiKey);
  // Loads the whole history into memory, and builds a few response bodies from it.
  await repeatRequest({ url: stand.url(), apiKey }, { path: years, connections: 2, ms: 3_000 });
});
afterAll(() => stand?.close());

let requested = 0;
/** Windows of ten years that have not been requested before. */
function years(): string {
  const [from, thru] = [3_600 + (requested % 60), 2 + (Math.floor(requested / 60) % 200)];
  requested += 1;
  const date = (days: number) => isoDate(Date.now() - days * DAY);
  return `/v1/prices/history/date/range?tokenName=bitcoin&fromDate=${date(from)}&thruDate=${date(thru)}`;
}

const requests = (line: string, headers = {}) => {
  const one = head(line, headers);
  return one.repeat(Math.floor((64 * 1024) / one.length));
};

it.each([
  ['an unknown path', 'GET /x', false],
  ['a list that is built for each request', 'GET /v1/tokens', false],
  ['a text of 200 KB', 'GET /openapi.json', false],
  ['a price', `GET ${LATEST}`, true],
])('64 KB of pipelined requests in one write, on 16 connections, for %s', async (_name, line, hasKey) => {
  const text = requests(line, { ...(hasKey && { 'x-api-key': apiKey }) });
  const { result } = await stand.attacked(() => sendTexts(stand.url(), [text], { connections: 16, ms: ATTACK_MS }));
  expect(Object.keys(result)).not.toContain('500 internal_error');
});

it('responds in order to the maximum number of pipelined requests', async () => {
  const ids = Array.from({ length: 32 }, (_, i) => `n${i}`);
  const connection = openRaw(stand.url());
  connection.send(ids.map((id) => head(`GET ${LATEST}`, { 'x-request-id': id })).join(''));
  for (const id of ids)
    expect(await connection.readResponse()).toMatchObject({ status: 401, headers: { 'x-request-id': id } });
  connection.close();
});

it('endless requests for responses of 1 MB that the client never reads', async () => {
  const piece = () => Array.from({ length: 20 }, () => head(`GET ${years()}`, { 'x-api-key': apiKey })).join('');
  const { peak } = await stand.attacked(async () => {
    const open: { close: () => void }[] = [];
    for (let second = 0; second < 6; second++) {
      for (let i = 0; i < 3; i++) open.push(neverRead(piece()));
      await wait(1_000);
    }
    for (const connection of open) connection.close();
  });
  expect(peak).toBeLessThanOrEqual(1.5);
});

/** A connection that sends a text and never reads the response. */
function neverRead(text: string) {
  const connection = openRaw(stand.url(), { isRead: false });
  connection.send(text);
  return connection;
}

it('different windows of ten years, on 50 connections with one key, compressed', async () => {
  const attack = { path: years, connections: 50, ms: ATTACK_MS, headers: { 'accept-encoding': 'br' } };
  const { result } = await stand.attacked(() => repeatRequest({ url: stand.url(), apiKey }, attack));
  expect(result['200']).toBeGreaterThan(0);
  const kinds = ['200', '429 rate_limited', '503 overloaded'];
  expect(Object.keys(result).filter((kind) => !kinds.includes(kind))).toEqual([]);
});

it('1,000 incomplete request heads of 120 KB', async () => {
  const [line, one] = [`x: ${'y'.repeat(61)}\r\n`.repeat(1_900), 'x: '.padEnd(120_000)];
  const { peak } = await stand.attacked(async () => {
    const open: { close: () => void }[] = [];
    while (open.length < 1_000) {
      const connection = openRaw(stand.url());
      connection.send('GET /x HTTP/1.1\r\nhost: a\r\n', open.length % 2 ? line : one);
      open.push(connection);
      if (open.length % 20 === 0) await wait(60);
    }
    await wait(1_000);
    for (const connection of open) connection.close();
  });
  expect(peak).toBeLessThanOrEqual(1.5);
});

it.each([
  ['Accept-Encoding', 'GET /docs', { 'accept-encoding': 'a,'.repeat(7_500) }],
  ['Accept-Encoding with parameters', 'GET /docs', { 'accept-encoding': ',;q='.repeat(3_900) }],
  ['If-None-Match', 'GET /docs', { 'if-none-match': '"a",'.repeat(3_900) }],
])('lists with thousands of elements in %s', async (_name, line, headers) => {
  const { result } = await stand.attacked(() =>
    sendTexts(stand.url(), [head(line, headers)], { connections: 16, ms: ATTACK_MS }),
  );
  expect(Object.keys(result)).toEqual(['200']);
});

const PROBLEM = { status: 408, code: 'request_timeout', type: 'application/problem+json; charset=utf-8' };

it.each([
  'an empty connection',
  'an incomplete head',
  'a slow head',
  'an incomplete body',
  'a slow body',
  'a slow chunked body',
] as const)('responds with 408 to %s, and closes the connection', async (name) => {
  expect(await unending.timedOut[name]).toEqual({ ...PROBLEM, isEnded: true });
});

it.each(['an unexpected body', 'a slow unexpected body'] as const)('closes a connection with %s', async (name) => {
  expect(await unending.ended[name]).toMatchObject({ isEnded: true });
});
