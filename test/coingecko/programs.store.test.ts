import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '#core/clock';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { openStand, type Stand, USDC } from './stand.ts';

/* Each program's requests as it sends them, and the members that it reads. `test/outside` runs the official client. */

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
  await addSandboxTokens(stand.database.prisma, 12);
  await stand.parts.catalogue.sync();
});
afterAll(() => stand.close());

type Prices = Record<string, Record<string, number | null>>;
type Chart = {
  prices: [number, number][];
  market_caps: [number, number | null][];
  total_volumes: [number, number | null][];
};
type Listed = { id: string; symbol: string; name: string; platforms: Record<string, string> };
type Market = Record<string, unknown>;

const number = expect.any(Number);
const text = expect.any(String);
const pro = () => ({ 'X-Cg-Pro-Api-Key': stand.key });

async function get<Body>(path: string, headers: Record<string, string> = pro()): Promise<Body> {
  const response = await stand.request(path, headers);
  expect([response.status, response.header('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
  return JSON.parse(response.text) as Body;
}

function expectChart({ prices, market_caps, total_volumes }: Chart): void {
  expect(prices.length).toBeGreaterThan(1);
  for (const column of [market_caps, total_volumes]) expect(column).toHaveLength(prices.length);
  for (const [i, [at, price]] of prices.entries()) {
    expect(Number.isInteger(at) && price > 0).toBe(true);
    expect([market_caps[i]?.[0], total_volumes[i]?.[0]]).toEqual([at, at]);
    if (i > 0) expect(at).toBeGreaterThan(prices[i - 1]?.[0] ?? 0);
  }
}

test('Blockscout', async () => {
  const flags =
    'localization=false&tickers=false&market_data=true&community_data=false&developer_data=false&sparkline=false';
  const coin = await get<object>(`/coins/ethereum?${flags}`);
  expect(coin).toMatchObject({
    name: 'Ethereum',
    symbol: 'eth',
    image: { small: text, thumb: text },
    last_updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    market_data: {
      circulating_supply: number,
      total_supply: number,
      current_price: { btc: number, usd: number },
      market_cap: { usd: number },
      total_volume: { usd: number },
      last_updated: text,
    },
  });
  const list = await get<Listed[]>('/coins/list?include_platform=true');
  for (const { platforms } of list) expect(platforms).toBeTypeOf('object');
  expect(list.find(({ id }) => id === 'usd-coin')?.platforms.ethereum).toBe(USDC);
  const prices = await get<Prices>(
    '/simple/price?vs_currencies=usd&include_market_cap=true&include_24hr_vol=true&ids=bitcoin,usd-coin',
  );
  // It skips a token without one of these members.
  for (const coin of Object.values(prices)) expect(Object.keys(coin)).toEqual(['usd', 'usd_market_cap', 'usd_24h_vol']);
  expectChart(await get<Chart>('/coins/ethereum/market_chart?vs_currency=usd&days=365'));
});

test('trezor/blockbook', async () => {
  const currencies = await get<string[]>('/simple/supported_vs_currencies');
  expect(currencies).toEqual(expect.arrayContaining(['usd', 'eur', 'btc', 'eth']));
  await get<Listed[]>('/coins/list?include_platform=true');
  const prices = await get<Prices>(`/simple/price?ids=bitcoin,ethereum&vs_currencies=${currencies.join()}`);
  // It reads numbers into floats, so that null would be a price of 0.
  for (const coin of Object.values(prices)) for (const value of Object.values(coin)) expect(value).toBeGreaterThan(0);
  expect(Object.keys(prices.ethereum ?? {}).sort()).toEqual([...currencies].sort());
  for (const query of ['interval=daily&vs_currency=eur&days=max', 'vs_currency=eur&days=1', 'vs_currency=eur&days=90'])
    expectChart(await get<Chart>(`/coins/bitcoin/market_chart?${query}`));
  const { prices: daily } = await get<Chart>('/coins/bitcoin/market_chart?interval=daily&vs_currency=eur&days=5');
  expect(daily.slice(0, -1).every(([at]) => at % DAY === 0)).toBe(true);
});

test('Safe', async () => {
  const native = await get<Prices>('/simple/price?vs_currencies=usd&ids=ethereum&include_24hr_change=true');
  expect(native.ethereum).toMatchObject({ usd: number, usd_24h_change: number });
  const addresses = [USDC, ...Array.from({ length: 99 }, (_, i) => `0x${i.toString(16).padStart(40, '1')}`)];
  const tokens = await get<Prices>(
    `/simple/token_price/ethereum?vs_currencies=usd&contract_addresses=${addresses.join()}&include_24hr_change=true`,
  );
  expect(tokens).toEqual({ [USDC]: { usd: number, usd_24h_change: number } });
  expect(await get<string[]>('/simple/supported_vs_currencies')).toContain('usd');
});

test('Chainlink external adapters', async () => {
  const query = `ids=bitcoin%2Cethereum&vs_currencies=usd&x_cg_pro_api_key=${stand.key}&precision=full`;
  for (const [more, member] of [
    ['', 'usd'],
    ['&include_market_cap=true', 'usd_market_cap'],
    ['&include_24hr_vol=true', 'usd_24h_vol'],
  ] as const) {
    const prices = await get<Prices>(`/simple/price?${query}${more}`, {});
    expect(prices.bitcoin?.[member]).toBeGreaterThan(0);
  }
  expect((await get<Listed[]>(`/coins/list?x_cg_pro_api_key=${stand.key}`, {}))[0]).toEqual({
    id: text,
    symbol: text,
    name: text,
  });
  const global = await stand.request(`/global?x_cg_pro_api_key=${stand.key}`, {});
  expect([global.status, JSON.parse(global.text)]).toEqual([404, { error: 'Incorrect path' }]);
});

test('status-im/market-proxy', async () => {
  const query = 'order=market_cap_desc&page=1&per_page=250&vs_currency=usd&price_change_percentage=1h%2C24h';
  const first = await get<Market[]>(`/coins/markets?${query}`);
  expect(first.find(({ id }) => id === 'bitcoin')).toMatchObject({
    current_price: number,
    price_change_percentage_24h_in_currency: number,
  });
  expect(first.every((coin) => 'price_change_percentage_1h_in_currency' in coin)).toBe(true);
  for (let page = 2; page <= 4; page++)
    expect(await get(`/coins/markets?${query.replace('page=1', `page=${page}`)}`)).toEqual([]);
  const ids = [
    ...stand.parts.catalogue.all().map(({ name }) => name),
    ...Array.from({ length: 488 }, (_, i) => `c${i}`),
  ];
  const includes =
    'include_market_cap=true&include_24hr_vol=true&include_24hr_change=true&include_last_updated_at=true';
  const before = await stand.used();
  const prices = await get<Prices>(`/simple/price?ids=${ids.join('%2C')}&vs_currencies=usd,eur,btc,eth&${includes}`);
  expect(Object.keys(prices)).toHaveLength(12);
  expect(Object.keys(prices.bitcoin ?? {})).toHaveLength(17);
  expect(await stand.used()).toBe(before + 2);
  expectChart(await get<Chart>('/coins/bitcoin/market_chart?days=90&vs_currency=usd'));
  expect(await get<object[]>('/asset_platforms')).toEqual(
    expect.arrayContaining([expect.objectContaining({ id: 'ethereum', chain_identifier: 1 })]),
  );
  const flags =
    'localization=false&tickers=false&market_data=false&community_data=false&developer_data=false&sparkline=false';
  const coin = await get<object>(`/coins/bitcoin?${flags}`);
  expect(coin).toMatchObject({
    id: 'bitcoin',
    description: { en: '' },
    links: { homepage: [] },
    image: { large: text },
  });
  expect(coin).not.toHaveProperty('market_data');
});

test('pycoingecko', async () => {
  // The targets that release 3.2.0 sends: optional parameters first, the key last, and a slash after the ID of a coin.
  const key = `x_cg_pro_api_key=${stand.key}`;
  const chart = expect.objectContaining({ prices: expect.any(Array) });
  const coin = expect.objectContaining({ id: 'bitcoin', localization: { en: 'Bitcoin' } });
  const contract = `/coins/ethereum/contract/${USDC}`;
  const requests: [string, unknown][] = [
    ['/ping?', { gecko_says: text }],
    ['/key?', expect.objectContaining({ monthly_call_credit: number })],
    [
      '/simple/price?include_market_cap=true&include_24hr_change=true&ids=bitcoin%2Clitecoin&vs_currencies=usd%2Ceur&',
      {
        bitcoin: {
          ...{ usd: number, usd_market_cap: number, usd_24h_change: number },
          ...{ eur: number, eur_market_cap: number, eur_24h_change: number },
        },
      },
    ],
    ['/simple/price?symbols=btc&ids=&vs_currencies=usd&', { btc: { usd: number } }],
    [`/simple/token_price/ethereum?contract_addresses=${USDC}&vs_currencies=usd&`, { [USDC]: { usd: number } }],
    ['/simple/supported_vs_currencies?', expect.arrayContaining(['usd'])],
    ['/coins/list?include_platform=true&', expect.arrayContaining([expect.objectContaining({ id: 'bitcoin' })])],
    [
      '/coins/markets?ids=bitcoin&sparkline=true&price_change_percentage=1h%2C24h&vs_currency=usd&',
      [expect.objectContaining({ id: 'bitcoin', sparkline_in_7d: { price: expect.any(Array) } })],
    ],
    ['/coins/bitcoin/?', coin],
    ['/coins/bitcoin/?tickers=false&', coin],
    ['/coins/bitcoin/history?localization=false&date=10-11-2026&', expect.objectContaining({ id: 'bitcoin' })],
    ['/coins/bitcoin/market_chart?vs_currency=usd&days=3&', chart],
    ['/coins/bitcoin/market_chart?vs_currency=usd&days=max&', chart],
    ['/coins/bitcoin/market_chart/range?vs_currency=usd&from=1792577905&to=1792664305&', chart],
    ['/coins/bitcoin/ohlc?vs_currency=usd&days=1&', expect.any(Array)],
    [`${contract}?`, expect.objectContaining({ contract_address: USDC })],
    [`${contract}/market_chart?vs_currency=usd&days=2&`, chart],
    [`${contract}/market_chart/range?vs_currency=usd&from=1792577905&to=1792664305&`, chart],
    ['/asset_platforms?', expect.any(Array)],
    ['/exchange_rates?', { rates: expect.objectContaining({ btc: expect.objectContaining({ value: 1 }) }) }],
    ['/search?query=bitcoin+cash&', { coins: [], exchanges: [], icos: [], categories: [], nfts: [] }],
  ];
  for (const [target, body] of requests) expect([target, await get(target + key, {})]).toEqual([target, body]);
});

test('coingecko-python', async () => {
  const headers = { 'x-cg-demo-api-key': stand.key, 'x-cg-pro-api-key': stand.key, accept: 'application/json' };
  await get('/simple/price?ids=bitcoin&vs_currencies=usd', headers);
  await get('/coins/ethereum/history?date=2026-10-30', headers);
  expectChart(
    await get('/coins/bitcoin/market_chart/range?from=2026-10-01&to=2026-10-05T12%3A00&vs_currency=usd', headers),
  );
});

test('freqtrade', async () => {
  const list = await get<Listed[]>('/coins/list');
  expect(list.find(({ symbol }) => symbol === 'btc')).toMatchObject({ id: 'bitcoin' });
  expect((await get<Prices>('/simple/price?ids=bitcoin&vs_currencies=usd')).bitcoin?.usd).toBeGreaterThan(0);
  const path = '/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=250&page=1&sparkline=false&locale=en';
  for (const coin of await get<Market[]>(path)) expect(coin).toMatchObject({ market_cap: number, symbol: text });
});

test('Ghostfolio', async () => {
  expect(await get('/coins/bitcoin')).toMatchObject({ name: 'Bitcoin' });
  const [from, to] = [Date.parse('2026-10-01') / 1000, Date.parse('2026-11-20') / 1000];
  expectChart(await get(`/coins/bitcoin/market_chart/range?from=${from}&to=${to}&vs_currency=usd`));
  expect(await get('/simple/price?ids=bitcoin,solana&vs_currencies=usd')).toMatchObject({ solana: { usd: number } });
  const { coins } = await get<{ coins: object[] }>('/search?query=bitcoin');
  expect(coins[0]).toMatchObject({ id: 'bitcoin', name: 'Bitcoin' });
  const missing = JSON.parse((await stand.request('/coins/bitcoin', {})).text);
  expect(missing.status.error_message).toMatch(/key/);
});

test('rotki', async () => {
  const flags = 'localization=false&tickers=false&market_data=false&community_data=false&developer_data=false';
  const coin = await get(`/coins/bitcoin/?${flags}&sparkline=false`);
  expect(coin).toMatchObject({ symbol: 'btc', name: 'Bitcoin', image: { small: text } });
  expect((await get<Listed[]>('/coins/list/')).length).toBe(12);
  expect(await get('/simple/price/?ids=bitcoin&vs_currencies=eur')).toEqual({ bitcoin: { eur: number } });
  const history = await get('/coins/bitcoin/history/?date=30-10-2026&localization=false');
  expect(history).toMatchObject({ market_data: { current_price: { usd: number, eur: number } } });
  expect(await get('/key')).toMatchObject({ rate_limit_request_per_minute: number });
});

test('hummingbot', async () => {
  expect(await get('/ping', {})).toEqual({ gecko_says: '(V3) To the Moon!' });
  await get('/simple/supported_vs_currencies');
  const path = '/coins/markets?vs_currency=usd&order=market_cap_desc&per_page=250&sparkline=false';
  for (const coin of await get<Market[]>(`${path}&page=1`))
    expect(coin).toMatchObject({ symbol: text, current_price: number });
  expect(await get(`${path}&page=7`)).toEqual([]);
  expect(await get<Market[]>('/coins/markets?vs_currency=usd&ids=solana,bitcoin')).toHaveLength(2);
});

test('Portfolio Performance', async () => {
  await get('/coins/list');
  const { prices } = await get<Chart>('/coins/bitcoin/market_chart?vs_currency=EUR&days=365&interval=daily');
  expect(prices).toHaveLength(366);
  expect(prices.slice(0, -1).every(([at]) => at % DAY === 0)).toBe(true);
});

test('Electrum and Sparrow', async () => {
  const { rates } = await get<{ rates: Record<string, Record<string, unknown>> }>('/exchange_rates');
  for (const rate of Object.values(rates))
    expect(rate).toEqual({ name: text, unit: text, value: number, type: expect.stringMatching(/^(fiat|crypto)$/) });
  expectChart(await get('/coins/bitcoin/market_chart?vs_currency=EUR&days=365'));
  const [from, to] = [Date.parse('2026-01-01') / 1000, Date.parse('2026-03-01') / 1000];
  expectChart(await get(`/coins/bitcoin/market_chart/range?vs_currency=USD&from=${from}&to=${to}`));
});

test('Home Assistant cryptoinfo', async () => {
  const [coin] = await get<Market[]>('/coins/markets?ids=bitcoin&vs_currency=usd');
  expect(coin).toMatchObject({
    ...{ current_price: number, total_volume: number, market_cap: number, symbol: 'btc', image: text },
    ...{ market_cap_rank: number, ath: number, price_change_24h: number, price_change_percentage_24h: number },
    ath_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });
});

test('Dashy', async () => {
  expectChart(await get('/coins/bitcoin/market_chart?vs_currency=USD&days=7'));
  expectChart(await get('/coins/bitcoin/market_chart?vs_currency=USD&days=0.15'));
  const [coin] = await get<Market[]>('/coins/markets/?ids=&vs_currency=USD&order=market_cap_desc&per_page=100');
  expect(coin).toMatchObject({ name: text, image: text, current_price: number, market_cap_rank: number });
});

test('callisto', async () => {
  await get('/coins/list');
  const coins = await get<Market[]>('/coins/markets?vs_currency=usd&ids=bitcoin,ethereum');
  for (const coin of coins)
    expect(coin).toMatchObject({ symbol: text, current_price: number, market_cap: number, last_updated: text });
});

test('skip-mev/connect', async () => {
  const prices = await get<Prices>('/simple/price?ids=bitcoin,ethereum&vs_currencies=usd,btc&precision=18');
  for (const coin of Object.values(prices)) expect(coin).toEqual({ usd: number, btc: number });
});

test('ping.pub', async () => {
  expectChart(await get('/coins/bitcoin/market_chart?vs_currency=usd&days=30'));
  const prices = await get<Prices>('/simple/price?include_24hr_change=true&vs_currencies=usd,cny,eur&ids=bitcoin');
  expect(prices.bitcoin).toMatchObject({ usd: number, usd_24h_change: number, cny: number, eur: number });
  expect(await get('/coins/bitcoin')).toMatchObject({
    links: { homepage: [] },
    image: { large: text },
    market_data: { ath: { usd: number } },
  });
  const [coin] = await get<Market[]>(
    '/coins/markets?vs_currency=usd&ids=bitcoin&order=market_cap_desc&per_page=100&page=1&sparkline=true&price_change_percentage=14d&locale=en',
  );
  expect(coin).toMatchObject({ sparkline_in_7d: { price: expect.any(Array) }, price_change_24h: number });
});

test('Keplr', async () => {
  const prices = await get<Prices>('/simple/price?ids=bitcoin,ethereum&vs_currencies=usd,eur,jpy');
  expect(prices.ethereum).toEqual({ usd: number, eur: number, jpy: number });
});
