import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '#sandbox/faults';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { openArweaveNode } from '#statistics/sources/arweave';
import { openBitcoinStats, openMempool } from '#statistics/sources/bitcoin';
import { openCryptoCompare } from '#statistics/sources/cryptocompare';
import { openEthereumStats } from '#statistics/sources/ethereum';
import { openSolanaRpc } from '#statistics/sources/solana';
import type { StatisticsOptions } from '#statistics/sources/source';
import {
  STATISTICS_KINDS,
  STATISTICS_SYMBOLS,
  type StatisticsKind,
  type StatisticsSource,
  type StatisticsSymbol,
} from '#statistics/statistics-sources';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';

type Kind = {
  open: (options: StatisticsOptions) => StatisticsSource;
  url: (sandbox: Sandbox) => string;
  symbol: StatisticsSymbol;
  /** The calls of a sample without failures. */
  calls: number;
};
const KINDS: Record<StatisticsKind, Kind> = {
  cryptocompare: {
    open: (options) => openCryptoCompare({ ...options, apiKey: 'a-key' }),
    url: (sandbox) => sandbox.cryptocompareUrl,
    ...{ symbol: 'eth', calls: 1 },
  },
  'bitcoin-stats': {
    open: openBitcoinStats,
    url: (sandbox) => sandbox.bitcoinUrl,
    ...{ symbol: 'btc', calls: 1 },
  },
  'bitcoin-mempool': {
    open: openMempool,
    url: (sandbox) => sandbox.mempoolUrl,
    ...{ symbol: 'btc', calls: 3 },
  },
  'ethereum-stats': {
    open: openEthereumStats,
    url: (sandbox) => sandbox.ethereumUrl,
    ...{ symbol: 'eth', calls: 2 },
  },
  'solana-rpc': {
    open: openSolanaRpc,
    url: (sandbox) => sandbox.solanaUrl,
    ...{ symbol: 'sol', calls: 3 },
  },
  'arweave-node': {
    open: openArweaveNode,
    url: (sandbox) => sandbox.arweaveUrl,
    ...{ symbol: 'ar', calls: 3 },
  },
};

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

  test.each<[string, Fault, string, number]>([
    ['a 500', { kind: 'status', status: 500 }, 'server_error', 3],
    ['a closed connection', { kind: 'resetMidway' }, 'unreachable', 3],
    ['a 403', { kind: 'status', status: 403 }, 'refused', 1],
    ['a 429', { kind: 'status', status: 429, headers: { 'retry-after': '7' } }, 'rate_limited', 1],
    ['a redirect', { kind: 'status', status: 302, headers: { location: '/' } }, 'refused', 1],
    ['an HTML page instead of JSON', { kind: 'html' }, 'not_json', 1],
    ['truncated JSON', { kind: 'truncated' }, 'not_json', 1],
    ['values of the wrong type', { kind: 'wrongTypes' }, 'unexpected', 1],
    ['an endless body', { kind: 'huge', bytes: 2 ** 30 }, 'too_large', 1],
  ])('%s is a failure, never a value', async (_name, fault, reason, expectedCalls) => {
    sandbox.faults.always(fault);
    const source = opened();
    await expect(source.sample(symbol)).rejects.toMatchObject({
      name: 'UpstreamFailure',
      upstream: name,
      reason,
    });
    await source.close();
    expect(sandbox.countCalls()).toBe(expectedCalls);
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
