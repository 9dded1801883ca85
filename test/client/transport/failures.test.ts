import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QuotientClient, QuotientError } from '#client/index';
import { type Script, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';
import { failure } from '../failure.ts';

const KEY = 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000';
const SILENT: Script = () => undefined;

let server: UpstreamServer;
beforeEach(async () => {
  server = await startUpstreamServer(SILENT);
});
afterEach(() => server.close());

const client = (timeout = 10_000) => new QuotientClient({ baseUrl: server.url, apiKey: KEY, retries: 0, timeout });

/** Resolves when the server has received a request. */
const nextRequest = () =>
  new Promise<void>((resolve) => {
    server.follow(() => void resolve());
  });

it('times out', async () => {
  const error = await failure(client(50).latestPrice('bitcoin'));
  expect(error).toBeInstanceOf(QuotientError);
  expect(error).toMatchObject({ code: 'timeout', status: undefined });
  expect(error.message).toContain('50 ms');
});

describe('a response that has started', () => {
  const partial: (finish: (response: ServerResponse) => void) => Script = (finish) => (_call, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'r1' });
    response.write('{"current_price":', () => finish(response));
    return undefined;
  };

  it('times out, with its status and request ID', async () => {
    server.follow(partial(() => undefined));
    const error = await failure(client(200).latestPrice('bitcoin'));
    expect(error).toMatchObject({ code: 'timeout', status: 200, requestId: 'r1' });
  });

  it('and breaks off is a network error, with its status and request ID', async () => {
    server.follow(partial((response) => response.destroy()));
    const error = await failure(client().latestPrice('bitcoin'));
    expect(error).toMatchObject({ code: 'network', status: 200, requestId: 'r1' });
  });
});

describe('a custom fetch that ignores the signal', () => {
  const withoutSignal = (timeout: number) =>
    new QuotientClient({ baseUrl: server.url, fetch: () => new Promise(() => {}), timeout });

  it('times out', async () => {
    expect((await failure(withoutSignal(50).latestPrice('bitcoin'))).code).toBe('timeout');
  });

  it('is aborted by the caller', async () => {
    const controller = new AbortController();
    const call = withoutSignal(10_000).latestPrice('bitcoin', { signal: controller.signal });
    const reason = new Error('changed my mind');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

it('keeps the cause of a network error', async () => {
  await server.close();
  const error = await failure(client().latestPrice('bitcoin'));
  expect(error.code).toBe('network');
  expect(error.cause).toBeInstanceOf(TypeError);
});

describe('a signal', () => {
  it('aborts a call in progress with its reason', async () => {
    const received = nextRequest();
    const controller = new AbortController();
    const call = client().latestPrice('bitcoin', { signal: controller.signal });
    await received;
    const reason = new Error('changed my mind');
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it('aborts the wait before a retry', async () => {
    let resolveFirst = () => {};
    const firstResponse = new Promise<void>((resolve) => {
      resolveFirst = resolve;
    });
    server.follow(() => ({ status: 503, headers: { 'retry-after': '9' }, body: 'x' }));
    const controller = new AbortController();
    const patient = new QuotientClient({ baseUrl: server.url, apiKey: KEY, onAnswer: resolveFirst });
    const call = patient.latestPrice('bitcoin', { signal: controller.signal });
    await firstResponse;
    controller.abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.calls).toHaveLength(1);
  });

  it('that is already aborted prevents the request', async () => {
    const call = client().latestPrice('bitcoin', { signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.calls).toHaveLength(0);
  });
});

describe('a response that is not from the service', () => {
  it.each([
    ['HTML', '<!doctype html><title>Hello</title>'],
    ['other JSON', '{"hello":"world"}'],
    ['truncated JSON', '[{"prices":[{"date":'],
    ['an empty array', '[]'],
    ['invalid dates', '[{"prices":[{"date":"soon","price":1}],"market_cap":[],"total_volume":[]}]'],
    ['an empty body', ''],
  ])('rejects with invalid_answer: %s', async (_what, body) => {
    server.follow(() => ({ body }));
    expect((await failure(client().priceHistory('bitcoin', { days: 3 }))).code).toBe('invalid_answer');
  });

  it.each([
    { gaps: 'all', errors: 'many' },
    { gaps: [5], errors: {} },
  ])('rejects with the code of a problem with invalid members: %o', async (members) => {
    server.follow(() => ({
      status: 404,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ code: 'no_data', detail: 'none', ...members }),
    }));
    expect(await failure(client().latestPrice('bitcoin'))).toMatchObject({ code: 'no_data', errors: [] });
  });

  it.each([
    [418, 'text/html', '<h1>Teapot</h1>'],
    [200, 'application/json', '{"hello":"world"}'],
    [403, 'application/problem+json', '{"hello":"world"}'],
  ])('rejects with the status and request ID: %i %s', async (status, type, body) => {
    server.follow(() => ({ status, headers: { 'content-type': type, 'x-request-id': 'r1' }, body }));
    const error = await failure(client().latestPrice('bitcoin'));
    expect(error).toMatchObject({ code: 'invalid_answer', status, requestId: 'r1' });
  });
});

describe('the key', () => {
  it('is sent only in its header', async () => {
    server.follow(() => ({ body: '{}' }));
    await failure(client().user());
    const [call] = server.calls;
    expect(call?.headers['x-api-key']).toBe(KEY);
    expect(JSON.stringify([call?.path, call?.query])).not.toContain(KEY);
  });

  it.each([301, 302, 303, 307, 308])('is not sent to the target of a redirect: %i', async (status) => {
    const other = await startUpstreamServer(() => ({ body: '{}' }));
    server.follow(() => ({
      status,
      headers: { location: `${other.url}/?${KEY}`, 'x-request-id': 'r7' },
      body: '',
    }));
    const patient = new QuotientClient({ baseUrl: server.url, apiKey: KEY });
    const error = await failure(patient.latestPrice('bitcoin'));
    expect(error).toMatchObject({ code: 'redirect', status, requestId: 'r7' });
    expect(error.detail).toContain(other.url);
    expect(error.detail).not.toContain(KEY);
    expect(other.calls).toHaveLength(0);
    expect(server.calls).toHaveLength(1);
    await other.close();
  });

  it('is not in an error, even if the response contains it', async () => {
    server.follow(() => ({
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: JSON.stringify({ code: 'invalid_request', detail: `no ${KEY}`, errors: [{ message: KEY }] }),
    }));
    const echoed = await failure(client().latestPrice('bitcoin'));
    expect(echoed.detail).toBe('no ***');
    await server.close();
    const broken = await failure(client().latestPrice('bitcoin'));
    for (const error of [echoed, broken]) {
      expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(KEY);
    }
  });

  it('is not visible when the client is logged', () => {
    expect(inspect(client(), { depth: 9, showHidden: true }) + JSON.stringify(client())).not.toContain(KEY);
  });

  it('is not sent to public paths', async () => {
    server.follow(() => ({ body: '[]' }));
    await client().tokens();
    await client().health();
    expect(server.calls.map(({ headers }) => headers['x-api-key'])).toEqual([undefined, undefined]);
  });
});
