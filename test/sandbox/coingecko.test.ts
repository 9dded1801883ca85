import { describe, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import type { CoinGeckoPlanName } from '#prices/sources/coingecko-plans';
import { answerCoingecko } from '#sandbox/coingecko';

const now = Date.parse('2026-05-15T14:42:25.300Z');

function get(target: string, plan: CoinGeckoPlanName = 'public', headers: Record<string, string> = {}, at = now) {
  const { pathname, searchParams } = new URL(target, 'http://sandbox');
  const request = { method: 'GET', path: pathname, query: searchParams, headers, body: '' };
  const response = answerCoingecko(request, { seed: 1, plan, now: at, spent: 7 });
  return { ...response, json: JSON.parse(response.body) };
}

test('ping', () => {
  expect(get('/ping')).toMatchObject({ status: 200, json: { gecko_says: '(V3) To the Moon!' } });
});

describe('coins/markets', () => {
  test('has all members of a real record, in the same order', () => {
    const [record] = get('/coins/markets?vs_currency=usd&ids=bitcoin').json;
    expect(Object.keys(record).join(' ')).toBe(
      'id symbol name image current_price market_cap market_cap_rank fully_diluted_valuation total_volume ' +
        'high_24h low_24h price_change_24h price_change_percentage_24h market_cap_change_24h ' +
        'market_cap_change_percentage_24h circulating_supply total_supply max_supply ath ' +
        'ath_change_percentage ath_date atl atl_change_percentage atl_date roi last_updated',
    );
    expect(record).toMatchObject({ id: 'bitcoin', symbol: 'btc', max_supply: 21_000_000, roi: null });
    expect(record.ath).toBeGreaterThanOrEqual(record.current_price);
    expect(record.high_24h).toBeGreaterThanOrEqual(record.low_24h);
    expect(record.ath_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(record.last_updated)).toBeLessThanOrEqual(now);
  });

  test('writes integers as floats like CoinGecko', () => {
    const { body } = get('/coins/markets?vs_currency=usd&ids=bitcoin');
    expect(body).toContain('"max_supply":21000000.0,');
    expect(body).toMatch(/"circulating_supply":\d+\.0,/);
    expect(body).toMatch(/"market_cap":\d+,/);
  });

  test('returns the known IDs, largest first, and omits an ID with a leading space', () => {
    const ids = (list: string) =>
      get(`/coins/markets?vs_currency=usd&ids=${list}`).json.map((record: { id: string }) => record.id);
    expect(ids('arweave,nothing,bitcoin')).toEqual(['bitcoin', 'arweave']);
    expect(ids('bitcoin,%20ethereum')).toEqual(['bitcoin']);
    expect(ids('nothing')).toEqual([]);
  });

  test('has null for a missing maximum supply', () => {
    const records = get('/coins/markets?vs_currency=usd&ids=bitcoin,arweave,ethereum,solana,usd-coin').json;
    const limits = records.map((record: { id: string; max_supply: number }) => [record.id, record.max_supply]);
    expect(Object.fromEntries(limits)).toEqual({
      ...{ bitcoin: 21_000_000, arweave: 66_000_000 },
      ...{ ethereum: null, solana: null, 'usd-coin': null },
    });
  });

  test('requires a currency', () => {
    const error = { status: 422, json: { error: 'Missing parameter vs_currency' } };
    expect(get('/coins/markets?ids=bitcoin')).toMatchObject(error);
    expect(get('/coins/bitcoin/market_chart?days=1')).toMatchObject(error);
  });
});

describe('market_chart', () => {
  const points = (query: string, plan: CoinGeckoPlanName = 'public') =>
    get(`/coins/bitcoin/market_chart?vs_currency=usd&${query}`, plan).json.prices.length;

  test('has three columns', () => {
    const { json } = get('/coins/bitcoin/market_chart?vs_currency=usd&days=1');
    expect(Object.keys(json)).toEqual(['prices', 'market_caps', 'total_volumes']);
    expect(json.prices[0]).toEqual([expect.any(Number), expect.any(Number)]);
  });

  test('has a point for each slot, and the current one', () => {
    expect([288, 289, 290]).toContain(points('days=1'));
    expect([720, 721, 722]).toContain(points('days=30'));
    expect(points('days=90&interval=daily')).toBe(91);
    expect(points('days=365')).toBe(366);
    expect(points('days=max', 'pro')).toBe(Math.floor((now - Date.parse('2013-04-28')) / DAY) + 2);
  });

  test('rejects an invalid number of days', () => {
    for (const days of ['0', '-1', '1.5', 'all']) {
      const response = get(`/coins/bitcoin/market_chart?vs_currency=usd&days=${days}`);
      expect(response).toMatchObject({ status: 400, json: { error: 'invalid days' } });
    }
  });
});

describe('market_chart/range', () => {
  const seconds = Math.floor(now / 1_000);
  const prices = (from: number, to: number): [number, number][] =>
    get(`/coins/bitcoin/market_chart/range?vs_currency=usd&from=${from}&to=${to}`).json.prices;

  test('has five-minute points for the last day and hourly points for another day', () => {
    expect([288, 289, 290]).toContain(prices(seconds - 86_400, seconds).length);
    expect([23, 24, 25]).toContain(prices(seconds - 3 * 86_400, seconds - 2 * 86_400).length);
  });

  test('has daily points above ninety days, both ends included', () => {
    const times = prices(Date.parse('2026-01-01') / 1_000, Date.parse('2026-04-30') / 1_000);
    expect(times).toHaveLength(120);
    expect(times[0]?.[0]).toBe(Date.parse('2026-01-01'));
    expect(times.at(-1)?.[0]).toBe(Date.parse('2026-04-30'));
  });

  test('is empty before the listing', () => {
    const { status, json } = get('/coins/solana/market_chart/range?vs_currency=usd&from=1&to=90000', 'pro');
    expect({ status, json }).toEqual({
      status: 200,
      json: { prices: [], market_caps: [], total_volumes: [] },
    });
  });
});

describe('errors', () => {
  test('an unknown coin, an unknown path, another method', () => {
    const unknown = get('/coins/nothing/market_chart?vs_currency=usd&days=1');
    expect(unknown).toMatchObject({ status: 404, json: { error: 'coin not found' } });
    expect(get('/coins/bitcoin/nothing').status).toBe(404);
    expect(get('/nothing')).toMatchObject({ status: 404, json: { error: expect.any(String) } });
  });

  test.each([
    '/coins/bitcoin/market_chart?vs_currency=usd&days=366',
    '/coins/bitcoin/market_chart?vs_currency=usd&days=max',
    `/coins/bitcoin/market_chart/range?vs_currency=usd&from=${Math.floor((now - 365 * DAY) / 1_000) - 1}&to=1778000000`,
  ])('before the history of the public and the demo plan: %s', (target) => {
    for (const plan of ['public', 'demo'] as const) {
      const { status, json } = get(target, plan);
      const timestamp = '2026-05-15T14:42:25.300+00:00';
      const error_message = expect.stringContaining('exceeds the allowed time range');
      expect({ status, json }).toEqual({
        status: 401,
        json: { error: { status: { timestamp, error_code: 10012, error_message } } },
      });
    }
    expect(get(target, 'pro').status).toBe(200);
  });

  test('the history of the basic plan is two years, as its error states', () => {
    const path = '/coins/bitcoin/market_chart?vs_currency=usd&days=';
    expect(get(`${path}730`, 'basic').status).toBe(200);
    expect(get(`${path}731`, 'basic')).toMatchObject({
      status: 401,
      json: { error: { status: { error_message: expect.stringContaining('within the past 730 days') } } },
    });
  });

  test('the start of the history', () => {
    const from = Math.floor((now - 365 * DAY) / 1_000);
    expect(get(`/coins/bitcoin/market_chart/range?vs_currency=usd&from=${from}&to=1778000000`).status).toBe(200);
  });

  test('a demo key on the pro host', () => {
    const { status, json } = get('/ping', 'pro', { 'x-cg-demo-api-key': 'CG-x' });
    expect({ status, json }).toEqual({
      status: 400,
      json: {
        timestamp: '2026-05-15T14:42:25.300+00:00',
        error_code: 10011,
        status: { error_message: expect.stringContaining('If you are using Demo API key') },
      },
    });
    expect(get('/ping', 'demo', { 'x-cg-demo-api-key': 'CG-x' }).status).toBe(200);
    expect(get('/ping', 'pro', { 'x-cg-pro-api-key': 'CG-x' }).status).toBe(200);
  });
});

describe('key', () => {
  const paid = { 'x-cg-pro-api-key': 'CG-x' };

  test.each([
    ['basic', 'Basic', 250, 100_000],
    ['pro', 'Analyst', 500, 500_000],
  ] as const)('returns the plan, its budget and the used calls: %s', (plan, name, perMinute, perMonth) => {
    expect(get('/key', plan, paid)).toMatchObject({
      status: 200,
      json: {
        plan: name,
        rate_limit_request_per_minute: perMinute,
        monthly_call_credit: perMonth,
        current_total_monthly_calls: 7,
        current_remaining_monthly_calls: perMonth - 7,
      },
    });
  });

  test('requires the key of a paid plan', () => {
    expect(get('/key', 'pro')).toMatchObject({ status: 401, json: { status: { error_code: 10002 } } });
    expect(get('/key', 'demo', { 'x-cg-demo-api-key': 'CG-x' })).toMatchObject({
      status: 401,
      json: { status: { error_code: 10005 } },
    });
  });
});
