import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSolanaRpc } from '#statistics/sources/solana';
import { openTestStatistics } from '../../support/upstream/statistics-source.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

/** The examples of solana.com/docs/rpc/http: the result of each method. */
const DOCUMENTED: Record<string, unknown> = {
  getEpochInfo: {
    absoluteSlot: 166598,
    blockHeight: 166500,
    epoch: 27,
    slotIndex: 2790,
    slotsInEpoch: 8192,
    transactionCount: 22661093,
  },
  getSupply: {
    context: { slot: 1114 },
    value: { total: 1016000, circulating: 16000, nonCirculating: 1000000, nonCirculatingAccounts: [] },
  },
  getRecentPerformanceSamples: [
    { slot: 348125, numTransactions: 126, numSlots: 126, samplePeriodSecs: 60, numNonVoteTransactions: 1 },
    { slot: 347999, numTransactions: 126, numSlots: 126, samplePeriodSecs: 60, numNonVoteTransactions: 1 },
  ],
};
const error = (code: number, message: string) => ({ error: { code, message } });

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

const requests = () => upstream.calls.map(({ body }) => JSON.parse(body) as { method: string; params: unknown[] });

async function sampled(changes: Record<string, unknown> = {}) {
  upstream.follow(({ body }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const answer = (changes[method] ?? { result: DOCUMENTED[method] }) as object;
    return { body: JSON.stringify({ jsonrpc: '2.0', ...answer, id }) };
  });
  const source = openTestStatistics(openSolanaRpc, `${upstream.url}/?api-key=of-the-operator`);
  try {
    return await source.sample('sol');
  } finally {
    await source.close();
  }
}

test('reads the documented responses, in the service’s units', async () => {
  expect(await sampled()).toEqual({
    at: Date.parse('2026-05-15T14:10:06Z'),
    figures: {
      block_height: 166500,
      block_time: 120 / 252,
      current_supply: 0.001016,
      transaction_count_all_time: 22661093,
    },
  });
  expect(upstream.calls.at(-1)).toMatchObject({
    method: 'POST',
    path: '/',
    query: { 'api-key': 'of-the-operator' },
  });
  const calls = requests().slice(-3);
  expect(calls[0]).toEqual({ jsonrpc: '2.0', id: 1, method: 'getEpochInfo', params: [] });
  expect(calls).toContainEqual(
    expect.objectContaining({ method: 'getSupply', params: [{ excludeNonCirculatingAccountsList: true }] }),
  );
  expect(calls).toContainEqual(expect.objectContaining({ method: 'getRecentPerformanceSamples', params: [60] }));
});

test('accepts a supply of realistic size', async () => {
  const { figures } = await sampled({
    getSupply: { result: { value: { total: Number('612345678123456789') } } },
  });
  expect(figures.current_supply).toBeCloseTo(612_345_678.123_456, 5);
});

describe('omits values that are not reported', () => {
  test.each([
    ['a node without the transactions', { getEpochInfo: { result: { blockHeight: 5, transactionCount: null } } }],
    ['a node that does not offer the supply', { getSupply: error(-32601, 'Method not found') }],
    ['a node that restricts the supply', { getSupply: error(403, 'Forbidden') }],
    ['no samples', { getRecentPerformanceSamples: { result: [] } }],
  ])('%s', async (_name, changes) => {
    const { figures } = await sampled(changes);
    expect(figures.block_height).toBeGreaterThan(0);
    expect(Object.keys(figures)).toHaveLength(3);
  });
});

describe('an error with status 200', () => {
  test.each<[string, number, string, number]>([
    ['a node that lags', -32005, 'server_error', 3],
    ['an internal error', -32603, 'server_error', 3],
    ['too many calls', 429, 'rate_limited', 1],
    ['an unknown method', -32601, 'refused', 1],
    ['an implementation-defined code', 42, 'refused', 1],
  ])('%s', async (name, code, reason, calls) => {
    const before = upstream.calls.length;
    await expect(sampled({ getEpochInfo: error(code, name) })).rejects.toMatchObject({
      upstream: 'solana-rpc',
      reason,
      message: expect.stringContaining(name),
    });
    expect(upstream.calls.length - before).toBe(calls);
  });

  test('of a later call is reported as the sample’s error, if the node is unhealthy', async () => {
    const changes = { getSupply: error(-32005, 'Node is behind by 42 slots') };
    await expect(sampled(changes)).rejects.toMatchObject({ reason: 'server_error' });
  });
});

test.each<[string, Record<string, unknown>]>([
  ['a negative height', { getEpochInfo: { result: { blockHeight: -1, transactionCount: 1 } } }],
  ['a height in words', { getEpochInfo: { result: { blockHeight: 'high' } } }],
  ['no result', { getEpochInfo: {} }],
  ['samples in another format', { getRecentPerformanceSamples: { result: [{ numSlots: 'many' }] } }],
  ['a supply in another format', { getSupply: { result: { total: 5 } } }],
])('%s is a failure', async (_name, changes) => {
  await expect(sampled(changes)).rejects.toMatchObject({ upstream: 'solana-rpc', reason: 'unexpected' });
});

test('rejects a response with another ID', async () => {
  upstream.follow(() => ({
    body: JSON.stringify({ jsonrpc: '2.0', result: DOCUMENTED.getEpochInfo, id: 7 }),
  }));
  const source = openTestStatistics(openSolanaRpc, upstream.url);
  await expect(source.sample('sol')).rejects.toMatchObject({ reason: 'unexpected' });
  await source.close();
});
