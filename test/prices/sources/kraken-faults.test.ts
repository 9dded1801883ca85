import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestKraken } from '../../support/upstream/exchange-source.ts';
import { KRAKEN_STATES } from './kraken-states.ts';

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

test('every call is deducted from the budget', async () => {
  const source = opened({ calls: 2 });
  await source.quotes(['bitcoin']);
  await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'over_budget' });
  expect(sandbox.countCalls()).toBe(2);
  await source.close();
});

test.each(Object.entries(KRAKEN_STATES))('its own state is a failure that ends: %s', async (_name, fault) => {
  const source = opened();
  sandbox.faults.always(fault);
  const reason = expect.stringMatching(/^(server_error|rate_limited)$/);
  await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ upstream: 'kraken', reason });
  sandbox.faults.clear();
  source.clock.advance(2 * MINUTE);
  expect(await source.quotes(['bitcoin'])).toHaveLength(1);
  await source.close();
});

describe('if the candles of one pair fail repeatedly', () => {
  const fail = async (source: ReturnType<typeof opened>, body?: unknown) => {
    const fault: Fault = { kind: 'status', status: body ? 200 : 500, body };
    sandbox.faults.always(fault, { path: /OHLC.*XXBTZUSD/ });
    for (let times = 0; times < 3; times++) {
      await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ upstream: 'kraken' });
    }
  };

  test('every other pair and every other path is still called', async () => {
    const source = opened();
    await fail(source);
    await expect(source.candles('bitcoin', 60)).rejects.toMatchObject({ reason: 'resting' });
    expect((await source.candles('ethereum', 60)).candles).toHaveLength(720);
    expect(await source.quotes(['bitcoin'])).toHaveLength(1);
    await source.close();
  });

  test('with an error about Kraken itself, no path is called', async () => {
    const source = opened();
    await source.quotes(['bitcoin']);
    await fail(source, { error: ['EService:Unavailable'] });
    await expect(source.candles('ethereum', 60)).rejects.toMatchObject({ reason: 'resting' });
    await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({ reason: 'resting' });
    await source.close();
  });
});
