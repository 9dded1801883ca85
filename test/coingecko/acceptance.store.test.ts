import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { openStand, type Stand } from './stand.ts';

/* The cases by which CoinGecko's API is accepted, in their order. */

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

type Prices = Record<string, Record<string, number | null>>;
type Chart = Record<'prices' | 'market_caps' | 'total_volumes', [number, number | null][]>;
type Coin = {
  market_data: { current_price: Record<string, number>; ath_date: { usd: string } };
  image: { small: string };
};

const MARKET_MEMBERS = [
  ...['id', 'symbol', 'name', 'image', 'current_price', 'market_cap', 'market_cap_rank', 'fully_diluted_valuation'],
  ...['total_volume', 'high_24h', 'low_24h', 'price_change_24h', 'price_change_percentage_24h'],
  ...['market_cap_change_24h', 'market_cap_change_percentage_24h', 'circulating_supply', 'total_supply', 'max_supply'],
  ...['ath', 'ath_change_percentage', 'ath_date', 'atl', 'atl_change_percentage', 'atl_date', 'roi', 'last_updated'],
];

test('1: prices of a known and an unknown coin in two currencies, with a key of the other name', async () => {
  const query =
    'ids=bitcoin%2Cnope&vs_currencies=usd,eur&include_market_cap=true&include_24hr_vol=true&include_24hr_change=true&include_last_updated_at=true';
  const before = await stand.used();
  const response = await stand.request(`/simple/price?${query}`, { 'X-Cg-Pro-Api-Key': stand.key });
  expect(response.status).toBe(200);
  const prices = JSON.parse(response.text) as Prices;
  expect(Object.keys(prices)).toEqual(['bitcoin']);
  const members = ['usd', 'eur'].flatMap((code) => [
    code,
    `${code}_market_cap`,
    `${code}_24h_vol`,
    `${code}_24h_change`,
  ]);
  expect(Object.keys(prices.bitcoin ?? {}).sort()).toEqual([...members, 'last_updated_at'].sort());
  expect(prices.bitcoin?.usd).toBeGreaterThan(0);
  expect(prices.bitcoin?.eur).toBeGreaterThan(0);
  expect(prices.bitcoin?.last_updated_at).toBeTypeOf('number');
  expect(Number.isInteger(prices.bitcoin?.last_updated_at)).toBe(true);
  for (const value of Object.values(prices.bitcoin ?? {})) expect(value === null || Number.isFinite(value)).toBe(true);
  expect(await stand.used()).toBe(before + 1);
});

test('2: a known coin in an unknown currency, with a key in the query, which appears nowhere', async () => {
  // Successful requests are recorded after the log was read.
  await stand.get('/v1/user/requests', { key: stand.key });
  const path = `/simple/price/?ids=bitcoin&vs_currencies=ethereum&x_cg_demo_api_key=${stand.key}`;
  const response = await stand.request(path, {});
  expect([response.status, response.text]).toEqual([200, '{"bitcoin":{}}']);
  expect(stand.logLines.join()).not.toContain(stand.key);
  const listed = await stand.get('/v1/user/requests', { key: stand.key });
  const log = await listed.text();
  expect(log).toContain('/api/v3/simple/price');
  expect(log).not.toContain(stand.key);
});

test('3: no coin is named', async () => {
  const before = await stand.used();
  const response = await stand.request('/simple/price?vs_currencies=usd');
  expect([response.status, response.text]).toEqual([422, '{"error":"Missing parameter ids"}']);
  expect(await stand.used()).toBe(before);
});

test('4: a coin without some of its parts', async () => {
  const coin = await stand.json<Coin>(
    '/coins/bitcoin/?tickers=false&community_data=false&developer_data=false&localization=false',
  );
  for (const name of ['tickers', 'localization', 'community_data', 'developer_data'])
    expect(coin).not.toHaveProperty(name);
  const prices = await stand.json<Prices>('/simple/price?ids=bitcoin&vs_currencies=usd');
  expect(coin.market_data.current_price.usd).toBe(prices.bitcoin?.usd);
  expect(coin.market_data.ath_date.usd).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(coin.image.small).toMatch(/^https:.*\/small\//);
});

test('5: an unknown coin', async () => {
  const response = await stand.request('/coins/nope/market_chart?vs_currency=usd&days=1');
  expect([response.status, response.text]).toEqual([404, '{"error":"coin not found"}']);
});

test('6: a page of the catalogue by ID, with every member, and a page beyond its end', async () => {
  const path = '/coins/markets/?ids=&vs_currency=USD&order=id_asc&per_page=2';
  const coins = await stand.json<Record<string, unknown>[]>(`${path}&page=2`);
  expect(coins.map(({ id }) => id)).toEqual(['ethereum', 'solana']);
  for (const coin of coins) expect(Object.keys(coin)).toEqual(MARKET_MEMBERS);
  const before = await stand.used();
  expect(await stand.json(`${path}&page=999`)).toEqual([]);
  expect(await stand.used()).toBe(before);
});

test('7: thirty days of hours in another currency', async () => {
  const chart = await stand.json<Chart>('/coins/bitcoin/market_chart?vs_currency=eur&days=30');
  const { prices, market_caps, total_volumes } = chart;
  expect(prices.length).toBeGreaterThanOrEqual(700);
  expect(prices.length).toBeLessThanOrEqual(724);
  for (const column of [market_caps, total_volumes]) expect(column.map(([at]) => at)).toEqual(prices.map(([at]) => at));
  const times = prices.map(([at]) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(29.9 * DAY);
  for (const [, value] of prices) expect(value).toBeGreaterThan(0);
});

test.each([
  ['days=91', 92],
  ['days=90&interval=daily', 91],
])('8: the midnights of %s and the newest sample', async (query, points) => {
  const { prices } = await stand.json<Chart>(`/coins/bitcoin/market_chart?vs_currency=usd&${query}`);
  expect(prices).toHaveLength(points);
  const midnights = prices.slice(0, -1).map(([at]) => at);
  expect(midnights.every((at) => at % DAY === 0)).toBe(true);
  expect((prices.at(-1)?.[0] ?? 0) % DAY).not.toBe(0);
});

test('9: the figures of a date in both forms of dates', async () => {
  const paths = ['date=30-10-2026', 'date=2026-10-30&localization=false'];
  const [own] = (await (
    await stand.get('/v1/prices/history/date?tokenName=ethereum&date=30-10-2026', { key: stand.key })
  ).json()) as { current_price: number }[];
  for (const path of paths) {
    const { market_data } = await stand.json<Coin>(`/coins/ethereum/history?${path}`);
    expect(market_data.current_price.usd).toBe(own?.current_price);
    expect(market_data.current_price).toMatchObject({
      usd: expect.any(Number),
      eur: expect.any(Number),
      btc: expect.any(Number),
    });
  }
});

test('10: candles of seven days', async () => {
  const candles = await stand.json<number[][]>('/coins/bitcoin/ohlc?vs_currency=usd&days=7');
  expect(Math.abs(candles.length - 42)).toBeLessThanOrEqual(1);
  const own = (await (
    await stand.get(
      '/v1/prices/history/ohlc?tokenName=bitcoin&fromDate=2026-11-12&thruDate=2026-11-20&interval=hourly',
      {
        key: stand.key,
      },
    )
  ).json()) as { date: string; open: number; close: number }[];
  for (const [at = 0, open = 0, high = 0, low = 0, close = 0] of candles) {
    expect(at % (4 * HOUR)).toBe(0);
    expect(low).toBeLessThanOrEqual(Math.min(open, close));
    expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
    // The time is the end of the candle.
    expect(open).toBe(own.find(({ date }) => Date.parse(date) === at - 4 * HOUR)?.open);
    expect(close).toBe(own.find(({ date }) => Date.parse(date) === at - HOUR)?.close);
  }
});

test('11: without a key, and with a spent allowance', async () => {
  const path = '/simple/price?ids=bitcoin&vs_currencies=usd';
  const none = await stand.request(path, {});
  expect([none.status, none.header('content-type')]).toEqual([401, 'application/json; charset=utf-8']);
  expect(JSON.parse(none.text)).toMatchObject({ status: { error_code: 10002, timestamp: expect.any(String) } });
  const key = await stand.createUser({ limit: 1 });
  expect((await stand.request(path, { 'x-cg-demo-api-key': key })).status).toBe(200);
  const spent = await stand.request(path, { 'x-cg-demo-api-key': key });
  expect(spent.status).toBe(429);
  expect(JSON.parse(spent.text)).toMatchObject({ status: { error_code: 429, error_message: expect.any(String) } });
  expect(spent.header('retry-after')).toMatch(/^\d+$/);
  expect(spent.header('x-should-retry')).toBe('false');
  expect(spent.header('content-type')).toBe('application/json; charset=utf-8');
});

test('12: a range of ISO dates contains its midnights only', async () => {
  const { prices } = await stand.json<Chart>(
    '/coins/bitcoin/market_chart/range?from=2026-01-01&to=2026-06-30&vs_currency=usd',
  );
  const dates = prices.map(([at]) => new Date(at).toISOString());
  expect([dates[0], dates.at(-1), dates.length]).toEqual(['2026-01-01T00:00:00.000Z', '2026-06-30T00:00:00.000Z', 181]);
});
