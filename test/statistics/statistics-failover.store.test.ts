import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createTestClock } from '../../fixtures/clock.ts';
import { startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

const NOW = '2026-05-15T14:10:06Z';
const KEY = 'proapi_the-key-of-the-operator';
const TOKENS = ['btc', 'ar', 'eth', 'sol'] as const;
type Token = (typeof TOKENS)[number];

/** The first and the second source of each chain, as the header names them. */
const SOURCES: Record<Token, readonly [string, string]> = {
  btc: ['bitcoin-stats', 'bitcoin-mempool'],
  ar: ['arweave-node', 'arweave-node-2'],
  eth: ['ethereum-stats', 'ethereum-stats-2'],
  sol: ['solana-rpc', 'solana-rpc-2'],
};

let [first, second]: Sandbox[] = [];
let service: WithStatistics;
beforeEach(async () => {
  first = await startSandbox({ clock: createTestClock(NOW) });
  second = await startSandbox({ clock: createTestClock(NOW) });
});
afterEach(async () => {
  await service?.close();
  await first?.close();
  await second?.close();
});

/** The service with two sources for each chain, each on a separate host, and without CryptoCompare. */
async function start(settings: Record<string, string> = {}): Promise<[Sandbox, Sandbox]> {
  if (!first || !second) throw new Error('the sandbox is not running');
  service = await startWithStatistics({
    start: NOW,
    settings: {
      CRYPTOCOMPARE_API_KEY: '',
      BITCOIN_STATS_URL: `${first.bitcoinUrl},${second.mempoolUrl}`,
      ETHEREUM_STATS_URL: `${first.ethereumUrl},${second.blockscoutUrl}`,
      ETHEREUM_STATS_API_KEY: KEY,
      SOLANA_RPC_URL: `${first.solanaUrl},${second.solanaUrl}`,
      ARWEAVE_URL: `${first.arweaveUrl},${second.arweaveUrl}`,
      // The second source has this time, also on a busy machine. A hanging source has half of it.
      UPSTREAM_TIMEOUT_MS: '6000',
      ...settings,
    },
  });
  return [first, second];
}

/**
 * Expects each chain to report its height, its time and, if it has them, its difficulty and block time from that
 * source.
 */
async function expectAll(place: 0 | 1): Promise<void> {
  const responses = await Promise.all(TOKENS.map((token) => service.stats(token)));
  for (const [i, { status, source, record }] of responses.entries()) {
    const token = TOKENS[i] as Token;
    expect([status, source], token).toEqual([200, SOURCES[token][place]]);
    expect(record?.block_height, token).toBeGreaterThan(100_000);
    expect(record?.block_time, token).toBeGreaterThan(0);
    expect(Math.abs((record?.time ?? 0) * 1000 - Date.parse(NOW)), token).toBeLessThan(HOUR);
    // Ethereum and Solana have neither.
    if (token === 'btc' || token === 'ar') expect(record?.difficulty, token).toBeGreaterThan(1e12);
  }
}

const FAULTS: [string, Fault][] = [
  ['hangs', { kind: 'hangBeforeHeaders' }],
  ['hangs within its responses', { kind: 'hangMidway' }],
  ['closes its connections', { kind: 'reset' }],
  ['requires a key that is not set', { kind: 'status', status: 402 }],
];

describe('all chains report height, difficulty and time', () => {
  test.each(FAULTS)('while every first source %s', async (_what, fault) => {
    const [one] = await start();
    one.faults.always(fault);
    await expectAll(1);
  });

  test('while every second source fails', async () => {
    const [, other] = await start();
    other.faults.always({ kind: 'reset' });
    await expectAll(0);
    expect(other.countCalls()).toBe(0);
  });

  test('while no server listens at the URL of any first source', async () => {
    const [one] = await start();
    await one.close();
    await expectAll(1);
    const { warnings } = (await (await service.get('/health/ready')).json()) as { warnings: string[] };
    expect(warnings.sort()).toEqual(TOKENS.map((token) => `${SOURCES[token][0]}: unreachable`).sort());
  });
});

test('a recovered source is called again, and each switch is logged with the names', async () => {
  const [one] = await start();
  one.faults.always({ kind: 'html', status: 200 });
  await service.stats('sol');
  one.faults.clear();
  await service.pass(HOUR);
  await service.stats('sol');
  await service.parts.statistics.idle();
  expect((await service.stats('sol')).source).toBe('solana-rpc');
  expect(service.switches()).toMatchObject([
    { token: 'sol', from: 'solana-rpc', to: 'solana-rpc-2', reason: 'not_json' },
    { token: 'sol', from: 'solana-rpc-2', to: 'solana-rpc', reason: 'preferred' },
  ]);
  expect(await (await service.get('/health/ready')).json()).toEqual({ status: 'ok', warnings: [] });
});

test('each URL has separate calls, breaker and budget in the metrics, and stored data keeps its name', async () => {
  const [one] = await start();
  one.faults.always({ kind: 'html', status: 200 });
  await service.stats('btc');
  await service.stats('ar');
  const text = await service.parts.metrics.text();
  for (const [upstream, outcome] of [
    ['bitcoin-stats', 'failed",cause="not_json"} 1'],
    ['bitcoin-mempool', 'ok",cause=""} 3'],
    ['arweave-node', 'failed",cause="not_json"} 1'],
    ['arweave-node-2', 'ok",cause=""} 3'],
  ]) {
    expect(text).toContain(`quotient_upstream_calls_total{upstream="${upstream}",outcome="${outcome}`);
  }
  const budgets = await service.database.prisma.budget.findMany({ orderBy: { upstream: 'asc' } });
  expect(budgets.map(({ upstream, monthSpent }) => [upstream, monthSpent])).toEqual([
    ['arweave-node', 1],
    ['arweave-node-2', 3],
    ['bitcoin-mempool', 3],
    ['bitcoin-stats', 1],
  ]);
  const settings = { CRYPTOCOMPARE_API_KEY: '', ARWEAVE_URL: one.arweaveUrl };
  const { statistics } = await service.another(settings);
  expect((await statistics.latest('ar')).source).toBe('arweave-node-2');
});

describe('the key for Ethereum', () => {
  test('is sent only to Blockscout’s service, and is neither logged nor returned', async () => {
    const [one, other] = await start({ LOG_LEVEL: 'trace' });
    one.faults.always({ kind: 'status', status: 500 });
    const { source, body } = await service.stats('eth');
    expect(source).toBe('ethereum-stats-2');
    expect(one.calls.length).toBeGreaterThan(0);
    expect(one.calls.map(({ authorization }) => authorization)).not.toContain(`Bearer ${KEY}`);
    expect(other.calls.map(({ authorization }) => authorization)).toEqual(Array(2).fill(`Bearer ${KEY}`));
    other.faults.always({ kind: 'status', status: 403, body: { error: `no such key: ${KEY}` } });
    await service.pass(HOUR);
    await service.stats('eth');
    await service.parts.statistics.idle();
    const ready = await (await service.get('/health/ready')).text();
    expect(ready).toContain('ethereum-stats-2: refused');
    const received = [body, ready, await service.parts.metrics.text(), ...service.logLines];
    expect(received.filter((text) => text.includes(KEY))).toEqual([]);
    expect(service.logLines.filter((line) => line.includes('no such key: (the key)'))).toHaveLength(1);
  });

  test('that is not set is reported as the failure', async () => {
    const [one] = await start({ ETHEREUM_STATS_API_KEY: '' });
    one.faults.always({ kind: 'html', status: 200 });
    const { status, code } = await service.stats('eth');
    expect([status, code]).toEqual([503, 'upstream_unavailable']);
    const [line] = service.logLines.filter((one) => one.includes('upstream failed'));
    expect(line).toContain('ethereum-stats-2: status 401: an API key is required');
  });
});
