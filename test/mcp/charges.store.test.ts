import { afterAll, beforeAll, expect, it } from 'vitest';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { ADDRESS, callTool, HASH, type McpService, openMcpService } from './open.ts';

let service: McpService;
let names: string[];
beforeAll(async () => {
  service = await openMcpService({ UPSTREAM_TIMEOUT_MS: '60000' });
  names = await addSandboxTokens(service.database.prisma, 30);
  await service.parts.poll();
});
afterAll(() => service?.close());

/** A generator of reproducible numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Pair = { tool: string; given: Record<string, unknown>; path: string };

/** The same call as a tool and as a path. Some calls are invalid, unknown or without data. */
function randomPair(random: () => number): Pair {
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const token = pick([...names.slice(0, 5), 'btc', 'etherum', '']);
  const [date, from, thru] = [pick(DATES), pick(DATES), pick(DATES)];
  const currency = pick(['usd', 'eur', 'xyz']);
  const range = { tokenName: token, fromDate: from, thruDate: thru, currency };
  const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const several = names.slice(0, Math.floor(random() * 32));
  const european = date.split('-').reverse().join('-');
  return pick<() => Pair>([
    () => ({
      tool: 'get_latest_prices',
      given: { tokenNames: several },
      path: `/v1/prices/latest/tokens?tokenNames=${several}`,
    }),
    () => ({
      tool: 'get_price_on_date',
      given: { tokenName: token, date, currency },
      path: `/v1/prices/history/date?${query({ tokenName: token, date: european, currency })}`,
    }),
    () => ({ tool: 'get_price_history', given: range, path: `/v1/prices/history/date/range?${query(range)}` }),
    () => ({ tool: 'get_candles', given: range, path: `/v1/prices/history/ohlc?${query(range)}` }),
    () => {
      const symbol = pick(['btc', 'eth', 'usdc']);
      return {
        tool: 'get_chain_statistics',
        given: { token: symbol },
        path: `/v1/prices/latest/stats?token=${symbol}`,
      };
    },
    () => ({ tool: 'list_tokens', given: {}, path: '/v1/tokens' }),
    () => ({ tool: 'get_usage', given: {}, path: '/v1/user/usage' }),
    () => ({ tool: 'get_balances', given: { address: ADDRESS }, path: `/v1/node/bank/balances/${ADDRESS}` }),
    () => ({ tool: 'get_transaction', given: { hash: HASH }, path: `/v1/node/txs/${HASH}` }),
  ])();
}

const DATES = ['2010-01-01', '2026-01-05', '2026-02-01', '2026-03-10', '2026-02-31', '2999-01-01'];

const usedBy = async (key: string) =>
  ((await (await service.get('/v1/user/usage', { key })).json()) as { used: number }).used;

it('random calls cost as much as the same calls to the API, refusals included', async () => {
  const [forTools, forPaths] = [await service.createUser(), await service.createUser()];
  const random = randomFrom(20_261_125);
  const pairs = Array.from({ length: 300 }, () => randomPair(random));
  let refused = 0;
  for (const { tool, given, path } of pairs) {
    const [{ isError = false, content }, { status }] = await Promise.all([
      callTool(service.url, forTools, tool, given),
      service.get(path, { key: forPaths }).then(async (response) => {
        await response.arrayBuffer();
        return response;
      }),
    ]);
    expect(isError, `${tool} ${JSON.stringify(given)} ${path} ${status} ${content[0]?.text}`).toBe(status >= 400);
    if (isError) refused += 1;
  }
  const used = await usedBy(forTools);
  expect(used).toBe(await usedBy(forPaths));
  expect(used).toBeGreaterThan(90);
  expect(refused).toBeGreaterThan(30);
});

it('an allowance is used to the last call, and no further', async () => {
  const key = await service.createUser({ limit: 25 });
  const calls = Array.from({ length: 12 }, () =>
    callTool(service.url, key, 'get_latest_prices', { tokenNames: names.slice(0, 21) }),
  );
  const results = await Promise.all(calls);
  expect(results.filter(({ isError }) => !isError)).toHaveLength(8);
  expect(await usedBy(key)).toBe(24);
  await callTool(service.url, key, 'get_latest_prices', { tokenNames: ['btc'] });
  expect((await callTool(service.url, key, 'get_latest_prices', { tokenNames: ['btc'] })).isError).toBe(true);
  expect(await usedBy(key)).toBe(25);
});

it('a failed call and a cancelled call are free', async () => {
  const key = await service.createUser();
  service.sandbox.faults.always({ kind: 'status', status: 500 }, { path: 'market_chart' });
  const period = { fromDate: '2025-12-20', thruDate: '2025-12-24', interval: 'hourly' };
  const failed = await callTool(service.url, key, 'get_price_history', { tokenName: names[10], ...period });
  service.sandbox.faults.clear();
  expect(failed.isError, failed.content[0]?.text).toBe(true);
  expect(await usedBy(key)).toBe(0);
});
