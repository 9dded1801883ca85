import { describe, expect, test } from 'vitest';
import { openSolanaRpc } from '#statistics/sources/solana';
import { sampleFrom } from '../../support/upstream/statistics-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

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

const upstream = useUpstreamServer();

const requests = () => upstream.calls.map(({ body }) => JSON.parse(body) as { method: string; params: unknown[] });

const sampled = (changes: Record<string, unknown> = {}, differentId?: number) =>
  sampleFrom(upstream, [openSolanaRpc, 'sol', '/?api-key=of-the-operator'], ({ body }) => {
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    const response = (changes[method] ?? { result: DOCUMENTED[method] }) as object;
    return { body: JSON.stringify({ jsonrpc: '2.0', ...response, id: differentId ?? id }) };
  });

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

  test.each([-32005, -32603, -32601, 429])('of a later call affects only its own figures: %i', async (code) => {
    const { current_supply: _, ...others } = (await sampled({})).figures;
    expect((await sampled({ getSupply: error(code, 'no') })).figures).toEqual(others);
    const { block_time: __, ...rest } = (await sampled({})).figures;
    expect((await sampled({ getRecentPerformanceSamples: error(code, 'no') })).figures).toEqual(rest);
  });
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['a negative height', { getEpochInfo: { result: { blockHeight: -1, transactionCount: 1 } } }, ['block_height']],
  [
    'a height in words',
    { getEpochInfo: { result: { blockHeight: 'high' } } },
    ['block_height', 'transaction_count_all_time'],
  ],
  ['samples in another format', { getRecentPerformanceSamples: { result: [{ numSlots: 'many' }] } }, ['block_time']],
  ['a supply in another format', { getSupply: { result: { total: 5 } } }, ['current_supply']],
])('%s affects only its own figures', async (_name, changes, lacking) => {
  const names = Object.keys((await sampled({})).figures).filter((name) => !lacking.includes(name));
  expect(Object.keys((await sampled(changes)).figures)).toEqual(names);
});

test.each<[string, Record<string, unknown>]>([['no result', { getEpochInfo: {} }]])(
  '%s is a failure',
  async (_name, changes) => {
    await expect(sampled(changes)).rejects.toMatchObject({ upstream: 'solana-rpc', reason: 'unexpected' });
  },
);

test('rejects a response with another ID', async () => {
  await expect(sampled({}, 7)).rejects.toMatchObject({ reason: 'unexpected' });
});
