import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SECOND } from '#core/clock';
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
    ['a connection closed before the headers', { kind: 'reset' }, 'unreachable'],
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
  test.each([400, 401, 404])('a %i', async (code) => {
    sandbox.faults.always(status(code));
    await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ name: 'UpstreamFailure', reason: 'refused' });
    expect(source.outcomes).toEqual(['refused']);
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

test('the deadline applies to a call and its retries together', async () => {
  await source.close();
  reopen({ timeoutMs: 1000 });
  sandbox.faults.next(status(500));
  sandbox.faults.always({ kind: 'hangBeforeHeaders' });
  await expect(source.daily('bitcoin', 5)).rejects.toMatchObject({ reason: 'timeout' });
  expect(source.outcomes).toEqual(['server_error', 'timeout']);
});

describe('an upstream is not called', () => {
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
