import { beforeEach, expect, it, vi } from 'vitest';
import { QuotientError, type Token } from '#client/index';
import { openStatistics } from '#console/prices/statistics';

const tokenOf = (symbol: string, endpoints = ['/v1/prices/latest/stats']) =>
  ({ tokenName: symbol, symbol, title: symbol.toUpperCase(), endpoints }) as unknown as Token;
const [btc, eth, usdc] = [tokenOf('btc'), tokenOf('eth'), tokenOf('usdc', [])];

let respond: (path: string) => Promise<object>;
let listSources: () => Promise<object[]>;
const report = vi.fn();
let statistics: ReturnType<typeof openStatistics>;

const recordOf = (path: string, parts: object = {}) => ({
  value: { symbol: path.split('=')[1], time: new Date(0), block_height: 7 },
  ...{ fetchedAt: new Date(), stale: undefined, gaps: [], sources: ['bitcoin-stats-2'], ...parts },
});

beforeEach(() => {
  report.mockClear();
  respond = async (path) => recordOf(path);
  listSources = async () => [{ name: 'bitcoin-stats', title: 'Blockchain.com' }];
  const needs = {
    session: { anonymous: { sources: () => listSources() } },
    marketData: { fetch: ({ path }: { path: string }) => respond(path) },
    failure: { report, clear: () => undefined },
  };
  statistics = openStatistics(needs as unknown as Parameters<typeof openStatistics>[0]);
});
const height = () => statistics.entries.value?.[0]?.[1];

it('are loaded on request, and then for each selected token that has its own blockchain', async () => {
  await statistics.show(btc);
  expect([statistics.cost.value, height(), statistics.note.value]).toEqual([0, undefined, '']);
  statistics.want();
  await vi.waitFor(() => expect(height()).toBe('7'));
  expect([statistics.cost.value, statistics.note.value, statistics.age.value?.fetchedAt]).toEqual([
    ...[1, 'Source: Blockchain.com.', new Date(0)],
  ]);
  await statistics.show(eth);
  expect(statistics.note.value).toContain('because it uses proof of stake');
  await statistics.show(usdc);
  expect([statistics.cost.value, height(), statistics.note.value]).toEqual([
    ...[0, undefined, expect.stringContaining('USDC does not have its own blockchain')],
  ]);
});

it('never show the figures of another token', async () => {
  statistics.want();
  await statistics.show(btc);
  const slow = Promise.withResolvers<object>();
  respond = () => slow.promise;
  const load = statistics.show(eth);
  expect([height(), statistics.isLoading.value]).toEqual([undefined, true]);
  respond = async (path) => recordOf(path);
  await statistics.show(btc);
  slow.resolve(recordOf('token=eth', { value: { symbol: 'eth', time: new Date(0), block_height: 9 } }));
  await load;
  expect([height(), statistics.isLoading.value]).toEqual(['7', false]);
});

it('keep their figures if a call fails, and name a source whose title is not known', async () => {
  const error = new QuotientError('network', 'away');
  listSources = () => Promise.reject(error);
  respond = async (path) => recordOf(path, { failure: error });
  statistics.want();
  await statistics.show(btc);
  expect([height(), statistics.note.value]).toEqual(['7', 'Source: bitcoin-stats-2.']);
  expect(report).toHaveBeenLastCalledWith(error, expect.any(Function), true);
  respond = () => Promise.reject(error);
  await statistics.show(eth);
  expect(height()).toBeUndefined();
  expect(report).toHaveBeenLastCalledWith(error, expect.any(Function));
});
