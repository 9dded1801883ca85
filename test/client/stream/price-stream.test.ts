import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QuotientClient, QuotientError, type StreamedPrice, type StreamOptions } from '#client/index';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

let server: Server;
let requests: IncomingMessage[];
/** The responses to the next requests; the last one repeats. */
let script: Respond[];
let closed: number;

beforeEach(async () => {
  [requests, script, closed] = [[], [], 0];
  server = createServer((request, response) => {
    requests.push(request);
    response.once('close', () => {
      closed += 1;
    });
    (script.length > 1 ? script.shift() : script[0])?.(response, request);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
});

const event = (name: string, data: object) => `event: ${name}\nid: 1\ndata: ${JSON.stringify(data)}\n\n`;
const price = (tokenName: string, current_price: number) =>
  event('price', {
    tokenName,
    symbol: tokenName,
    current_price,
    at: 'Sat, 31 Jan 2026 12:00:00 GMT',
    ath_date: null,
    atl_date: null,
    source: 'coingecko',
  });
const problem = (code: string, status: number, more: object = {}) =>
  event('problem', { type: 'x', title: 'x', status, detail: 'detail', code, requestId: 'r-1', ...more });

/** Sends a stream. It ends if `isEnded` is set, and otherwise stays open. */
const stream =
  (text: string, { isEnded = false } = {}): Respond =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: 1\n\n${text}`);
    if (isEnded) response.end();
  };
const refusal =
  (status: number, code: string, headers: Record<string, string> = {}): Respond =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json', ...headers });
    response.end(JSON.stringify({ code, status, detail: 'detail', title: 'x', type: 'x', requestId: 'r-2' }));
  };

const client = () =>
  new QuotientClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'qt_key' });

/** Reads prices until there are `count`. */
async function read(count: number, options?: StreamOptions): Promise<StreamedPrice[]> {
  const prices: StreamedPrice[] = [];
  for await (const one of client().prices.stream(['bitcoin', 'sol'], options)) {
    prices.push(one);
    if (prices.length === count) break;
  }
  return prices;
}

const errorOf = (options?: StreamOptions) => read(Number.POSITIVE_INFINITY, options).catch((error: unknown) => error);

it('requests a stream with the key, and returns prices with dates', async () => {
  script = [stream(`:\n\n${price('bitcoin', 1)}${price('solana', 2)}`)];
  const prices = await read(2, { currency: 'eur', headers: { 'x-request-id': 'report-7' } });
  expect(prices.map(({ tokenName, current_price }) => [tokenName, current_price])).toEqual([
    ['bitcoin', 1],
    ['solana', 2],
  ]);
  expect(prices[0]).toMatchObject({ at: new Date('2026-01-31T12:00:00Z'), ath_date: null, source: 'coingecko' });
  const [{ url, headers }] = requests as [IncomingMessage];
  expect(url).toBe('/v1/prices/stream?tokenNames=bitcoin%2Csol&currency=eur');
  expect(headers).toMatchObject({ accept: 'text/event-stream', 'x-api-key': 'qt_key', 'x-request-id': 'report-7' });
  await expect.poll(() => closed).toBe(1);
});

describe('connects again', () => {
  it.each<[string, Respond]>([
    ['after the end of a stream', stream(price('bitcoin', 1), { isEnded: true })],
    ['after a broken connection', (response) => response.destroy()],
    ['after the process has no room', refusal(503, 'overloaded', { 'retry-after': '1' })],
    ['after too many streams', refusal(429, 'too_many_streams', { 'retry-after': '1' })],
    ['after a problem that passes', stream(problem('database_unavailable', 503, { retryAfter: 1 }))],
    ['after the allowance is renewed soon', stream(problem('quota_exceeded', 429, { retryAfter: 1 }))],
  ])('%s', async (_, first) => {
    script = [first, stream(price('bitcoin', 2))];
    const prices = await read(1, {});
    expect(requests.length).toBeGreaterThanOrEqual(1);
    if (prices[0]?.current_price === 1) return;
    expect(prices[0]?.current_price).toBe(2);
    expect(requests).toHaveLength(2);
  });

  it('after each of several ends, and then returns the prices of the new stream', async () => {
    script = [
      stream(price('bitcoin', 1), { isEnded: true }),
      stream(price('bitcoin', 2), { isEnded: true }),
      stream(price('bitcoin', 3)),
    ];
    expect((await read(3)).map(({ current_price }) => current_price)).toEqual([1, 2, 3]);
  });
});

describe('throws', () => {
  it.each<[string, Respond, string]>([
    ['the problem of a revoked key', stream(problem('api_key_revoked', 401)), 'api_key_revoked'],
    ['a pause that is too long', stream(problem('quota_exceeded', 429, { retryAfter: 3600 })), 'quota_exceeded'],
    ['an unknown key', refusal(401, 'api_key_invalid'), 'api_key_invalid'],
    ['an unknown token', refusal(400, 'invalid_request'), 'invalid_request'],
    ['a redirect', (response) => void response.writeHead(302, { location: '/x' }).end(), 'redirect'],
    ['a price of another shape', stream(event('price', { at: 7 })), 'invalid_answer'],
  ])('%s', async (_, respond, code) => {
    script = [respond];
    const error = await errorOf();
    expect(error).toBeInstanceOf(QuotientError);
    expect((error as QuotientError).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it('the facts of a problem event', async () => {
    script = [stream(problem('quota_exceeded', 429, { retryAfter: 3600 }))];
    expect(await errorOf()).toMatchObject({ status: 429, retryAfter: 3600, requestId: 'r-1', detail: 'detail' });
  });

  it('after as many failures as the option allows', async () => {
    script = [(response) => response.destroy()];
    expect(await errorOf({ retries: 1 })).toMatchObject({ code: 'network' });
    expect(requests).toHaveLength(2);
  });

  it('invalid arguments, without a request', async () => {
    const prices = client().prices.stream('bitcoin' as unknown as string[]);
    await expect(prices.next()).rejects.toMatchObject({ code: 'invalid_request' });
    expect(requests).toHaveLength(0);
  });
});

describe('a signal', () => {
  const reason = new Error('page closed');

  it('ends an open stream with its reason, and closes the connection', async () => {
    script = [stream(price('bitcoin', 1))];
    const leaving = new AbortController();
    const prices = client().prices.stream(['bitcoin'], { signal: leaving.signal });
    await prices.next();
    const next = prices.next();
    leaving.abort(reason);
    await expect(next).rejects.toBe(reason);
    await expect.poll(() => closed).toBe(1);
  });

  it('ends a pause', async () => {
    script = [refusal(503, 'overloaded', { 'retry-after': '60' })];
    const leaving = new AbortController();
    const next = client().prices.stream(['bitcoin'], { signal: leaving.signal }).next();
    await expect.poll(() => closed).toBe(1);
    leaving.abort(reason);
    await expect(next).rejects.toBe(reason);
  });

  it('that has already been aborted prevents the request', async () => {
    const next = client()
      .prices.stream(['bitcoin'], { signal: AbortSignal.abort(reason) })
      .next();
    await expect(next).rejects.toBe(reason);
    expect(requests).toHaveLength(0);
  });
});
