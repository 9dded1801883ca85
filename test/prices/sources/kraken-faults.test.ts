import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestKraken } from '../../support/upstream/kraken-source.ts';

const NOW = '2026-05-15T14:10:06Z';
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: createTestClock(NOW) });
});
afterEach(() => sandbox.close());

const opened = (options?: Parameters<typeof openTestKraken>[1]) =>
  openTestKraken(sandbox.krakenUrl, { now: NOW, ...options });

test('a healthy Kraken serves the price and the candles of every token', async () => {
  const source = opened();
  const quotes = await source.quotes(['bitcoin', 'ethereum', 'solana', 'usd-coin', 'arweave']);
  expect(quotes.map(({ token }) => token)).toEqual(['bitcoin', 'ethereum', 'solana', 'usd-coin', 'arweave']);
  const { candles, covers } = await source.candles('arweave', 5);
  expect(candles).toHaveLength(720);
  const end = Date.parse('2026-05-15T14:10:00Z');
  expect(covers).toEqual({ from: end - 720 * 5 * MINUTE, thru: end - 1 });
  expect(source.reach('minute', end)).toBe(end - 720 * 5 * MINUTE);
  expect(source.dropped).toEqual([]);
  await source.close();
});

describe.each([['AssetPairs'], ['OHLC']])('if %s', (path) => {
  test.each<[string, Fault, string]>([
    ['has a 500', { kind: 'status', status: 500 }, 'server_error'],
    ['is closed', { kind: 'resetMidway' }, 'unreachable'],
    ['is rate-limited with status 200', { kind: 'rateLimitUnder200' }, 'rate_limited'],
    ['is rate-limited', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 'rate_limited'],
  ])('%s, the whole operation fails', async (_name, fault, reason) => {
    sandbox.faults.always(fault, { path });
    const source = opened();
    await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ upstream: 'kraken', reason });
    await source.close();
  });
});

test.each<[string, Fault, string]>([
  ['an HTML page instead of JSON', { kind: 'html' }, 'not_json'],
  ['truncated JSON', { kind: 'truncated' }, 'not_json'],
  ['values of the wrong type', { kind: 'wrongTypes' }, 'unexpected'],
  ['an endless body', { kind: 'huge', bytes: 2 ** 30 }, 'too_large'],
  ['a 403', { kind: 'status', status: 403 }, 'refused'],
])('%s is a failure, never a candle', async (_name, fault, reason) => {
  sandbox.faults.always(fault, { path: 'OHLC' });
  const source = opened();
  await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ upstream: 'kraken', reason });
  await source.close();
});

test('one deadline applies to all calls of an operation', async () => {
  sandbox.faults.always({ kind: 'hangBeforeHeaders' }, { path: 'OHLC' });
  const source = opened({ timeoutMs: 200 });
  await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ reason: 'timeout' });
  await source.close();
});

test('every call is deducted from the budget', async () => {
  const source = opened({ calls: 2 });
  await source.quotes(['bitcoin']);
  await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'over_budget' });
  expect(sandbox.countCalls()).toBe(2);
  await source.close();
});

test('a rate limit opens the circuit breaker, and one call closes it', async () => {
  const source = opened();
  sandbox.faults.next({ kind: 'rateLimitUnder200' }, { path: 'Ticker' });
  await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'rate_limited' });
  await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'resting' });
  source.clock.advance(MINUTE);
  expect(await source.quotes(['bitcoin'])).toHaveLength(1);
  await source.close();
});
