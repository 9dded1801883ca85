import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { QuotientClient } from '#client/index';
import { DAY } from '#core/clock';
import { createTestClock } from '../../fixtures/clock.ts';
import { type Service, startService } from '../support/service/service.ts';
import { failure } from './failure.ts';

const NOW = '2024-06-15T13:00:00.000Z';

let service: Service;
let client: QuotientClient;
beforeAll(async () => {
  service = await startService({ clock: createTestClock(NOW) });
  client = new QuotientClient({ baseUrl: service.url, apiKey: await service.createUser({ limit: 1000 }) });
});
afterAll(() => service?.close());

/** The service's own responses. */
async function plain(path: string) {
  return (await service.get(path, { key: await service.createUser() })).json();
}

it('the latest price', async () => {
  const price = await client.latestPrice('bitcoin');
  const received = (await plain('/v1/prices/latest/token?tokenName=bitcoin')) as Record<string, string>;
  expect(price.ath_date).toBeInstanceOf(Date);
  expect(price).toEqual({
    ...received,
    ath_date: new Date(String(received.ath_date)),
    atl_date: new Date(String(received.atl_date)),
  });
});

it('the latest prices of several tokens, in the order of the request', async () => {
  const prices = await client.latestPrices(['SOL', 'bitcoin'], { currency: 'usd' });
  const received = (await plain('/v1/prices/latest/tokens?tokenNames=solana,bitcoin')) as Record<string, string>[];
  expect(prices.map(({ tokenName }) => tokenName)).toEqual(['solana', 'bitcoin']);
  expect(prices).toEqual(
    received.map(({ at, ath_date, atl_date, ...rest }) => ({
      ...rest,
      at: new Date(String(at)),
      ath_date: new Date(String(ath_date)),
      atl_date: new Date(String(atl_date)),
    })),
  );
  expect(client.about(prices)).toMatchObject({ path: '/v1/prices/latest/tokens', sources: ['coingecko'] });
});

it('an unsupported currency is rejected on every path', async () => {
  const call = { currency: 'xyz' };
  const window = { from: '2024-06-01', thru: '2024-06-02' };
  const calls = [
    client.latestPrice('bitcoin', call),
    client.latestPrices(['bitcoin'], call),
    client.priceOn('bitcoin', '2024-06-01', call),
    client.priceHistory('bitcoin', { days: 30 }, call),
    client.priceRange('bitcoin', window, call),
    client.candles('bitcoin', window, call),
    client.priceOnCsv('bitcoin', '2024-06-01', call),
    client.priceHistoryCsv('bitcoin', { days: 30 }, call),
    client.priceRangeCsv('bitcoin', window, call),
    client.candlesCsv('bitcoin', window, call),
  ];
  for (const failed of calls.map(failure))
    expect(await failed).toMatchObject({
      code: 'invalid_request',
      errors: [{ location: 'query.currency' }],
    });
});

it('on-chain statistics and their source', async () => {
  const statistics = await client.statistics('btc');
  expect(statistics.symbol).toBe('BTC');
  expect(statistics.time).toBeInstanceOf(Date);
  const received = (await plain('/v1/prices/latest/stats?token=btc')) as { time: number };
  expect(statistics).toEqual({ ...received, time: new Date(received.time * 1000) });
  expect(client.about(statistics)?.sources).toEqual([expect.stringMatching(/^[a-z-]+$/)]);
});

it('the figures of one date', async () => {
  for (const date of ['2024-01-31', new Date('2024-01-31T18:00:00Z')]) {
    expect([await client.priceOn('ethereum', date)]).toEqual(
      await plain('/v1/prices/history/date?tokenName=ethereum&date=31-01-2024'),
    );
  }
});

it('the last days', async () => {
  const { prices, market_cap, total_volume } = await client.priceHistory('solana', { days: 30 });
  expect(prices).toHaveLength(31);
  expect(prices.at(-2)).toEqual({ date: new Date('2024-06-15T00:00:00Z'), price: expect.any(Number) });
  for (const points of [prices, market_cap, total_volume]) {
    const times = points.map(({ date }) => date.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
  }
});

it('a range of dates, also at a finer interval', async () => {
  const { prices } = await client.priceRange('bitcoin', { from: '2024-02-01', thru: '2024-02-29' });
  expect(prices.map(({ date }) => date.getTime())).toEqual(
    Array.from({ length: 29 }, (_, n) => Date.UTC(2024, 1, 1) + n * DAY),
  );
  const day = { from: '2024-06-14', thru: '2024-06-14', interval: 'hourly' } as const;
  const hours = (await client.priceRange('bitcoin', day)).prices;
  expect(hours).toHaveLength(24);
});

it('candles of a range of dates, their source, and their CSV', async () => {
  const window = { from: '2024-06-01', thru: new Date('2024-06-03T18:00:00Z'), interval: 'hourly' } as const;
  const candles = await client.candles('bitcoin', window);
  const path = '/v1/prices/history/ohlc?tokenName=bitcoin&fromDate=2024-06-01&thruDate=2024-06-03&interval=hourly';
  const received = (await plain(path)) as { date: string }[];
  expect(candles).toHaveLength(72);
  expect(candles).toEqual(received.map((candle) => ({ ...candle, date: new Date(candle.date) })));
  expect(client.about(candles)?.sources).toEqual(['kraken']);
  const csv = await client.candlesCsv('bitcoin', window);
  expect(csv.startsWith('date,open,high,low,close,volume\r\n2024-06-01,')).toBe(true);
});

it('histories as CSV', async () => {
  const header = 'date,price,market_cap,total_volume\r\n';
  const lines = (text: string) => text.trimEnd().split('\r\n').length - 1;
  const range = await client.priceRangeCsv('bitcoin', { from: '2024-02-01', thru: '2024-02-29' });
  expect(range.startsWith(`${header}2024-02-01,`)).toBe(true);
  expect(lines(range)).toBe(29);
  expect(lines(await client.priceHistoryCsv('bitcoin', { days: 30 }))).toBe(31);
  expect(lines(await client.priceOnCsv('bitcoin', '2024-02-01'))).toBe(1);
  const semicolons = await client.priceOnCsv('bitcoin', '2024-02-01', { separator: 'semicolon' });
  expect(semicolons).toMatch(/^date;price;market_cap;total_volume\r\n2024-02-01;"\d+,\d+";/);
});

it('the tokens, with the coverage of the archive', async () => {
  await client.priceHistory('bitcoin', { days: 30 });
  const tokens = await client.tokens();
  expect(tokens.map(({ tokenName }) => tokenName)).toEqual(['bitcoin', 'arweave', 'ethereum', 'solana', 'usd-coin']);
  const { day, minute } = tokens[0]?.archive ?? expect.fail('there is no bitcoin');
  expect(day.from).toBeInstanceOf(Date);
  expect(minute).toBeDefined();
});

describe('about a result', () => {
  it('reports its age and its cache status', async () => {
    const about = client.about(await client.latestPrice('bitcoin'));
    expect(about).toMatchObject({
      method: 'GET',
      path: '/v1/prices/latest/token',
      status: 200,
      gaps: [],
      age: expect.any(Number),
      cacheStatus: expect.stringMatching(/^quotient/),
      requestId: expect.any(String),
    });
    expect(about?.modifiedAt?.getTime()).toBeLessThanOrEqual(Date.parse(NOW));
  });

  it('reports the gaps', async () => {
    const series = await client.priceRange('bitcoin', { from: '2013-04-28', thru: '2024-06-01' });
    expect(client.about(series)?.gaps).toEqual([{ from: '2013-04-28', thru: expect.stringMatching(/^2023-06-/) }]);
  });
});

describe('the allowance', () => {
  it('is reported by the last charged response', async () => {
    const one = client.withKey(await service.createUser({ limit: 7 }));
    expect(one.allowance).toBeUndefined();
    await one.latestPrice('bitcoin');
    expect(one.allowance).toEqual({ limit: 7, remaining: expect.any(Number), resetsAt: expect.any(Date) });
    expect(one.allowance?.remaining).toBeLessThanOrEqual(6);
    expect(one.allowance?.resetsAt.getTime()).toBeGreaterThan(Date.now());
    const { allowance } = one;
    await one.tokens();
    expect(one.allowance).toEqual(allowance);
  });

  it('is passed to the listener for every response', async () => {
    const heard: unknown[] = [];
    const apiKey = await service.createUser();
    const one = new QuotientClient({
      baseUrl: service.url,
      apiKey,
      onAnswer: (response) => heard.push(response),
    });
    await failure(one.priceOn('bitcoin', '2001-01-01'));
    await one.latestPrice('bitcoin');
    expect(heard).toMatchObject([{ status: 404 }, { status: 200, allowance: one.allowance }]);
  });
});

describe('problems', () => {
  it('no_data with the gaps, for data that no source has', async () => {
    const old = { from: '2024-01-01', thru: '2024-01-01', interval: 'minute' } as const;
    const error = await failure(client.priceRange('bitcoin', old));
    expect(error).toMatchObject({ code: 'no_data', gaps: [{ from: expect.stringContaining('2024-01-01') }] });
  });
});
