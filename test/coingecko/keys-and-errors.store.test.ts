import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordTraces } from '../support/recording-tracer.ts';
import { METRICS_ON, openScrape } from '../support/service/metrics.ts';
import { openStand, type Stand } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand({ settings: { LOG_REQUESTS: 'all', LOG_LEVEL: 'trace' } });
});
afterAll(() => stand.close());

const PATH = '/simple/price?ids=bitcoin&vs_currencies=usd';
const OTHERS = 'CG-abcdefghijklmnopqrstuvwx';

describe('a key', () => {
  test.each([
    ['the header of a demo key', () => [PATH, { 'x-cg-demo-api-key': stand.key }]],
    ['the header of a pro key in another case', () => [PATH, { 'X-CG-PRO-API-KEY': stand.key }]],
    ['the parameter of a demo key', () => [`${PATH}&x_cg_demo_api_key=${stand.key}`, {}]],
    ['the parameter of a pro key', () => [`${PATH}&x_cg_pro_api_key=${stand.key}`, {}]],
    ['X-API-KEY', () => [PATH, { 'x-api-key': stand.key }]],
    ['a Bearer token', () => [PATH, { authorization: `Bearer ${stand.key}` }]],
    ['Basic authentication', () => [PATH, { authorization: `Basic ${btoa(`${stand.key}:`)}` }]],
    ['several places', () => [`${PATH}&x_cg_pro_api_key=${stand.key}`, { 'x-cg-demo-api-key': stand.key }]],
    [
      'one place beside a key of CoinGecko',
      () => [PATH, { 'x-cg-demo-api-key': OTHERS, 'x-cg-pro-api-key': stand.key }],
    ],
    ['a header beside an empty parameter', () => [`${PATH}&x_cg_pro_api_key=`, { 'x-cg-pro-api-key': stand.key }]],
  ] as [string, () => [string, Record<string, string>]][])(
    'is accepted in %s, and charged once, twice',
    async (_place, request) => {
      const before = await stand.used();
      // The second response comes from the fast path.
      for (let i = 0; i < 2; i++) expect((await stand.request(...request())).status).toBe(200);
      expect(await stand.used()).toBe(before + 2);
    },
  );

  test('is missing, unknown, or one of two', async () => {
    const other = await stand.createUser();
    const unknown = `${stand.key.slice(0, -1)}${stand.key.endsWith('0') ? 1 : 0}`;
    for (const [headers, status, code] of [
      [{}, 401, 10002],
      [{ 'x-cg-pro-api-key': OTHERS }, 401, 10002],
      [{ 'x-api-key': unknown }, 401, 10002],
    ] as const) {
      const response = await stand.request(PATH, headers);
      expect([response.status, JSON.parse(response.text).status.error_code]).toEqual([status, code]);
    }
    for (const [path, headers] of [
      [PATH, { 'x-cg-demo-api-key': stand.key, 'x-cg-pro-api-key': other }],
      [`${PATH}&x_cg_pro_api_key=${other}`, { 'x-api-key': stand.key }],
      [`${PATH}&x_cg_pro_api_key=${other}&x_cg_pro_api_key=${stand.key}`, {}],
    ] as const) {
      const response = await stand.request(path, headers);
      expect([response.status, typeof JSON.parse(response.text).error]).toEqual([400, 'string']);
    }
  });

  test.each([
    ['scopes=node', 401, 10005],
    ['allowedOrigins=https://shop.example', 403, 403],
  ])('with %s is rejected with the status %i and the code %i', async (terms, status, code) => {
    const created = await fetch(`${stand.url}/v1/user/keys?label=key&${terms}`, {
      method: 'POST',
      headers: { 'x-api-key': stand.key },
    });
    const { apiKey } = (await created.json()) as { apiKey: string };
    const response = await stand.request(PATH, { 'x-cg-pro-api-key': apiKey });
    expect([response.status, JSON.parse(response.text).status.error_code]).toEqual([status, code]);
  });

  test('is not accepted in CoinGecko’s places elsewhere', async () => {
    const path = '/v1/prices/latest/token?tokenName=bitcoin';
    const headers = { 'x-cg-pro-api-key': stand.key };
    expect((await fetch(`${stand.url}${path}`, { headers })).status).toBe(401);
    expect((await fetch(`${stand.url}${path}&x_cg_pro_api_key=${stand.key}`)).status).toBe(401);
  });
});

describe('an error', () => {
  test.each([
    ['/global', 404, { error: 'Incorrect path' }],
    ['/', 404, { error: 'Incorrect path' }],
    ['', 404, { error: 'Incorrect path' }],
    ['/coins/', 404, { error: 'Incorrect path' }],
    ['/coins//market_chart', 404, { error: 'Incorrect path' }],
    ['/coins/bitcoin/tickers', 404, { error: 'Incorrect path' }],
    ['/coins/nope', 404, { error: 'coin not found' }],
    ['/coins/ethereum/contract/0x0000000000000000000000000000000000000000', 404, { error: 'coin not found' }],
    ['/coins/markets', 422, { error: 'Missing parameter vs_currency' }],
    ['/coins/markets?vs_currency=', 422, { error: 'Missing parameter vs_currency' }],
    ['/coins/markets?vs_currency=gold', 400, { error: 'invalid vs_currency' }],
    ['/simple/price', 422, { error: 'Missing parameter ids' }],
    ['/simple/price?ids=bitcoin', 422, { error: 'Missing parameter vs_currencies' }],
    ['/simple/token_price/ethereum?vs_currencies=usd', 422, { error: 'Missing parameter contract_addresses' }],
    ['/coins/bitcoin/history', 422, { error: 'Missing parameter date' }],
    ['/coins/bitcoin/history?date=31-02-2024', 400, { error: 'invalid date' }],
    ['/coins/bitcoin/market_chart', 422, { error: 'Missing parameter vs_currency' }],
    ['/coins/bitcoin/market_chart?vs_currency=usd&days=-1', 400, { error: 'invalid days' }],
    ['/coins/bitcoin/market_chart/range?vs_currency=usd&from=x&to=2', 400, { error: 'invalid from' }],
    ['/coins/bitcoin/market_chart/range?vs_currency=usd&from=2026-02-30&to=2026-03-02', 400, { error: 'invalid from' }],
    ['/coins/bitcoin/ohlc', 422, { error: 'Missing parameter vs_currency' }],
    ['/search', 422, { error: 'Missing parameter query' }],
  ])('%s has the status %i and CoinGecko’s body', async (path, status, body) => {
    const before = await stand.used();
    const response = await stand.request(path);
    expect([response.status, JSON.parse(response.text)]).toEqual([status, body]);
    expect(response.header('content-type')).toBe('application/json; charset=utf-8');
    expect(response.header('cache-control')).toBe('no-store');
    expect(await stand.used()).toBe(before);
  });

  test('answers every other method as an unknown path', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const response = await fetch(`${stand.base}/simple/price`, { method });
      expect([response.status, await response.json()]).toEqual([404, { error: 'Incorrect path' }]);
    }
  });
});

test('only a 429 whose wait can take days tells the official clients not to retry', async () => {
  const limited = await openStand({ settings: { BURST_PER_SECOND: '1' } });
  try {
    const daily = await limited.createKey(await limited.createUser(), { label: 'daily', dailyLimit: '1' });
    const outcomes: (string | number | null)[][] = [];
    for (const [key, pause] of [
      [limited.key, 0],
      [limited.key, 0],
      [daily, 2000],
      [daily, 2000],
    ] as const) {
      await limited.pass(pause);
      const response = await limited.request(PATH, { 'x-cg-pro-api-key': key });
      outcomes.push([response.status, response.header('retry-after'), response.header('x-should-retry')]);
    }
    const untilMidnight = expect.stringMatching(/^\d{5}$/);
    expect(outcomes).toEqual([
      [200, null, null],
      [429, '1', null],
      [200, null, null],
      [429, untilMidnight, 'false'],
    ]);
  } finally {
    await limited.close();
  }
});

test('the key appears in no log, metric, trace, request log or error', async () => {
  const tracing = recordTraces();
  const measured = await openStand({ settings: { ...METRICS_ON, LOG_REQUESTS: 'all', LOG_LEVEL: 'trace' } });
  const scrape = await openScrape(measured);
  try {
    const { key } = measured;
    const texts: string[] = [];
    // Successful requests are recorded after the log was read.
    await measured.get('/v1/user/requests', { key });
    for (const path of [PATH, PATH, '/coins/nope', '/nope', '/simple/price', '/coins/bitcoin', `/coins/${key}`]) {
      const where = path.includes('?') ? '&' : '?';
      const response = await measured.request(`${path}${where}x_cg_pro_api_key=${key}`, {});
      texts.push(response.text, JSON.stringify([...response.headers]));
    }
    const listed = await measured.get('/v1/user/requests', { key });
    texts.push(await listed.text(), await scrape.text(), JSON.stringify(tracing.ended), measured.logLines.join());
    for (const text of texts) expect(text).not.toContain(key);
    expect(await scrape.text()).toContain('route="/api/v3/simple/price"');
  } finally {
    await scrape.close();
    await measured.close();
    tracing.close();
  }
});
