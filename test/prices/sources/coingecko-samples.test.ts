import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { latestPrice } from '#prices/model/records';
import { openTestSource } from '../../support/upstream/source.ts';
import { startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const sample = (name: string) => readFileSync(new URL(`../../samples/coingecko/${name}`, import.meta.url), 'utf8');
const at = (iso: string) => Date.parse(iso);
const noon = at('2026-05-15T12:00:00Z');

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

async function requested<T>(
  body: string,
  ask: (source: ReturnType<typeof openTestSource>) => Promise<T>,
  status = 200,
) {
  upstream.follow(() => ({ status, body }));
  const source = openTestSource(upstream.url);
  try {
    return await ask(source);
  } finally {
    await source.close();
  }
}
const chart = (body: string, status?: number) => requested(body, ({ recent }) => recent('bitcoin', 1), status);

describe('a chart', () => {
  test('of five-minute samples is ascending although its newest sample is ahead, and keeps both samples of a second', async () => {
    const samples = await chart(sample('market_chart_minute.json'));
    expect(samples.map(({ at }) => new Date(at).toISOString().slice(11))).toEqual([
      '13:55:00.110Z',
      '14:00:02.480Z',
      '14:00:02.990Z',
      '14:05:01.007Z',
      '14:10:05.000Z',
      '14:10:05.955Z',
    ]);
    expect(samples[2]).toEqual({
      at: at('2026-05-15T14:00:02.990Z'),
      price: 50111.75,
      marketCap: null,
      volume: 30000200000,
    });
    expect(samples.at(-1)).toMatchObject({ price: 50123.45678901234, marketCap: 990500000000 });
  });

  test('of days keeps zeros, nulls, strings, exponents, a missing day and arrays of unequal length', async () => {
    const samples = await chart(sample('market_chart_day.json'));
    const row = (iso: string, price: number | null, marketCap: number | null, volume: number | null) => ({
      at: at(iso),
      price,
      marketCap,
      volume,
    });
    expect(samples).toEqual([
      row('2026-05-04T00:00:00Z', 2.83162, 0, 90622),
      row('2026-05-05T00:00:00Z', 0.000013306100000000001, 0, null),
      row('2026-05-07T00:00:00Z', 0.6747, 45486894.2408, 405283),
      row('2026-05-08T00:00:00Z', 100, null, 1463100.5),
      row('2026-05-09T00:00:00Z', 0.753, 46000000, 2150620.125),
      row('2026-05-09T17:00:00Z', 0.8125, null, 2151000),
      row('2026-05-09T18:00:00Z', null, null, 2152000),
    ]);
  });

  test('with two values at the same instant keeps the later value in the response', async () => {
    const body = {
      prices: [
        [noon, 1],
        [noon, 2],
      ],
      market_caps: [],
      total_volumes: [[noon, 3]],
    };
    expect(await chart(JSON.stringify(body))).toEqual([{ at: noon, price: 2, marketCap: null, volume: 3 }]);
  });

  test('can contain unknown members', async () => {
    const body = { prices: [[noon, 1, 'more']], market_caps: [], total_volumes: [], more: { error: 'none' } };
    expect(await chart(JSON.stringify(body))).toEqual([{ at: noon, price: 1, marketCap: null, volume: null }]);
  });

  test.each([
    ['without a point', '{"prices":[],"market_caps":[],"total_volumes":[]}', 'empty'],
    ['that is truncated', sample('market_chart_day.json').slice(0, 200), 'not_json'],
    ['without samples', '', 'not_json'],
    ['that is an HTML page', '<!DOCTYPE html><title>Welcome</title>', 'not_json'],
    ['that is a list', '[]', 'unexpected'],
    ['that is null', 'null', 'unexpected'],
    ['without its volumes', '{"prices":[[1,2]],"market_caps":[]}', 'unexpected'],
    ['with words for figures', '{"prices":[[1,"a lot"]],"market_caps":[],"total_volumes":[]}', 'unexpected'],
    ['with objects for figures', '{"prices":[[1,{"usd":2}]],"market_caps":[],"total_volumes":[]}', 'unexpected'],
    ['with a string as a time', '{"prices":[["now",2]],"market_caps":[],"total_volumes":[]}', 'unexpected'],
    ['with an invalid time', '{"prices":[[8.7e15,2]],"market_caps":[],"total_volumes":[]}', 'unexpected'],
    ['with a negative time', '{"prices":[[-1,2]],"market_caps":[],"total_volumes":[]}', 'unexpected'],
  ])('%s is a failure, never an empty series', async (_name, body, reason) => {
    await expect(chart(body)).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
  });
});

describe('an error', () => {
  test.each([
    ['a text', 404, 'error_text.json', 'refused'],
    ['a text with status 200', 200, 'error_text.json', 'refused'],
    ['a status', 429, 'error_status.json', 'rate_limited'],
    ['a rate limit with status 200', 200, 'error_status.json', 'rate_limited'],
    ['a status within an error', 401, 'error_nested.json', 'out_of_reach'],
    ['a status within an error, with status 200', 200, 'error_nested.json', 'out_of_reach'],
    ['a code next to a status', 400, 'error_stamped.json', 'refused'],
    ['a code next to a status, with status 200', 200, 'error_stamped.json', 'refused'],
    ['the CDN’s page', 429, 'error_edge.html', 'rate_limited'],
    ['the CDN’s page with status 403', 403, 'error_edge.html', 'rate_limited'],
    ['the CDN’s page with status 200', 200, 'error_edge.html', 'rate_limited'],
    ['a chart with a status other than 200', 206, 'market_chart_day.json', 'refused'],
  ])('that is %s (%d) has the right cause', async (_name, status, name, reason) => {
    await expect(chart(sample(name), status)).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
    const quotes = requested(sample(name), (source) => source.quotes(['bitcoin']), status);
    await expect(quotes).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
  });

  test.each([
    ['119', 119],
    ['Fri, 15 May 2026 14:11:30 GMT', 84],
    ['Fri, 15 May 2026 14:00:00 GMT', 0],
    ['soon', undefined],
    ['99999999999', 86_400],
    ['9'.repeat(400), 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ])('states how long the upstream must not be called: %s', async (value, retryAfter) => {
    const headers = { 'retry-after': value };
    upstream.follow(() => ({ status: 429, headers, body: sample('error_status.json') }));
    const source = openTestSource(upstream.url, { now: '2026-05-15T14:10:06Z' });
    const answer = source.recent('bitcoin', 1);
    await expect(answer).rejects.toMatchObject({ reason: 'rate_limited', retryAfter });
    await source.close();
  });
});

describe('the latest prices', () => {
  test('contain the tokens that have one; null stays null, and dates become HTTP-dates', async () => {
    const answer = JSON.parse(sample('markets.json')) as object[];
    const quotes = await requested(JSON.stringify(answer.slice(0, 4)), (source) =>
      source.quotes(['bitcoin', 'ethereum', 'arweave', 'usd-coin']),
    );
    for (const { record } of quotes) expect(latestPrice.parse(record)).toEqual(record);
    expect(quotes.map(({ token, at }) => [token, new Date(at).toISOString()])).toEqual([
      ['bitcoin', '2026-05-15T14:10:05.955Z'],
      ['ethereum', '2026-05-15T14:10:01.000Z'],
      ['usd-coin', '2026-05-15T14:10:06.000Z'],
    ]);
    expect(quotes[1]?.record).toEqual({
      current_price: 2881.47,
      market_cap: 340000000000,
      total_volume: 15000000000,
      circulating_supply: 120000000,
      total_supply: 120000000,
      max_supply: null,
      ath: 4878.26,
      ath_change_percentage: -40.93,
      ath_date: 'Wed, 10 Nov 2021 14:24:19 GMT',
      atl: 0.432979,
      atl_change_percentage: 665400.1,
      atl_date: 'Tue, 20 Oct 2015 00:00:00 GMT',
    });
  });

  test('omit a coin that is not served', async () => {
    const quotes = await requested(sample('markets.json'), (source) => source.quotes(['bitcoin']));
    expect(quotes.map(({ token }) => token)).not.toContain('somewhere-else');
  });

  test('are a failure if they contain none of the tokens', async () => {
    const answers = ['[]', '[{"id":"somewhere-else","current_price":1}]', '[{"id":"bitcoin","current_price":null}]'];
    for (const body of answers) {
      const quotes = requested(body, (source) => source.quotes(['bitcoin']));
      await expect(quotes).rejects.toMatchObject({ reason: 'empty' });
    }
  });
});

describe('a call', () => {
  test.each([
    ['public', undefined, {}],
    ['demo', 'CG-demo', { 'x-cg-demo-api-key': 'CG-demo' }],
    ['pro', 'CG-pro', { 'x-cg-pro-api-key': 'CG-pro' }],
  ] as const)('of the %s plan sends the key only in its header', async (plan, apiKey, headers) => {
    upstream.follow(() => ({ body: sample('market_chart_day.json') }));
    const source = openTestSource(`${upstream.url}/api/v3/`, { plan, ...(apiKey && { apiKey }) });
    await source.daily('bitcoin', 'max');
    await source.close();
    const call = upstream.calls.at(-1);
    expect(call?.path).toBe('/api/v3/coins/bitcoin/market_chart');
    expect(call?.query).toEqual({ vs_currency: 'usd', days: 'max', interval: 'daily' });
    const keys = Object.entries(call?.headers ?? {}).filter(([name]) => name.startsWith('x-cg-'));
    expect(Object.fromEntries(keys)).toEqual(headers);
  });

  test('for several tokens has no space after a comma', async () => {
    await requested(sample('markets.json'), (source) => source.quotes(['bitcoin', 'ethereum']));
    expect(upstream.calls.at(-1)?.query.ids).toBe('bitcoin,ethereum');
  });

  test('for a span is in whole seconds, and covers at least the span', async () => {
    await requested(sample('market_chart_day.json'), (source) =>
      source.between('solana', { from: 1_500, thru: 8_001 }),
    );
    expect(upstream.calls.at(-1)?.query).toEqual({ vs_currency: 'usd', from: '1', to: '9' });
  });
});

test('a key in a CoinGecko response is removed from messages', async () => {
  const upstream = await startUpstreamServer(() => ({
    status: 401,
    body: '{"error":"no such key: CG-secret"}',
  }));
  const source = openTestSource(upstream.url, { plan: 'demo', apiKey: 'CG-secret' });
  try {
    await expect(source.quotes(['bitcoin'])).rejects.toMatchObject({
      reason: 'refused',
      message: 'coingecko: status 401: no such key: (the key)',
    });
  } finally {
    await source.close();
    await upstream.close();
  }
});
