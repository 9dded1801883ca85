import { EventEmitter, getEventListeners, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChainClient, QuotientClient } from '#client/index';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';
import { failure } from '../failure.ts';

const BROKEN = { status: 502, body: 'x' };
const READY = { body: '{"status":"ok","warnings":[]}' };

let server: UpstreamServer;
let client: QuotientClient;
beforeEach(async () => {
  server = await startUpstreamServer(() => READY);
  client = new QuotientClient({
    baseUrl: server.url,
    apiKey: 'qt_a',
    headers: { 'x-team': 'one', from: 'a' },
  });
});
afterEach(() => server.close());

describe('options of a call', () => {
  it('timeout', async () => {
    server.follow(() => undefined);
    const error = await failure(client.latestPrice('bitcoin', { timeout: 40, currency: 'eur' }));
    expect(error).toMatchObject({ code: 'timeout', detail: 'no response within 40 ms' });
  });

  it('retries, more or fewer than those of the client', async () => {
    server.follow(() => BROKEN);
    await failure(client.usage({ retries: 0 }));
    expect(server.calls).toHaveLength(1);
    await failure(client.health({ retries: 1 }));
    expect(server.calls).toHaveLength(1 + 2);
  });

  it('headers, in addition to those of the client', async () => {
    await client.health({ headers: { 'X-Request-Id': 'r1', from: 'b' } });
    await client.health({ headers: new Headers({ 'x-request-id': 'r2' }) });
    expect(server.calls[0]?.headers).toMatchObject({ 'x-request-id': 'r1', 'x-team': 'one', from: 'b' });
    expect(server.calls[1]?.headers).toMatchObject({
      'x-request-id': 'r2',
      from: 'a',
      accept: 'application/json',
    });
  });

  it.each(['Accept', 'content-type', 'X-API-Key'])('headers must not contain %s', async (name) => {
    const error = await failure(client.health({ headers: { [name]: 'secret value' } }));
    expect(error.code).toBe('invalid_request');
    expect(error.message).not.toContain('secret value');
    expect(server.calls).toHaveLength(0);
  });

  it('timeout of a chain client limits all requests of a call, including the detection of the dialect', async () => {
    server.follow(() => undefined);
    const chain = new ChainClient({ nodeUrl: server.url });
    expect((await failure(chain.latestBlock({ timeout: 40 }))).detail).toBe('no response within 40 ms');
    const controller = new AbortController();
    const call = chain.latestBlock({ signal: controller.signal });
    controller.abort(new Error('changed my mind'));
    await expect(call).rejects.toThrow('changed my mind');
  });
});

describe('a signal that many calls share', () => {
  it('has one listener during the calls, and none after them', async () => {
    const { signal } = new AbortController();
    const arrivals = new EventEmitter();
    const fetch = () => new Promise<Response>((respond) => arrivals.once('go', () => respond(Response.json({}))));
    arrivals.setMaxListeners(0);
    const many = new QuotientClient({ baseUrl: 'http://service.example', fetch });
    const calls = Array.from({ length: 1_000 }, () => many.health({ signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    while (arrivals.listenerCount('go') < calls.length) await null;
    arrivals.emit('go');
    await Promise.all(calls);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('aborts all of them', async () => {
    const controller = new AbortController();
    const many = new QuotientClient({
      baseUrl: 'http://service.example',
      fetch: () => new Promise(() => {}),
    });
    const calls = Array.from({ length: 20 }, () => many.health({ signal: controller.signal }));
    controller.abort(new Error('changed my mind'));
    const results = await Promise.allSettled(calls);
    expect(new Set(results.map((result) => result.status === 'rejected' && result.reason))).toEqual(
      new Set([controller.signal.reason]),
    );
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});

describe('User-Agent', () => {
  it('names the client and Node', async () => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    await client.health();
    expect(server.calls[0]?.headers['user-agent']).toBe(`quotient-client/${version} node/${process.versions.node}`);
  });

  it('can be overridden', async () => {
    await client.health({ headers: { 'user-agent': 'shop/1' } });
    expect(server.calls[0]?.headers['user-agent']).toBe('shop/1');
  });

  it('is not set in a browser', async () => {
    vi.stubGlobal('document', {});
    await client.health();
    expect(server.calls[0]?.headers['user-agent']).toBe('node');
  });
});

describe('onAnswer', () => {
  const failing = () =>
    new QuotientClient({
      baseUrl: server.url,
      onAnswer: () => {
        throw new Error('a fault of the caller');
      },
    });

  it('does not fail the call if it throws; the error is reported as uncaught', async () => {
    const uncaught = once(process, 'uncaughtException');
    const others = process.listeners('uncaughtException').slice(0, -1);
    for (const other of others) process.off('uncaughtException', other);
    try {
      expect((await failing().health()).status).toBe('ok');
      expect(await uncaught).toMatchObject([{ message: 'a fault of the caller' }, 'uncaughtException']);
    } finally {
      for (const other of others) process.on('uncaughtException', other);
    }
  });

  it('reports errors with reportError in a browser', async () => {
    const reportError = vi.fn();
    vi.stubGlobal('reportError', reportError);
    expect((await failing().health()).status).toBe('ok');
    expect(reportError).toHaveBeenCalledWith(expect.objectContaining({ message: 'a fault of the caller' }));
  });
});
