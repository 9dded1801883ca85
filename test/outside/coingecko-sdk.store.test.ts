import Coingecko from '@coingecko/coingecko-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY } from '../../src/core/clock.ts';
import { openStand, type Stand, USDC } from '../coingecko/stand.ts';

/* CoinGecko's official client, with the base URL of the service. */

let stand: Stand;
let client: Coingecko;
beforeAll(async () => {
  stand = await openStand();
  client = new Coingecko({ baseURL: stand.base, proAPIKey: stand.key, maxRetries: 0 });
});
afterAll(() => stand.close());

const number = expect.any(Number);

test('ping, key and lists', async () => {
  expect(await client.ping.get()).toEqual({ gecko_says: '(V3) To the Moon!' });
  expect(await client.key.get()).toMatchObject({ plan: 'monthly', monthly_call_credit: 1_000_000 });
  expect(await client.simple.supportedVsCurrencies.get()).toContain('usd');
  expect(await client.coins.list.get({ include_platform: true })).toHaveLength(5);
  expect(await client.assetPlatforms.get({})).toMatchObject([{ id: 'ethereum' }, {}, { id: 'solana' }]);
  expect(await client.search.get({ query: 'bit' })).toMatchObject({ coins: [{ id: 'bitcoin' }], exchanges: [] });
  expect(await client.exchangeRates.get()).toMatchObject({ rates: { usd: { type: 'fiat', value: number } } });
});

test('prices by ID, name, symbol and address', async () => {
  const flags = {
    include_market_cap: true,
    include_24hr_vol: true,
    include_24hr_change: true,
    include_last_updated_at: true,
  };
  const members = {
    usd: number,
    usd_market_cap: number,
    usd_24h_vol: number,
    usd_24h_change: number,
    last_updated_at: number,
  };
  const byId = await client.simple.price.get({
    ids: 'bitcoin,nope',
    vs_currencies: 'usd',
    precision: 'full',
    ...flags,
  });
  expect(byId).toEqual({ bitcoin: members });
  expect(await client.simple.price.get({ names: 'Solana', vs_currencies: 'usd' })).toEqual({ solana: { usd: number } });
  expect(await client.simple.price.get({ symbols: 'btc', vs_currencies: 'usd' })).toEqual({ btc: { usd: number } });
  expect(
    await client.simple.tokenPrice.getID('ethereum', { contract_addresses: USDC, vs_currencies: 'usd', ...flags }),
  ).toEqual({ [USDC]: members });
});

test('coins and markets', async () => {
  const markets = await client.coins.markets.get({ vs_currency: 'usd', per_page: 2, price_change_percentage: '1h' });
  expect(markets).toHaveLength(2);
  expect(markets[0]).toMatchObject({ id: 'bitcoin', current_price: number, market_cap_rank: 1 });
  expect(await client.coins.getID('bitcoin', { tickers: false, localization: false })).toMatchObject({
    id: 'bitcoin',
    market_data: { current_price: { usd: number } },
  });
  expect(await client.coins.contract.get(USDC, { id: 'ethereum' })).toMatchObject({
    id: 'usd-coin',
    contract_address: USDC,
  });
});

test('charts, candles and history', async () => {
  const chart = await client.coins.marketChart.get('bitcoin', { vs_currency: 'usd', days: '7' });
  expect(chart.prices?.length).toBeGreaterThan(160);
  const range = { from: '2026-01-01', to: '2026-06-30', vs_currency: 'usd' };
  const { prices = [] } = await client.coins.marketChart.getRange('bitcoin', range);
  const times = prices.map(([at]) => at ?? 0);
  expect([times[0], times.at(-1), times.length]).toEqual([Date.parse(range.from), Date.parse(range.to), 181]);
  expect(times.every((at) => at % DAY === 0)).toBe(true);
  const contract = { id: 'ethereum', vs_currency: 'usd' };
  const own = await client.coins.contract.marketChart.get(USDC, { ...contract, days: '2' });
  expect(own.prices?.length).toBeGreaterThan(40);
  const between = await client.coins.contract.marketChart.getRange(USDC, {
    ...contract,
    from: '2026-10-01',
    to: '2026-10-03',
  });
  expect(between.prices?.length).toBeGreaterThan(40);
  expect(await client.coins.ohlc.get('bitcoin', { vs_currency: 'usd', days: '7' })).toHaveLength(42);
  expect(await client.coins.history.get('bitcoin', { date: '2026-10-30' })).toMatchObject({
    market_data: { current_price: { usd: number, eur: number, btc: number } },
  });
});

test('errors are those of the client, and a spent allowance is not retried', async () => {
  await expect(client.coins.getID('nope', {})).rejects.toBeInstanceOf(Coingecko.NotFoundError);
  const wrong = new Coingecko({ baseURL: stand.base, proAPIKey: 'CG-other', maxRetries: 0 });
  await expect(wrong.simple.price.get({ ids: 'bitcoin', vs_currencies: 'usd' })).rejects.toBeInstanceOf(
    Coingecko.AuthenticationError,
  );
  const spent = new Coingecko({ baseURL: stand.base, demoAPIKey: await stand.createUser({ limit: 0 }), maxRetries: 2 });
  // With a retry, this would wait until the end of the period.
  await expect(spent.simple.price.get({ ids: 'bitcoin', vs_currencies: 'usd' })).rejects.toBeInstanceOf(
    Coingecko.RateLimitError,
  );
});
