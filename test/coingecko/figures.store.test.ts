import { afterEach, expect, test } from 'vitest';
import { DAY, MINUTE } from '#core/clock';
import { addSandboxTokens } from '../../fixtures/sandbox-tokens.ts';
import { openStand, type Stand } from './stand.ts';

let stand: Stand;
afterEach(() => stand.close());

type Market = Record<string, number | string | null> & { id: string };
type Prices = Record<string, Record<string, number | null>>;
const markets = (query: string) => stand.json<Market[]>(`/coins/markets?${query}`);
const near = (value: unknown, expected: number) => expect(Number(value) / expected).toBeCloseTo(1, 5);

test('the record keeps the figures of the source, and /v1 does not return them', async () => {
  stand = await openStand();
  const [bitcoin] = await markets('vs_currency=usd&ids=bitcoin');
  const sent = await fetch(`${stand.sandbox.coingeckoUrl}/coins/markets?vs_currency=usd&ids=bitcoin`);
  const [source] = (await sent.json()) as [Record<string, unknown>];
  for (const name of [
    ...['image', 'market_cap_rank', 'fully_diluted_valuation', 'high_24h', 'low_24h', 'total_volume', 'market_cap'],
    ...['market_cap_change_percentage_24h', 'price_change_percentage_24h', 'ath', 'ath_change_percentage', 'ath_date'],
  ])
    expect([name, bitcoin?.[name]]).toEqual([name, source[name]]);
  near(bitcoin?.price_change_24h, Number(source.price_change_24h));
  const own = await (await stand.get('/v1/prices/latest/token?tokenName=bitcoin', { key: stand.key })).json();
  expect(Object.keys(own as object)).toHaveLength(12);
});

test('while a fallback serves the price, no figure contradicts it', async () => {
  stand = await openStand();
  const before = (await markets('vs_currency=usd&ids=bitcoin'))[0];
  stand.sandbox.faults.always({ kind: 'status', status: 500, body: {} }, { path: '/api/v3' });
  for (let i = 0; i < 30; i++) {
    await stand.pass(MINUTE);
    await markets('vs_currency=usd&ids=bitcoin');
    await stand.parts.market.idle();
  }
  const response = await stand.request('/coins/markets?vs_currency=usd&ids=bitcoin');
  expect(response.header('quotient-source')).toMatch(/^kraken/);
  const [bitcoin] = JSON.parse(response.text) as [Market];
  for (const name of ['fully_diluted_valuation', 'high_24h', 'low_24h', 'market_cap_change_24h', 'roi'])
    expect([name, bitcoin[name]]).toEqual([name, null]);
  expect([bitcoin.image, bitcoin.market_cap_rank]).toEqual([before?.image, before?.market_cap_rank]);
  near(bitcoin.ath_change_percentage, (Number(bitcoin.current_price) / Number(bitcoin.ath) - 1) * 100);
});

test('figures in other currencies follow their rates; extremes in tokens are null', async () => {
  stand = await openStand();
  const ids = 'ids=ethereum,bitcoin';
  const [usd, eur, btc, sats] = await Promise.all(
    ['usd', 'eur', 'btc', 'sats'].map(
      async (code) => (await markets(`vs_currency=${code}&${ids}`)) as [Market, Market],
    ),
  );
  if (!usd || !eur || !btc || !sats) throw new Error('no markets');
  const rate = Number(usd[0].current_price) / Number(eur[0].current_price);
  for (const name of ['market_cap', 'fully_diluted_valuation', 'high_24h', 'total_volume'])
    near(eur[1][name], Number(usd[1][name]) / rate);
  expect(eur[1].ath).not.toBeNull();
  near(eur[1].ath_change_percentage, (Number(eur[1].current_price) / Number(eur[1].ath) - 1) * 100);
  near(btc[0].current_price, 1);
  near(btc[1].current_price, Number(usd[1].current_price) / Number(usd[0].current_price));
  near(sats[1].current_price, Number(btc[1].current_price) * 1e8);
  for (const coin of [...btc, ...sats])
    expect([coin.ath, coin.atl, coin.ath_date, coin.ath_change_percentage]).toEqual([null, null, null, null]);
  const change = (coin: Market) => 1 + Number(coin.price_change_percentage_24h) / 100;
  near(change(btc[1]), change(usd[1]) / change(usd[0]));
  near(change(btc[0]), 1);
  expect([btc[1].circulating_supply, btc[1].max_supply]).toEqual([usd[1].circulating_supply, usd[1].max_supply]);
});

test('changes over longer periods and sparklines come from the archive', async () => {
  stand = await openStand();
  await stand.json('/coins/bitcoin/market_chart?vs_currency=usd&days=30');
  const query = 'vs_currency=usd&ids=bitcoin,solana&price_change_percentage=1h,24h,7d,nonsense&sparkline=true';
  const [bitcoin, solana] = (await markets(query)) as [Market, Market];
  expect(bitcoin.price_change_percentage_7d_in_currency).toBeTypeOf('number');
  expect(bitcoin.price_change_percentage_24h_in_currency).toBe(bitcoin.price_change_percentage_24h);
  expect(solana.price_change_percentage_7d_in_currency).toBeNull();
  expect(bitcoin).not.toHaveProperty('price_change_percentage_nonsense_in_currency');
  const { sparkline_in_7d: line } = bitcoin as unknown as { sparkline_in_7d: { price: number[] } };
  expect(line.price.length).toBeGreaterThan(160);
  expect(solana.sparkline_in_7d).toEqual({ price: [] });
});

test('a currency without a rate is omitted, and without any rate the response is an error', async () => {
  stand = await openStand();
  stand.sandbox.faults.always({ kind: 'status', status: 500, body: '' }, { path: '/service/data' });
  const both = await stand.json<Prices>('/simple/price?ids=bitcoin&vs_currencies=usd,eur&include_market_cap=true');
  expect(Object.keys(both.bitcoin ?? {}).sort()).toEqual(['usd', 'usd_market_cap']);
  const before = await stand.used();
  const alone = await stand.request('/simple/price?ids=bitcoin&vs_currencies=eur');
  expect([alone.status, alone.header('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  expect(await stand.used()).toBe(before);
});

test('a coin without a price is omitted from prices, and null in markets', async () => {
  stand = await openStand();
  await addSandboxTokens(stand.database.prisma, 1010);
  await stand.parts.catalogue.sync();
  const before = await stand.used();
  expect(await stand.json('/simple/price?ids=unpriced-coin&vs_currencies=usd')).toEqual({});
  expect(await stand.used()).toBe(before);
  const [coin] = await markets('vs_currency=usd&ids=unpriced-coin');
  expect(coin).toMatchObject({ id: 'unpriced-coin', current_price: null, market_cap: null, image: '' });
  // Twelve coins cost two calls, and eleven of which one has no price cost one.
  const priced = stand.parts.catalogue.all().slice(0, 12);
  const ids = priced.map(({ name }) => name);
  const spent = async (path: string) => {
    const start = await stand.used();
    await stand.json(path);
    return (await stand.used()) - start;
  };
  const path = '/simple/price?vs_currencies=usd,eur,btc&ids=';
  expect(await spent(`${path}${ids.join()},${ids[0]},nope`)).toBe(2);
  expect(await spent(`${path}${ids.slice(0, 10).join()},unpriced-coin`)).toBe(1);
});

test('pages over all tokens are disjoint and ordered, whatever is in memory', async () => {
  stand = await openStand({ settings: { COINGECKO_CALLS_PER_MINUTE: '100000' } });
  await addSandboxTokens(stand.database.prisma, 40);
  await stand.parts.catalogue.sync();
  const page = (order: string, number: number) => markets(`vs_currency=usd&per_page=15&order=${order}&page=${number}`);
  await page('market_cap_desc', 1);
  await markets('vs_currency=usd&per_page=250');
  await stand.pass(MINUTE);
  for (const [order, name] of [
    ['market_cap_desc', 'market_cap'],
    ['volume_asc', 'total_volume'],
  ] as const) {
    const coins = (await Promise.all([1, 2, 3, 4].map((number) => page(order, number)))).flat();
    expect(new Set(coins.map(({ id }) => id)).size).toBe(40);
    const values = coins.map((coin) => Number(coin[name]));
    const sign = order.endsWith('desc') ? -1 : 1;
    expect(values).toEqual([...values].sort((a, b) => sign * (a - b)));
  }
});

test('coins are found by name and by symbol', async () => {
  stand = await openStand();
  expect(Object.keys(await stand.json('/simple/price?names=Bitcoin,Solana&vs_currencies=usd'))).toEqual([
    'bitcoin',
    'solana',
  ]);
  expect(Object.keys(await stand.json('/simple/price?symbols=ETH,nope&vs_currencies=usd'))).toEqual(['eth']);
  expect(Object.keys(await stand.json('/simple/price?symbols=eth&include_tokens=all&vs_currencies=usd'))).toEqual([
    'ethereum',
  ]);
  expect(Object.keys(await stand.json('/simple/price?ids=bitcoin&symbols=eth&vs_currencies=usd'))).toEqual(['bitcoin']);
  const found = await stand.json<{ coins: object[] }>('/search?query=Eth');
  expect(found.coins).toMatchObject([{ id: 'ethereum', symbol: 'ETH', api_symbol: 'ethereum' }]);
});

test('a successor answers under the old ID', async () => {
  stand = await openStand();
  const [old = '', next = ''] = (await addSandboxTokens(stand.database.prisma, 7)).slice(5);
  await stand.database.prisma.token.update({ where: { name: old }, data: { successor: next } });
  await stand.database.prisma.$executeRaw`
    INSERT INTO refresh (resource, version) VALUES ('tokens', 1) ON CONFLICT (resource) DO UPDATE SET version = refresh.version + 1`;
  await stand.parts.catalogue.sync();
  for (let i = 0; i < 2; i++) {
    const response = await stand.request(`/simple/price?ids=${old}&vs_currencies=usd`);
    expect([Object.keys(JSON.parse(response.text)), response.header('quotient-token')]).toEqual([[old], next]);
  }
  for (const id of [old, old.toUpperCase()])
    expect((await stand.request(`/coins/${id}`)).header('quotient-token')).toBe(next);
});

test('a date beyond the plan has CoinGecko’s own error, and a date before the listing has no figures', async () => {
  stand = await openStand({ plan: 'demo' });
  const old = await stand.request('/coins/bitcoin/history?date=30-12-2017');
  expect([old.status, JSON.parse(old.text)]).toMatchObject([401, { error: { status: { error_code: 10012 } } }]);
  const chart = await stand.request('/coins/bitcoin/market_chart/range?vs_currency=usd&from=2018-01-01&to=2018-02-01');
  expect([chart.status, JSON.parse(chart.text)]).toMatchObject([401, { error: { status: { error_code: 10012 } } }]);
  const before = await stand.json<object>('/coins/solana/history?date=01-01-2019');
  expect(before).toMatchObject({ id: 'solana', community_data: { facebook_likes: null } });
  expect(before).not.toHaveProperty('market_data');
  const empty = '/coins/solana/market_chart/range?vs_currency=usd&from=2019-01-01&to=2019-02-01';
  expect(await stand.json(empty)).toEqual({ prices: [], market_caps: [], total_volumes: [] });
  const future = '/coins/solana/market_chart/range?vs_currency=usd&from=2030-01-01&to=2030-02-01';
  expect(await stand.json(future)).toEqual({ prices: [], market_caps: [], total_volumes: [] });
  const all = await stand.json<{ prices: [number, number][] }>('/coins/bitcoin/market_chart?vs_currency=usd&days=max');
  expect(all.prices.length).toBeGreaterThan(360);
  expect(stand.clock.now() - (all.prices[0]?.[0] ?? 0)).toBeLessThan(367 * DAY);
});

test('prices are rounded as requested', async () => {
  stand = await openStand();
  const path = '/simple/price?ids=bitcoin&vs_currencies=eur&precision=';
  const price = async (digits: string) => (await stand.json<Prices>(`${path}${digits}`)).bitcoin?.eur ?? 0;
  const full = await price('full');
  expect(full).not.toBe(Math.round(full));
  expect(await price('0')).toBe(Math.round(full));
  expect(await price('2')).toBe(Number(full.toFixed(2)));
  for (const other of ['18', '19', 'x', '']) expect(await price(other)).toBe(full);
});

test('a coin that no exchange trades has no candles', async () => {
  stand = await openStand();
  const names = await addSandboxTokens(stand.database.prisma, 8);
  await stand.parts.catalogue.sync();
  const untraded = stand.parts.catalogue.all().find(({ name, pairs }) => names.includes(name) && !pairs.kraken);
  expect(await stand.json(`/coins/${untraded?.name}/ohlc?vs_currency=usd&days=7`)).toEqual([]);
  for (const [query, length, count] of [
    ['days=1', 30 * MINUTE, 48],
    ['days=30', 240 * MINUTE, 180],
    ['days=90', 4 * DAY, 23],
    ['days=90&interval=daily', DAY, 90],
    ['days=2&interval=hourly', 60 * MINUTE, 48],
  ] as const) {
    const candles = await stand.json<number[][]>(`/coins/bitcoin/ohlc?vs_currency=eur&${query}`);
    expect(Math.abs(candles.length - count)).toBeLessThanOrEqual(1);
    expect(candles.every(([at = 1]) => at % length === 0)).toBe(true);
  }
});

test('the value of a bitcoin is listed in every currency', async () => {
  stand = await openStand();
  const { rates } = await stand.json<{
    rates: Record<string, { value: number; type: string; unit: string; name: string }>;
  }>('/exchange_rates');
  const codes = await stand.json<string[]>('/simple/supported_vs_currencies');
  expect(Object.keys(rates).sort()).toEqual([...codes].sort());
  expect([rates.btc?.value, rates.sats?.value, rates.usd?.type, rates.btc?.type]).toEqual([1, 1e8, 'fiat', 'crypto']);
  expect(rates.eur).toMatchObject({ name: 'Euro', unit: '€' });
  const { bitcoin } = await stand.json<Prices>('/simple/price?ids=bitcoin&vs_currencies=usd,jpy');
  expect([rates.usd?.value, rates.jpy?.value]).toEqual([bitcoin?.usd, bitcoin?.jpy]);
  expect(await stand.used()).toBe(1);
});

test('the key’s limits and usage are CoinGecko’s', async () => {
  stand = await openStand({ settings: { BURST_PER_SECOND: '50' } });
  await stand.json('/simple/price?ids=bitcoin&vs_currencies=usd');
  expect(await stand.json('/key')).toEqual({
    plan: 'monthly',
    rate_limit_request_per_minute: 3000,
    monthly_call_credit: 1_000_000,
    current_total_monthly_calls: 1,
    current_remaining_monthly_calls: 999_999,
    api_key_rate_limit_request_per_minute: 3000,
    api_key_monthly_call_credit: 1_000_000,
    api_key_current_total_monthly_calls: 1,
  });
  expect((await stand.request('/ping', {})).text).toBe('{"gecko_says":"(V3) To the Moon!"}');
});

test('a client that has the response gets a free 304', async () => {
  stand = await openStand();
  for (const path of [
    '/simple/price?ids=bitcoin&vs_currencies=usd',
    '/coins/markets?vs_currency=eur',
    '/coins/bitcoin',
  ]) {
    const { headers } = await stand.request(path);
    const before = await stand.used();
    const unchanged = await stand.request(path, {
      'x-cg-pro-api-key': stand.key,
      'if-none-match': headers.get('etag') ?? '',
    });
    expect([unchanged.status, unchanged.text, await stand.used()]).toEqual([304, '', before]);
  }
});
