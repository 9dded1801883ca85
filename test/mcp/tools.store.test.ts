import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, isoDate } from '#core/clock';
import { openScrape } from '../support/service/metrics.ts';
import { ADDRESS, CALLS, callTool, HASH, keyWith, type McpService, openMcpService, post } from './open.ts';

let service: McpService;
let key: string;
beforeAll(async () => {
  service = await openMcpService({ METRICS_PORT: '0' });
  key = await service.register();
});
afterAll(() => service?.close());

type Listed = { name: string; description: string; inputSchema: object; outputSchema: object };

async function list(apiKey: string): Promise<{ tools: Listed[] }> {
  const response = await post(service.url, apiKey, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return ((await response.json()) as { result: { tools: Listed[] } }).result;
}

const call = (name: string, given: object) => callTool(service.url, key, name, given);
const read = async (path: string) => (await service.get(path, { key })).json() as Promise<Record<string, unknown>>;
const daysAgo = (days: number) => isoDate(Date.now() - days * DAY);

describe('tools/list', () => {
  it('has schemas of objects', async () => {
    const listed = await list(key);
    expect(listed.tools.map(({ name }) => name)).toEqual(CALLS.map(([name]) => name));
    for (const { inputSchema, outputSchema } of listed.tools) {
      expect(inputSchema).toMatchObject({ type: 'object', properties: {} });
      expect(outputSchema).toMatchObject({ type: 'object', properties: { source: { type: 'string' } } });
    }
  });

  it('contains only tools that the scopes of the key allow', async () => {
    const namesFor = async (scopes: string) =>
      (await list(await keyWith(service.url, key, scopes))).tools.map(({ name }) => name);
    const node = ['get_balances', 'get_transaction'];
    expect(await namesFor('prices')).toEqual(CALLS.map(([name]) => name).filter((name) => !node.includes(name)));
    expect(await namesFor('node')).toEqual(['list_tokens', 'get_usage', ...node]);
  });

  it('lists the tools that docs/mcp.md lists', async () => {
    const page = await readFile('docs/mcp.md', 'utf8');
    expect([...page.matchAll(/^\| `([a-z]+_[a-z_]+)` \| /gm)].map(([, name]) => name)).toEqual(
      CALLS.map(([name]) => name),
    );
  });
});

it('a tool outside the scopes of the key is refused', async () => {
  const [prices, node] = [await keyWith(service.url, key, 'prices'), await keyWith(service.url, key, 'node')];
  for (const [apiKey, name, given] of [
    [prices, 'get_balances', { address: ADDRESS }],
    [prices, 'get_transaction', { hash: HASH }],
    [node, 'get_latest_prices', { tokenNames: ['btc'] }],
    [node, 'get_chain_statistics', { token: 'btc' }],
  ] as const) {
    const { isError, content } = await callTool(service.url, apiKey, name, given);
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('scope_missing');
  }
});

it('without a node, there are no node tools', async () => {
  const other = await openMcpService({ NODE_URLS: '' });
  const apiKey = await other.register();
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_balances', arguments: { address: ADDRESS } },
  };
  expect(await (await post(other.url, apiKey, message)).json()).toMatchObject({ error: { code: -32602 } });
  await other.close();
});

describe('results', () => {
  it('latest prices are those of the API, with ISO dates', async () => {
    const { structuredContent, content } = await call('get_latest_prices', {
      tokenNames: ['ETH', 'bitcoin'],
      currency: 'eur',
    });
    const records = (await read('/v1/prices/latest/tokens?tokenNames=eth,bitcoin&currency=eur')) as unknown as {
      at: string;
      ath_date: string;
      current_price: number;
    }[];
    const prices = structuredContent?.prices as typeof records;
    expect(prices.map(({ current_price }) => current_price)).toEqual(records.map(({ current_price }) => current_price));
    expect(prices.map(({ at }) => Date.parse(at))).toEqual(records.map(({ at }) => Date.parse(at)));
    expect(prices[0]?.ath_date).toMatch(/^\d{4}-\d\d-\d\d/);
    expect(structuredContent).toMatchObject({ source: 'coingecko', currency: expect.stringMatching(/^eur;rate=/) });
    expect(content[0]?.text.split('\n')[1]).toMatch(/^ethereum,[\d.]+,/);
  });

  it('the price on a date is that of the API', async () => {
    const date = daysAgo(40);
    const { structuredContent } = await call('get_price_on_date', { tokenName: 'sol', date });
    const [snapshot] = (await read(
      `/v1/prices/history/date?tokenName=sol&date=${date.split('-').reverse().join('-')}`,
    )) as unknown as object[];
    expect(structuredContent).toMatchObject(snapshot as object);
    expect(structuredContent?.asOf).toBe(`${date}T00:00:00.000Z`);
  });

  it('a series is that of the API, one point per date', async () => {
    const [fromDate, thruDate] = [daysAgo(100), daysAgo(2)];
    const { structuredContent, content } = await call('get_price_history', { tokenName: 'btc', fromDate, thruDate });
    const series = (await read(
      `/v1/prices/history/date/range?tokenName=btc&fromDate=${fromDate}&thruDate=${thruDate}`,
    )) as unknown as Record<'prices' | 'market_cap', { date: string; price: number }[]>;
    const points = structuredContent?.points as { date: string; price: number; market_cap: number }[];
    expect(structuredContent?.interval).toBe('daily');
    expect(points.map(({ date, price }) => ({ at: Date.parse(date), price }))).toEqual(
      series.prices.map(({ date, price }) => ({ at: Date.parse(date), price })),
    );
    expect(points.map(({ market_cap }) => market_cap)).toEqual(series.market_cap.map(({ price }) => price));
    expect(points[0]?.date).toBe(fromDate);
    const lines = content[0]?.text.split('\n') ?? [];
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(lines[1]).toBe(
      `${fromDate},${points[0]?.price},${points[0]?.market_cap},${Object.values(points[0] as object)[3]}`,
    );
  });

  it('candles are those of the API', async () => {
    const [fromDate, thruDate] = [daysAgo(20), daysAgo(2)];
    const { structuredContent } = await call('get_candles', { tokenName: 'eth', fromDate, thruDate });
    const candles = (await read(
      `/v1/prices/history/ohlc?tokenName=eth&fromDate=${fromDate}&thruDate=${thruDate}`,
    )) as unknown as { date: string }[];
    const dated = (list: { date: string }[]) => list.map(({ date, ...rest }) => ({ at: Date.parse(date), ...rest }));
    expect(dated(structuredContent?.candles as { date: string }[])).toEqual(dated(candles));
  });

  it.each([
    ['get_price_history', 'points', 'hourly', 60, 'daily'],
    ['get_price_history', 'points', 'minute', 60, 'daily'],
    ['get_price_history', 'points', 'minute', 10, 'hourly'],
    ['get_candles', 'candles', 'daily', 700, 'weekly'],
    ['get_candles', 'candles', 'hourly', 29, '4h'],
  ])('%s of more than 500 %s: %s for %i days becomes %s', async (name, member, interval, days, given) => {
    const period = { fromDate: daysAgo(days), thruDate: daysAgo(1) };
    const { structuredContent, content } = await call(name, { tokenName: 'bitcoin', ...period, interval });
    expect(structuredContent, content[0]?.text).toMatchObject({
      interval: given,
      note: expect.stringContaining(given),
    });
    expect(Object.values(structuredContent?.[member] as object).length).toBeLessThanOrEqual(500);
    expect(content[0]?.text).toContain(String(structuredContent?.note));
    expect(content[0]?.text.split('\n').length).toBeLessThanOrEqual(60);
  });

  it('the usage counts the charged calls, and every result names the remaining ones', async () => {
    const before = await call('get_usage', {});
    const { structuredContent } = await call('get_latest_prices', { tokenNames: ['ar'] });
    const after = await call('get_usage', {});
    expect(after.structuredContent?.used).toBe(Number(before.structuredContent?.used) + 1);
    expect(structuredContent?.remainingCalls).toBe(after.structuredContent?.remaining);
    expect((await call('list_tokens', { search: 'sol' })).structuredContent).toMatchObject({
      tokens: [{ tokenName: 'solana', symbol: 'sol', title: 'Solana', listed: '2020-04-11' }],
      remainingCalls: after.structuredContent?.remaining,
    });
  });

  it('each call is counted by tool and result', async () => {
    const scrape = await openScrape(service);
    const labels = (result: string) => `quotient_mcp_calls_total{tool="get_price_on_date",result="${result}"}`;
    const before = await scrape.series();
    await call('get_price_on_date', { tokenName: 'btc', date: daysAgo(5) });
    await call('get_price_on_date', { tokenName: 'btc', date: 'yesterday' });
    const after = await scrape.series();
    for (const result of ['ok', 'refused'])
      expect(after.get(labels(result)), result).toBe((before.get(labels(result)) ?? 0) + 1);
    await scrape.close();
  });
});

describe('refusals', () => {
  it.each([
    ['get_latest_prices', { tokenNames: ['etherum'] }, /invalid_request[\s\S]*arguments\.tokenNames .*ethereum/],
    ['get_latest_prices', { tokenNames: [] }, /arguments\.tokenNames/],
    ['get_latest_prices', { tokenNames: 'btc' }, /arguments\.tokenNames must be an array/],
    ['get_latest_prices', { coins: ['btc'] }, /tokenNames was sent as coins/],
    ['get_latest_prices', { tokenNames: ['btc'], vs_currency: 'eur' }, /currency was sent as vs_currency/],
    ['get_latest_prices', { tokenNames: ['btc'], vs_currencies: 'eur' }, /currency was sent as vs_currencies/],
    ['get_price_on_date', { tokenName: 'btc', date: '2024-01-01', convert: 'eur' }, /currency was sent as convert/],
    ['get_latest_prices', { tokenNames: ['btc'], start: '2024-01-01' }, /start is not accepted by this tool/],
    ['get_price_history', { symbol: 'btc', start: '2024-01-01', end: '2024-02-01' }, /tokenName was sent as symbol/],
    ['get_price_history', { tokenName: 'btc', from: '2024-01-01', until: '2024-02-01' }, /thruDate was sent as until/],
    ['get_candles', { pair: 'btc', fromDate: '2024-01-01', thruDate: '2024-02-01' }, /tokenName was sent as pair/],
    ['get_chain_statistics', { coin: 'btc' }, /token was sent as coin/],
    [
      'get_price_on_date',
      { tokenName: 'btc', date: '31-01-2024' },
      /arguments\.date must be a date in the format YYYY-MM-DD/,
    ],
    ['get_price_on_date', { tokenName: 'btc', date: '2024-02-31' }, /arguments\.date must be a date that exists/],
    ['get_price_on_date', { tokenName: 'btc', date: '2999-01-01' }, /arguments\.date must not be in the future/],
    ['get_price_on_date', { tokenName: 'btc', date: '2009-01-01' }, /no_data/],
    ['get_price_on_date', { tokenName: 'btc', date: '2024-01-01', curency: 'eur' }, /currency is misspelled/],
    [
      'get_price_history',
      { tokenName: 'btc', fromDate: '2024-02-01', thruDate: '2024-01-01' },
      /must not be after thruDate/,
    ],
    [
      'get_price_history',
      { tokenName: 'btc', fromDate: '2024-01-01', toDate: '2024-02-01' },
      /thruDate was sent as toDate/,
    ],
    [
      'get_price_history',
      { tokenName: 'btc', fromDate: '2024-01-01', thruDate: '2024-02-01', interval: 'weekly' },
      /must be minute, hourly or daily/,
    ],
    [
      'get_candles',
      { tokenName: 'btc', fromDate: '2024-01-01', thruDate: '2024-02-01', currency: 'xyz' },
      /arguments\.currency must be a supported currency/,
    ],
    ['get_chain_statistics', { token: 'usdc' }, /arguments\.token must be a supported token/],
    ['get_chain_statistics', { token: 'btc', currency: 'eur' }, /arguments\.currency must be a supported currency/],
    ['get_balances', { address: 'kava1' }, /arguments\.address must be a valid address/],
    ['get_transaction', { hash: 'xyz' }, /arguments\.hash must be a transaction hash/],
    ['get_transaction', { hash: 'CD'.repeat(32) }, /node_rejected[\s\S]*Reported by the node: /],
    ['get_usage', { mnemonic: 'a seed phrase' }, /secret_in_request/],
  ])('%s %j', async (name, given, text) => {
    const { isError, content, structuredContent } = await call(name, given);
    expect(isError).toBe(true);
    expect(structuredContent).toBeUndefined();
    expect(content[0]?.text).toMatch(text);
    expect(content[0]?.text).toContain('Nothing was charged.');
  });

  it('an exhausted allowance states the waiting time', async () => {
    const apiKey = await service.createUser({ limit: 1 });
    const first = await callTool(service.url, apiKey, 'get_latest_prices', { tokenNames: ['btc'] });
    expect(first.structuredContent?.remainingCalls).toBe(0);
    const { isError, content } = await callTool(service.url, apiKey, 'get_latest_prices', { tokenNames: ['btc'] });
    expect(isError).toBe(true);
    expect(content[0]?.text).toMatch(/^Quota exceeded \(quota_exceeded\)\n[\s\S]*\nRetry after: [1-9]\d+ seconds\n/);
  });
});
