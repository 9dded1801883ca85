import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { STATISTICS_KINDS, STATISTICS_SYMBOLS } from '#statistics/statistics-sources';
import { createTestClock } from '../../../fixtures/clock.ts';
import { KINDS } from '../../support/upstream/statistics-kinds.ts';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';

const NOW = '2026-05-15T14:10:06.789Z';
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: createTestClock(NOW) });
});
afterEach(() => sandbox.close());

describe.each(STATISTICS_KINDS)('%s', (name) => {
  const { open, url, symbol, calls } = KINDS[name];
  const opened = (options?: Parameters<typeof openTestStatistics>[2]) =>
    openTestStatistics(open, url(sandbox), options);

  test('returns exactly the fields of a full sample', async () => {
    const source = opened();
    const { at, figures } = await source.sample(symbol);
    await source.close();
    expect(source.name).toBe(name);
    expect(Object.keys(figures)).toEqual(source.figuresByToken[symbol]);
    expect(at % 1000).toBe(0);
    expect(at).toBeLessThanOrEqual(Date.parse(NOW));
    expect(sandbox.countCalls()).toBe(calls);
    expect(source.outcomes).toEqual(Array(calls).fill('ok'));
  });

  test('does not cover a chain that it does not report, and is not called for it', async () => {
    const source = opened();
    for (const other of STATISTICS_SYMBOLS.filter((one) => !source.figuresByToken[one])) {
      await expect(source.sample(other)).rejects.toMatchObject({ upstream: name, reason: 'not_listed' });
    }
    await source.close();
    expect(sandbox.countCalls()).toBe(0);
  });

  test('values of the wrong type are a failure if no figure is left', async () => {
    sandbox.faults.always({ kind: 'wrongTypes' });
    const source = opened();
    await expect(source.sample(symbol)).rejects.toMatchObject({ upstream: name, reason: 'unexpected' });
    await source.close();
  });

  test('returns the same values after a temporary failure', async () => {
    const source = opened();
    const before = await source.sample(symbol);
    sandbox.faults.next({ kind: 'status', status: 503 });
    expect(await source.sample(symbol)).toEqual(before);
    await source.close();
  });

  test('has one deadline for all calls of a sample', async () => {
    const source = opened({ timeoutMs: 150 });
    sandbox.faults.always({ kind: 'hangBeforeHeaders' });
    await expect(source.sample(symbol)).rejects.toMatchObject({ reason: 'timeout' });
    await source.close();

    const patient = opened();
    await expect(patient.sample(symbol, 150)).rejects.toMatchObject({ reason: 'timeout' });
    await patient.close();
  });

  test('deducts every call from the budget', async () => {
    const source = opened({ calls: 2 * calls - 1 });
    await source.sample(symbol);
    await expect(source.sample(symbol)).rejects.toMatchObject({ reason: 'over_budget' });
    await source.close();
  });
});

test.each(['cryptocompare', 'solana-rpc'] as const)(
  '%s reports its rate limit in its own form with status 200',
  async (name) => {
    const { open, url, symbol } = KINDS[name];
    sandbox.faults.next({ kind: 'rateLimitUnder200' });
    const source = openTestStatistics(open, url(sandbox));
    await expect(source.sample(symbol)).rejects.toMatchObject({ reason: 'rate_limited' });
    await expect(source.sample(symbol)).rejects.toMatchObject({ reason: 'resting' });
    await source.close();
  },
);

test.each(['solana-rpc', 'arweave-node', 'ethereum-stats', 'bitcoin-mempool'] as const)(
  '%s recovers from a pause with one sample, however many calls that takes',
  async (name) => {
    const { open, url, symbol } = KINDS[name];
    const source = openTestStatistics(open, url(sandbox));
    sandbox.faults.next({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
    await expect(source.sample(symbol)).rejects.toMatchObject({ retryAfter: 60 });
    source.clock.advance(60_000);
    expect((await source.sample(symbol)).figures.block_height).toBeGreaterThan(0);
    await source.close();
  },
);
