import { afterEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import type { TokenPrice } from '#prices/latest/latest-records';
import type { LatestPrice } from '#prices/model/prices-records';
import type { UsageRecord } from '#users/users-records';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { type FaultyUpstreamService, LATEST, startWithFaultyUpstream } from '../../support/service/chaos.ts';

const PATH = '/v1/prices/latest/tokens?tokenNames=';

let service: FaultyUpstreamService;
afterEach(() => service.close());

const start = (settings: Record<string, string> = {}) =>
  startWithFaultyUpstream({ settings: { COINGECKO_REFRESH: 'latest=6m', ...settings } });

async function request(names: string, headers: Record<string, string> = {}) {
  const response = await service.ask(`${PATH}${names}`, headers);
  return { ...response, prices: response.status === 200 ? (JSON.parse(response.body) as TokenPrice[]) : [] };
}

async function used(): Promise<number> {
  const response = await service.get('/v1/user/usage', { key: service.key });
  return ((await response.json()) as { used: number }).used;
}

test('returns an array in the order of the names, with the same records as single calls', async () => {
  service = await start();
  const { status, prices, header } = await request('SOL,bitcoin,%20Usd-Coin%20');
  expect(status).toBe(200);
  expect(prices.map(({ tokenName, symbol }) => [tokenName, symbol])).toEqual([
    ['solana', 'sol'],
    ['bitcoin', 'btc'],
    ['usd-coin', 'usdc'],
  ]);
  const one = await service.ask(LATEST);
  const { tokenName, symbol, at, change_24h, ...record } = prices[1] as TokenPrice;
  expect(record).toEqual(JSON.parse(one.body) as LatestPrice);
  expect([tokenName, symbol, at, change_24h]).toEqual(['bitcoin', 'btc', one.header('last-modified'), null]);
  expect(header('quotient-source')).toBe('coingecko');
  expect(header('cache-control')).toBe(one.header('cache-control'));
});

test('serves an identical request on the fast path, for the same charge', async () => {
  service = await start();
  const first = await request('bitcoin,ethereum');
  const [second, third] = [await request('bitcoin,ethereum'), await request('ethereum,bitcoin')];
  expect(second.cache).toMatchObject({ hit: true });
  expect(second.body).toBe(first.body);
  expect(third.prices).toEqual([...first.prices].reverse());
  expect(third.header('etag')).not.toBe(first.header('etag'));
  expect(await used()).toBe(3);
});

test('responds with 304 free of charge to a client that has the prices, until a price changes', async () => {
  service = await start();
  const etag = (await request('bitcoin,ar')).header('etag') ?? '';
  for (let i = 0; i < 3; i++) {
    const unchanged = await request('bitcoin,ar', { 'if-none-match': etag });
    expect([unchanged.status, unchanged.body]).toEqual([304, '']);
  }
  expect(await used()).toBe(1);
  await service.pass(7 * MINUTE);
  await request('bitcoin');
  await service.parts.market.idle();
  expect((await request('bitcoin,ar', { 'if-none-match': etag })).status).toBe(200);
  expect(await used()).toBe(3);
});

test('computes the change from the sample nearest to a day ago, however old the price is', async () => {
  service = await start();
  const before = await request('bitcoin');
  expect(before.prices[0]?.change_24h).toBeNull();
  await service.pass(DAY - 10 * MINUTE);
  const { prices } = await request('bitcoin');
  const [then, now] = [before.prices[0]?.current_price ?? 0, prices[0]?.current_price ?? 0];
  expect(now).not.toBe(then);
  expect(prices[0]?.change_24h).toBeCloseTo((now / then - 1) * 100, 9);
  await service.gate.shut();
  await service.pass(40 * MINUTE);
  const old = await request('bitcoin');
  expect(old.prices).toEqual(prices);
  expect(old.header('age')).toBe(String(40 * 60));
});

test('`sparkline=true` adds the archived price of each of the last 24 hours, for the same charge', async () => {
  service = await start();
  const lineOf = async (query: string) => (await request(query)).prices[0]?.sparkline_24h;
  const earlier = await request('bitcoin');
  await service.pass(3 * HOUR);
  const { prices, status } = await request('bitcoin&sparkline=true');
  expect(status).toBe(200);
  const five = (price: number | null | undefined) => Number(price?.toPrecision(5));
  const expected = Array<number | null>(24).fill(null);
  expected[20] = five(earlier.prices[0]?.current_price);
  expected[23] = five(prices[0]?.current_price);
  expect(prices[0]?.sparkline_24h).toEqual(expected);
  expect(earlier.prices[0]).not.toHaveProperty('sparkline_24h');
  expect((await request('bitcoin&sparkline=false')).prices[0]).not.toHaveProperty('sparkline_24h');
  expect(await used()).toBe(3);

  // The chart of the last day contains the other hours.
  await service.ask('/v1/prices/history/days?tokenName=bitcoin&days=1');
  const line = await lineOf('bitcoin&sparkline=true');
  expect(line).toHaveLength(24);
  expect(line).not.toContain(null);
  const euros = await request('bitcoin&sparkline=true&currency=eur');
  const rate = Number(/rate=([\d.]+)/.exec(euros.header('quotient-currency') ?? '')?.[1]);
  for (const [i, price] of (euros.prices[0]?.sparkline_24h ?? []).entries())
    expect(Number(price) / (Number(line?.[i]) * rate)).toBeCloseTo(1, 3);
  const rejected = await request('bitcoin&sparkline=yes');
  expect([rejected.status, JSON.parse(rejected.body)]).toEqual([
    400,
    expect.objectContaining({ errors: [expect.objectContaining({ location: 'query.sparkline' })] }),
  ]);
});

test('returns nulls for a token without a price; without any price, the response is a problem', async () => {
  service = await start();
  const { sandbox } = service;
  const received = await fetch(`${sandbox.coingeckoUrl}/coins/markets?vs_currency=usd&ids=bitcoin`);
  sandbox.faults.always({ kind: 'status', status: 200, body: await received.json() }, { path: '/coins/markets' });
  const { status, prices } = await request('arweave,bitcoin');
  expect(status).toBe(200);
  expect(prices[1]?.current_price).toBeGreaterThan(0);
  const { tokenName, symbol, ...figures } = prices[0] as TokenPrice;
  expect([tokenName, symbol]).toEqual(['arweave', 'ar']);
  expect(new Set(Object.values(figures))).toEqual(new Set([null]));
  expect(Object.keys(figures).sort()).toEqual(
    Object.keys(prices[1] as TokenPrice)
      .filter((name) => name !== 'tokenName' && name !== 'symbol')
      .sort(),
  );
  const alone = await request('arweave');
  expect([alone.status, alone.code]).toEqual([404, 'no_data']);
  const single = await service.ask('/v1/prices/latest/token?tokenName=arweave');
  expect([single.status, single.code]).toEqual([404, 'no_data']);
});

test('rejects an invalid list and names the positions, without repeating the input', async () => {
  service = await start();
  for (const [names, numbers, near = '1 to 100'] of [
    ['', []],
    ['bitcoin,', [2]],
    [',', [1, 2]],
    ['bitcoin,BTC', [1, 2]],
    ['sol,bitcoin,Solana', [1, 3]],
    ['bitcoin,bitcon,sol', [2], 'bitcoin at position 2'],
    [Array(101).fill('bitcoin').join(), [101]],
    ['a,b,c,d,e', [1, 2, 2, 3]],
  ] as const) {
    const { status, code, body } = await request(names);
    const [fault] = (JSON.parse(body) as { errors: Record<'location' | 'message' | 'fix', string>[] }).errors;
    expect([status, code]).toEqual([400, 'invalid_request']);
    expect(fault?.location).toBe('query.tokenNames');
    const named = fault?.message.match(/\d+/g)?.map(Number) ?? [];
    expect(
      named.toSorted((a, b) => a - b),
      names,
    ).toEqual(numbers);
    expect(fault?.fix).toContain(near);
    expect(fault?.fix).toContain('1 to 100 token names or symbols');
    expect(body).not.toContain('bitcon');
  }
  const twice = await service.ask(`${PATH}bitcoin&tokenNames=solana`);
  expect(JSON.parse(twice.body)).toMatchObject({ errors: [{ location: 'query.tokenNames' }] });
  const missing = await service.ask('/v1/prices/latest/tokens');
  expect(JSON.parse(missing.body)).toMatchObject({ errors: [{ location: 'query.tokenNames' }] });
  expect(await used()).toBe(0);
});

/** The service with a hundred tokens, and a user with a limit. */
async function startWithHundred(limit: number) {
  service = await start();
  const names = await addSandboxTokens(service.database.prisma, 100);
  await service.parts.poll();
  const key = await service.createUser({ limit, validUntil: service.clock.now() + 30 * DAY });
  const get = (tokens: readonly string[], headers: Record<string, string> = {}) =>
    service.get(`${PATH}${tokens.join()}`, { key, headers });
  const usage = async () => {
    const { used, remaining } = (await (await service.get('/v1/user/usage', { key })).json()) as UsageRecord;
    return [used, remaining];
  };
  return { names, key, get, usage };
}

test('makes one CoinGecko call for a hundred tokens, and charges ten', async () => {
  const { names, get, usage } = await startWithHundred(1000);
  const calls = () => service.sandbox.calls.filter(({ path }) => path.endsWith('/coins/markets')).length;
  const before = calls();
  const response = await get(names);
  const prices = (await response.json()) as TokenPrice[];
  expect(prices.map(({ tokenName }) => tokenName)).toEqual(names);
  expect(prices.every(({ current_price }) => Number(current_price) > 0)).toBe(true);
  expect(calls() - before).toBe(1);
  expect(response.headers.get('ratelimit')).toMatch(/r=990;/);
  expect(await usage()).toEqual([10, 990]);
  // The same request on the fast path.
  expect((await get(names)).headers.get('ratelimit')).toMatch(/r=980;/);
  const etag = response.headers.get('etag') ?? '';
  expect((await get(names, { 'if-none-match': etag })).status).toBe(304);
  expect(await usage()).toEqual([20, 980]);
});

test('rejects a call that costs ten if nine are left, without a charge', async () => {
  const { names, key, get, usage } = await startWithHundred(9);
  for (let i = 0; i < 2; i++) {
    const refused = await get(names);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ code: 'quota_exceeded' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30 * 60 * 60 * 24 - 3600);
    expect(await usage()).toEqual([0, 9]);
  }
  expect((await get(names.slice(0, 90))).status).toBe(200);
  expect((await service.get(LATEST, { key })).status).toBe(429);
  expect(await usage()).toEqual([9, 0]);
});

test('requests a token that CoinGecko omits again without the others, and then with growing pauses', async () => {
  const { names, get } = await startWithHundred(1000);
  const { sandbox } = service;
  const received = await fetch(`${sandbox.coingeckoUrl}/coins/markets?vs_currency=usd&ids=${names.slice(0, 50)}`);
  sandbox.faults.always({ kind: 'status', status: 200, body: await received.json() }, { path: '/coins/markets' });
  const calls = () => sandbox.calls.filter(({ path }) => path.endsWith('/coins/markets')).length;
  for (const expected of [2, 1, 2, 1, 1, 2]) {
    const before = calls();
    const prices = (await (await get(names)).json()) as TokenPrice[];
    await service.parts.market.idle();
    expect(prices.map(({ at }) => at !== null)).toEqual(names.map((_, place) => place < 50));
    expect(calls() - before).toBe(expected);
    await get(names);
    expect(calls() - before).toBe(expected);
    await service.pass(7 * MINUTE);
  }
});
