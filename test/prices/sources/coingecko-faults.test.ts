import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestSource } from '../../support/upstream/source.ts';
import { startUpstreamServer } from '../../support/upstream/upstream-server.ts';

let sandbox: Sandbox;
let source: ReturnType<typeof openTestSource>;
const reopen = (options: Parameters<typeof openTestSource>[1] = {}) => {
  source = openTestSource(sandbox.coingeckoUrl, options);
};
beforeEach(async () => {
  sandbox = await startSandbox({ clock: createTestClock('2026-05-15T14:10:06Z') });
  reopen();
});
afterEach(async () => {
  await source.close();
  await sandbox.close();
});

const status = (code: number, more: object = {}): Fault => ({ kind: 'status', status: code, ...more });

describe('retries at most twice after', () => {
  test.each<[string, Fault, string]>([
    ['a 500', status(500), 'server_error'],
    ['a 503 with JSON', status(503, { body: { error: 'busy' } }), 'server_error'],
    ['a connection closed before the headers', { kind: 'reset' }, 'unreachable'],
    ['a connection closed within the body', { kind: 'resetMidway' }, 'unreachable'],
  ])('%s', async (_name, fault, reason) => {
    sandbox.faults.next(fault, { times: 2 });
    expect((await source.daily('bitcoin', 5)).length).toBeGreaterThan(4);
    expect(sandbox.countCalls()).toBe(3);
    expect(source.outcomes).toEqual([reason, reason, 'ok']);

    sandbox.faults.always(fault);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason });
    expect(sandbox.countCalls()).toBe(6);
  });

  test('an unreachable host', async () => {
    await sandbox.close();
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'unreachable' });
    expect(source.outcomes).toEqual(['unreachable', 'unreachable', 'unreachable']);
  });
});

describe('does not retry after', () => {
  test.each<[string, Fault, string]>([
    ['a 400', status(400), 'refused'],
    ['a 404', status(404), 'refused'],
    ['a 401 for an invalid key', status(401, { body: { error: 'invalid key' } }), 'refused'],
    ['a 429', status(429), 'rate_limited'],
    ['a rate limit with status 200', { kind: 'rateLimitUnder200' }, 'rate_limited'],
    ['a page', { kind: 'html' }, 'not_json'],
    ['truncated JSON', { kind: 'truncated' }, 'not_json'],
    ['values of the wrong type', { kind: 'wrongTypes' }, 'unexpected'],
    ['an endless body', { kind: 'huge', bytes: 2 ** 30 }, 'too_large'],
  ])('%s', async (_name, fault, reason) => {
    sandbox.faults.always(fault);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
    expect(sandbox.countCalls()).toBe(1);
    expect(source.outcomes).toEqual([reason]);
  });

  test('a redirect to another host, and does not follow it', async () => {
    const upstream = await startUpstreamServer((call, response) => {
      if (call.path !== '/coins/bitcoin/market_chart') return { body: '{"followed":true}' };
      response.writeHead(302, { location: 'https://other.example/elsewhere' }).end();
      return undefined;
    });
    const redirected = openTestSource(upstream.url);
    await expect(redirected.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'refused' });
    expect(upstream.calls.map(({ path }) => path)).toEqual(['/coins/bitcoin/market_chart']);
    await redirected.close();
    await upstream.close();
  });
});

describe('the deadline', () => {
  test.each<[string, Fault]>([
    ['no response', { kind: 'hangBeforeHeaders' }],
    ['half of a response', { kind: 'hangMidway' }],
    ['one byte at a time', { kind: 'slow', everyMs: 20 }],
  ])('ends the wait for %s', async (_name, fault) => {
    await source.close();
    reopen({ timeoutMs: 600 });
    sandbox.faults.always(fault);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'timeout' });
    expect(sandbox.countCalls()).toBe(1);
  });

  test('applies to a call and its retries together', async () => {
    await source.close();
    reopen({ timeoutMs: 1000 });
    sandbox.faults.next(status(500));
    sandbox.faults.always({ kind: 'hangBeforeHeaders' });
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'timeout' });
    expect(source.outcomes).toEqual(['server_error', 'timeout']);
  });
});

describe('an upstream is not called', () => {
  test('after a rate limit for the requested time; then it is probed with one call', async () => {
    sandbox.faults.next(status(429, { headers: { 'retry-after': '119' } }));
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ retryAfter: 119 });
    await expect(source.daily('solana', 5)).rejects.toMatchObject({ reason: 'resting', retryAfter: 119 });
    source.clock.advance(119 * SECOND - 1);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'resting' });
    expect(sandbox.countCalls()).toBe(1);

    source.clock.advance(1);
    const held = sandbox.faults.hold();
    const probe = source.daily('bitcoin', 5);
    await held.arrived(1);
    await expect(source.daily('solana', 5)).rejects.toMatchObject({ reason: 'resting' });
    held.release();
    await probe;
    await source.daily('solana', 5);
    expect(sandbox.countCalls()).toBe(3);
  });

  test('for a minute after a rate limit without a requested time', async () => {
    sandbox.faults.next({ kind: 'rateLimitUnder200' });
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'rate_limited' });
    source.clock.advance(MINUTE - 1);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'resting' });
    source.clock.advance(1);
    await source.daily('bitcoin', 5);
  });

  test('after five consecutive failures, including retries, and longer each time', async () => {
    sandbox.faults.always(status(500));
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'server_error' });
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'resting' });
    expect(sandbox.countCalls()).toBe(5);
    source.clock.advance(10 * SECOND);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'resting' });
    expect(sandbox.countCalls()).toBe(6);
    source.clock.advance(20 * SECOND - 1);
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'resting' });
    source.clock.advance(1);
    sandbox.faults.clear();
    await source.daily('bitcoin', 5);
    expect(sandbox.countCalls()).toBe(7);
  });

  test('except after a single invalid request', async () => {
    sandbox.faults.next(status(404), { times: 20 });
    for (let i = 0; i < 20; i++) {
      await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'refused' });
    }
    await source.daily('bitcoin', 5);
    expect(sandbox.countCalls()).toBe(21);
  });

  test('when the budget is spent, including retries', async () => {
    await source.close();
    reopen({ calls: 2 });
    sandbox.faults.always(status(500));
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'over_budget' });
    expect(sandbox.countCalls()).toBe(2);
  });
});
