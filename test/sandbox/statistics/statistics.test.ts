import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { type Sandbox, startSandbox } from '#sandbox/server';
import { createChainFigures } from '#sandbox/statistics/arweave';
import { createTestClock } from '../../../fixtures/clock.ts';

const NOW = Date.parse('2026-05-15T14:10:06.789Z');
const CHAINS = ['bitcoin', 'arweave', 'ethereum', 'solana'] as const;
const open: Sandbox[] = [];
async function start(seed = 1, now = NOW) {
  const sandbox = await startSandbox({ seed, clock: createTestClock(now) });
  open.push(sandbox);
  return sandbox;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

const KEY = { authorization: 'Apikey any' };
async function get(url: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { headers });
  return { status: response.status, json: JSON.parse(await response.text()) };
}
async function rpc(url: string, method: string, ...params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 'mine', method, params });
  return (await fetch(url, { method: 'POST', body })).json() as Promise<Record<string, unknown>>;
}

const responses = async (sandbox: Sandbox) => ({
  cryptocompare: await get(`${sandbox.cryptocompareUrl}/data/blockchain/latest?fsym=BTC`, KEY),
  bitcoin: await get(`${sandbox.bitcoinUrl}/stats?format=json`),
  ethereum: await get(`${sandbox.ethereumUrl}/stats`),
  blocks: await get(`${sandbox.ethereumUrl}/blocks?type=block`),
  epoch: await rpc(sandbox.solanaUrl, 'getEpochInfo'),
  info: await get(`${sandbox.arweaveUrl}/info`),
});

test('the figures are determined by the seed and the clock', async () => {
  const first = await responses(await start(5));
  expect(await responses(await start(5))).toEqual(first);
  expect(await responses(await start(6))).not.toEqual(first);
  expect(await responses(await start(5, NOW + 2 * DAY))).not.toEqual(first);
});

test('heights, totals and block times never decrease', () => {
  const times = fc.tuple(fc.integer({ min: NOW - 2000 * DAY, max: NOW }), fc.integer({ min: 0, max: 3 * DAY }));
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(...CHAINS), times, (seed, name, [at, later]) => {
      const chain = createChainFigures(seed, name);
      for (const total of [chain.heightAt, chain.transactionsAt, chain.addressesAt, chain.supplyAt]) {
        expect(total(at + later)).toBeGreaterThanOrEqual(total(at));
      }
      const height = chain.heightAt(at);
      expect(chain.blockAt(height)).toBeLessThanOrEqual(at);
      expect(chain.blockAt(height)).toBeGreaterThanOrEqual(chain.blockAt(height - 1));
    }),
  );
});

test('every day has transactions', () => {
  for (const name of CHAINS) {
    const { transactionsAt } = createChainFigures(1, name);
    expect(transactionsAt(NOW)).toBeGreaterThan(transactionsAt(NOW - DAY));
  }
});

describe('CryptoCompare', () => {
  const send = async (query: string, headers: Record<string, string> = KEY, path = 'data/blockchain/latest') =>
    get(`${(await start()).cryptocompareUrl}/${path}${query}`, headers);

  test.each(['BTC', 'ETH'])('has the record of %s at midnight', async (fsym) => {
    const { status, json } = await send(`?fsym=${fsym}`);
    expect(status).toBe(200);
    expect(json).toMatchObject({
      Response: 'Success',
      Type: 100,
      Data: { symbol: fsym, partner_symbol: fsym },
    });
    expect(json.Data.time * 1000).toBe(Date.parse('2026-05-15'));
    expect(Object.keys(json.Data)).toHaveLength(18);
  });

  test.each([
    ['a missing key, in the new envelope', '?fsym=BTC', {}, 401, { Data: {}, Err: { type: 2 } }],
    ['a malformed key, in the old envelope', '?fsym=BTC', { authorization: 'Bearer x' }, 200, { Type: 1 }],
    ['an unknown chain', '?fsym=SOL', KEY, 200, { Type: 2, ParamWithError: 'fsym', Data: {} }],
    ['a missing chain', '', KEY, 200, { Response: 'Error', Type: 2, ParamWithError: 'fsym' }],
  ])('rejects %s', async (_name, query, headers, status, body) => {
    expect(await send(query, headers)).toMatchObject({ status, json: body });
  });

  test('rejects other paths', async () => {
    expect(await send('', KEY, 'data/price')).toMatchObject({ status: 404, json: { Err: { type: 1 } } });
  });

  test('has a rate-limit response with HTTP status 200', async () => {
    const sandbox = await start();
    sandbox.faults.next({ kind: 'rateLimitUnder200' });
    const url = `${sandbox.cryptocompareUrl}/data/blockchain/latest?fsym=BTC`;
    expect(await get(url, KEY)).toMatchObject({ status: 200, json: { Response: 'Error', Type: 99 } });
    expect((await get(url, KEY)).json.Response).toBe('Success');
  });
});

describe('blockchain.info', () => {
  test('has satoshis, GH/s and ms, and a page without the format', async () => {
    const { bitcoinUrl } = await start();
    const { json } = await get(`${bitcoinUrl}/stats?format=json`);
    expect(json.timestamp).toBe(Date.parse('2026-05-15T14:10:06Z'));
    expect(json.totalbc / 1e8).toBeLessThan(21_000_000);
    expect(json.hash_rate).toBeGreaterThan(1e11);
    const page = await fetch(`${bitcoinUrl}/stats`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await get(`${bitcoinUrl}/charts`)).status).toBe(404);
  });
});

describe('mempool', () => {
  test('serves the same chain as blockchain.info, with the height as plain text', async () => {
    const { mempoolUrl, bitcoinUrl } = await start();
    const { json: stats } = await get(`${bitcoinUrl}/stats?format=json`);
    const tip = await fetch(`${mempoolUrl}/blocks/tip/height`);
    expect([tip.status, tip.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await tip.text()).toBe(String(stats.n_blocks_total));
    const { json: rates } = await get(`${mempoolUrl}/v1/mining/hashrate/3d`);
    expect(rates.currentDifficulty).toBe(stats.difficulty);
    expect(rates.currentHashrate / stats.hash_rate / 1e9).toBeCloseTo(1, 9);
    const { json: adjustment } = await get(`${mempoolUrl}/v1/difficulty-adjustment`);
    expect(adjustment.nextRetargetHeight - adjustment.remainingBlocks).toBe(stats.n_blocks_total);
    expect(adjustment.timeAvg / 60_000).toBeCloseTo(stats.minutes_between_blocks, 1);
    for (const path of ['/v1/mining/hashrate/1y', '/toString']) {
      expect((await fetch(mempoolUrl + path)).status).toBe(404);
    }
  });
});

describe('Blockscout', () => {
  test('requires a key for the hosted service, and none for an explorer', async () => {
    const { blockscoutUrl, ethereumUrl } = await start();
    const explorer = await get(`${ethereumUrl}/stats`);
    expect(explorer.status).toBe(200);
    expect(await get(`${blockscoutUrl}/stats`, { authorization: 'Bearer any' })).toEqual(explorer);
    for (const headers of [{}, KEY]) {
      expect(await get(`${blockscoutUrl}/stats`, headers)).toEqual({
        status: 401,
        json: { message: 'Unauthorized' },
      });
    }
  });

  test('has totals as strings, updated every 30 minutes, and the count of the last full day', async () => {
    const sandbox = await start();
    const later = await start(1, NOW + HOUR);
    const [first, second] = [await responses(sandbox), await responses(later)];
    expect(first.ethereum.json.total_transactions).toMatch(/^\d+$/);
    expect(Number(second.ethereum.json.total_transactions)).toBeGreaterThan(
      Number(first.ethereum.json.total_transactions),
    );
    expect(second.ethereum.json.transactions_today).toBe(first.ethereum.json.transactions_today);
  });

  test('lists the latest 50 blocks', async () => {
    const { blocks } = await responses(await start());
    const { items } = blocks.json as { items: { height: number; size: number }[] };
    expect(items).toHaveLength(50);
    expect(items.map(({ height }) => (items[0]?.height ?? 0) - height)).toEqual([...Array(50).keys()]);
    expect((await get(`${open[0]?.ethereumUrl}/tokens`)).status).toBe(404);
  });
});

describe('Solana', () => {
  test('responds at its root, with the id of the request', async () => {
    const { solanaUrl } = await start();
    for (const url of [solanaUrl, `${solanaUrl}/`]) {
      expect(await rpc(url, 'getSupply')).toMatchObject({
        jsonrpc: '2.0',
        id: 'mine',
        result: { value: { total: expect.any(Number) } },
      });
    }
    const { result } = await rpc(solanaUrl, 'getRecentPerformanceSamples', 3);
    expect(result).toHaveLength(3);
  });

  test.each<[string, string, unknown[], number]>([
    ['an unknown method', 'getEverything', [], -32601],
    ['a method that every object inherits', 'toString', [], -32601],
    ['a parameter of the wrong type', 'getRecentPerformanceSamples', ['many'], -32602],
    ['too many samples', 'getRecentPerformanceSamples', [721], -32602],
  ])('rejects %s with HTTP status 200', async (_name, method, params, code) => {
    const { solanaUrl } = await start();
    expect(await rpc(solanaUrl, method, ...params)).toMatchObject({ error: { code } });
  });

  test('requires JSON by POST', async () => {
    const { solanaUrl } = await start();
    const post = async (body: string) => (await fetch(solanaUrl, { method: 'POST', body })).json();
    expect(await post('{')).toMatchObject({ error: { code: -32700 }, id: null });
    expect(await post('[]')).toMatchObject({ error: { code: -32600 }, id: null });
    expect((await fetch(solanaUrl)).status).toBe(405);
    expect((await fetch(`${solanaUrl}/health`)).status).toBe(404);
  });
});

describe('Arweave', () => {
  const block = async (sandbox: Sandbox, height: number) =>
    (await get(`${sandbox.arweaveUrl}/block/height/${height}`)).json;

  test('has blocks whose sizes add up to the weave size', async () => {
    const sandbox = await start();
    const { height } = (await get(`${sandbox.arweaveUrl}/info`)).json;
    let before = await block(sandbox, height - 5);
    for (let at = height - 4; at <= height; at++) {
      const next = await block(sandbox, at);
      expect(Number(next.weave_size) - Number(before.weave_size)).toBe(Number(next.block_size));
      expect(next.timestamp).toBeGreaterThanOrEqual(before.timestamp);
      expect(next.previous_block).toBe(before.indep_hash);
      before = next;
    }
    expect(before.timestamp * 1000).toBeLessThanOrEqual(NOW);
  });

  test('has no block after the latest', async () => {
    const sandbox = await start();
    const { height } = (await get(`${sandbox.arweaveUrl}/info`)).json;
    const response = await fetch(`${sandbox.arweaveUrl}/block/height/${height + 1}`);
    expect([response.status, await response.text()]).toEqual([404, 'Block not found.']);
    expect((await get(`${sandbox.arweaveUrl}/nothing`)).status).toBe(400);
    expect((await fetch(`${sandbox.arweaveUrl}/info`, { method: 'PUT' })).status).toBe(405);
  });
});

test('calls are counted by upstream, and faults apply to one upstream', async () => {
  const sandbox = await start();
  sandbox.faults.always({ kind: 'status', status: 503 }, { path: '/ethereum/' });
  await fetch(`${sandbox.arweaveUrl}/block/height/7`);
  await fetch(`${sandbox.coingeckoUrl}/coins/bitcoin/market_chart?vs_currency=usd&days=1`);
  expect((await fetch(`${sandbox.ethereumUrl}/stats`)).status).toBe(503);
  expect((await fetch(`${sandbox.bitcoinUrl}/stats?format=json`)).status).toBe(200);
  await rpc(sandbox.solanaUrl, 'getEpochInfo');
  const endpoints = ['/arweave/block/height/{height}', '/coins/{id}/market_chart', '/ethereum/stats'];
  for (const endpoint of [...endpoints, '/bitcoin/stats', '/solana']) {
    expect(sandbox.countCalls(endpoint), endpoint).toBe(1);
  }
  expect(sandbox.countCalls()).toBe(5);
});
