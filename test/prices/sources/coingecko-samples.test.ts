import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { latestPrice } from '#prices/model/prices-records';
import { openTestSource, requestFrom, type TestSource } from '../../support/upstream/source.ts';
import { startUpstreamServer } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const sample = (name: string) => readFileSync(new URL(`../../samples/coingecko/${name}`, import.meta.url), 'utf8');
const at = (iso: string) => Date.parse(iso);
const noon = at('2026-05-15T12:00:00Z');

const upstream = useUpstreamServer();

const requested = <T>(body: string, send: (source: TestSource) => Promise<T>, status = 200) =>
  requestFrom(upstream, () => ({ status, body }), send);
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

  test('with two values at the same instant has neither, because one of them belongs to another instant', async () => {
    const body = {
      prices: [
        [noon, 1],
        [noon, 2],
      ],
      market_caps: [],
      total_volumes: [[noon, 3]],
    };
    expect(await chart(JSON.stringify(body))).toEqual([{ at: noon, price: null, marketCap: null, volume: 3 }]);
  });

  test('lacks the sample that has the time of another one, and keeps the newest one', async () => {
    const times = Array.from({ length: 20 }, (_, i) => noon - (20 - i) * 300_000);
    const points = [...times.map((at, i) => [at, i + 1]), [(times.at(-1) as number) - 955, 21]];
    const prices = points.with(12, [times[3] as number, 13]);
    const samples = await chart(JSON.stringify({ prices, market_caps: [], total_volumes: [] }));
    const expected = points.filter(([, price]) => price !== 13).sort(([a = 0], [b = 0]) => a - b);
    expect(samples.map(({ at, price }) => [at, price])).toEqual(expected);
  });

  test.each(['market_caps', 'total_volumes'])(
    'without the list %s has its prices, and the loss is counted',
    async (name) => {
      const body = { prices: [[noon, 1]], market_caps: [[noon, 2]], total_volumes: [[noon, 3]] };
      for (const wrong of [undefined, null, {}, 'none', 7]) {
        upstream.follow(() => ({ body: JSON.stringify({ ...body, [name]: wrong }) }));
        const source = openTestSource(upstream.url);
        expect(await source.recent('bitcoin', 1)).toMatchObject([{ at: noon, price: 1 }]);
        expect(source.dropped).toMatchObject([{ count: 1, reasons: [`malformed ${name}`] }]);
        await source.close();
      }
    },
  );

  test('can contain unknown members', async () => {
    const body = { prices: [[noon, 1, 'more']], market_caps: [], total_volumes: [], more: { error: 'none' } };
    expect(await chart(JSON.stringify(body))).toEqual([{ at: noon, price: 1, marketCap: null, volume: null }]);
  });

  test.each([
    ['null', 'null'],
    ['a word', '"∞"'],
    ['NaN', 'NaN'],
    ['NaN as text', '"NaN"'],
    ['an infinite number', '-Infinity'],
    ['an object', '{"usd":2}'],
    ['a negative number', '-1'],
  ])('with %s as one figure keeps every other figure', async (_name, figure) => {
    const before = noon - 300_000;
    const points = (value: string) => `[[${before},1],[${noon},${value}]]`;
    const kept = { at: before, price: 1, marketCap: 1, volume: 1 };
    const volumes = await chart(
      `{"prices":${points('2')},"market_caps":${points('2')},"total_volumes":${points(figure)}}`,
    );
    expect(volumes).toEqual([kept, { at: noon, price: 2, marketCap: 2, volume: null }]);
    const [first, other] = await chart(
      `{"prices":${points(figure)},"market_caps":${points('2')},"total_volumes":${points('2')}}`,
    );
    expect(first).toEqual(kept);
    expect(other?.price ?? null).toBeNull();
  });

  test.each([
    ['an object', '{}'],
    ['a word', '"now"'],
    ['a point without a figure', `[${noon}]`],
    ['a point with a text as its time', '["now",2]'],
    ['a point in the year 275760', '[8.7e15,2]'],
    ['a point before the token', '[-1,2]'],
    ['a point in the future', `[${noon + 86_400_000},2]`],
  ])('with %s in an array keeps every other point', async (_name, point) => {
    const points = `[[${noon},1],${point}]`;
    const body = `{"prices":${points},"market_caps":${points},"total_volumes":${points}}`;
    expect(await chart(body)).toEqual([{ at: noon, price: 1, marketCap: 1, volume: 1 }]);
  });

  test.each([
    ['without a point', '{"prices":[],"market_caps":[],"total_volumes":[]}'],
    ['without a point and without further arrays', '{"prices":[]}'],
  ])('%s is an empty series', async (_name, body) => {
    expect(await chart(body)).toEqual([]);
  });

  test('without its volumes has prices', async () => {
    const body = `{"prices":[[${noon},1]],"market_caps":null,"total_volumes":"none"}`;
    expect(await chart(body)).toEqual([{ at: noon, price: 1, marketCap: null, volume: null }]);
  });

  test.each([
    ['that is truncated', sample('market_chart_day.json').slice(0, 200), 'not_json'],
    ['without samples', '', 'not_json'],
    ['that is an HTML page', '<!DOCTYPE html><title>Welcome</title>', 'not_json'],
    ['that is a list', '[]', 'unexpected'],
    ['that is null', 'null', 'unexpected'],
    ['without its prices', '{"market_caps":[[1,2]],"total_volumes":[]}', 'unexpected'],
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
    const days = requested(sample(name), ({ recent }) => recent('bitcoin', 2), status);
    await expect(days).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
    // Only history can be out of reach.
    const other = reason === 'out_of_reach' ? 'refused' : reason;
    const quotes = requested(sample(name), (source) => source.quotes(['bitcoin']), status);
    await expect(quotes).rejects.toMatchObject({ name: 'UpstreamFailure', reason: other });
  });

  test.each([
    { error_code: 10012 },
    { error_code: '10012', error: null, status: 401 },
    { status: { error_code: 10012 } },
    { error: { error_code: 10012, error_message: 'past 365 days' } },
    { error: { status: { error_code: '10012', error_message: 7 } }, status: 'error' },
  ])('has its code in any of its places: %j', async (body) => {
    for (const [code, reason] of [
      ['10012', 'out_of_reach'],
      ['10005', 'refused'],
      ['429', 'rate_limited'],
    ] as const) {
      const text = JSON.stringify(body).replace('10012', code);
      const days = requested(text, ({ recent }) => recent('bitcoin', 2), 401);
      await expect(days).rejects.toMatchObject({ reason });
    }
  });

  test.each([
    ['119', 119],
    ['Fri, 15 May 2026 14:11:30 GMT', 84],
    ['Fri, 15 May 2026 14:00:00 GMT', 0],
    ['Friday, 15-May-26 14:11:30 GMT', 84],
    ['1.5', 2],
    ['+5', 5],
    ['30, 60', 60],
    ['soon', undefined],
    ['-5', undefined],
    ['1, soon', undefined],
    ['', undefined],
    ['99999999999', 86_400],
    ['9'.repeat(400), 86_400],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 86_400],
  ])('states how long the upstream must not be called: %s', async (value, retryAfter) => {
    // The date is that of the response. The service's clock was set back by a year.
    const headers = { date: 'Fri, 15 May 2026 14:10:06 GMT', 'retry-after': value };
    upstream.follow(() => ({ status: 429, headers, body: sample('error_status.json') }));
    const source = openTestSource(upstream.url, { now: '2025-05-15T14:10:06Z' });
    const response = source.recent('bitcoin', 1);
    await expect(response).rejects.toMatchObject({ reason: 'rate_limited', retryAfter });
    await source.close();
  });
});

describe('the latest prices', () => {
  test('contain the tokens that have one; null stays null, and dates become HTTP-dates', async () => {
    const response = JSON.parse(sample('markets.json')) as object[];
    const { quotes, unpriced } = await requested(JSON.stringify(response.slice(0, 4)), (source) =>
      source.quotes(['bitcoin', 'ethereum', 'arweave', 'usd-coin']),
    );
    for (const { record } of quotes) expect(latestPrice.parse(record)).toEqual(record);
    expect(quotes.map(({ token, at }) => [token, new Date(at).toISOString()])).toEqual([
      ['bitcoin', '2026-05-15T14:10:05.955Z'],
      ['ethereum', '2026-05-15T14:10:01.000Z'],
      ['usd-coin', '2026-05-15T14:10:06.000Z'],
    ]);
    expect(unpriced).toEqual(['arweave']);
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

  test.each([
    ['ath', [0, '0', -1, -0.5, 'high', [], {}, true]],
    ['atl', [0, '0', -1, -0.5, 'low', [], {}, true]],
    ['circulating_supply', [0, -1, '-1', 'many', []]],
    ['total_volume', [-1, '-1', 'much', {}]],
    ['ath_date', ['1969-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '', 1_636_554_259, 'soon', null]],
    ['atl_date', ['1969-01-01T00:00:00Z', '2099-01-01T00:00:00Z', '', 1_445_299_200, 'soon', null]],
  ])('lack only an impossible figure: %s', async (name, values) => {
    const coins = JSON.parse(String(sample('markets.json'))) as { id: string }[];
    const quoted = async (body: string) => {
      const { quotes } = await requested(body, (source) => source.quotes(['bitcoin', 'ethereum']));
      return quotes.map(({ record }) => record);
    };
    const [bitcoin, ethereum] = await quoted(JSON.stringify(coins));
    for (const value of values) {
      const changed = coins.map((coin) => (coin.id === 'ethereum' ? { ...coin, [name]: value } : coin));
      expect(await quoted(JSON.stringify(changed))).toEqual([bitcoin, { ...ethereum, [name]: null }]);
    }
  });

  test('omit a coin that is not served', async () => {
    const { quotes } = await requested(sample('markets.json'), (source) => source.quotes(['bitcoin']));
    expect(quotes.map(({ token }) => token)).not.toContain('somewhere-else');
  });

  test('are a failure if they contain none of the tokens', async () => {
    const responses = ['[]', '[{"id":"somewhere-else","current_price":1}]', '[{"id":"bitcoin","current_price":null}]'];
    for (const body of responses) {
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
