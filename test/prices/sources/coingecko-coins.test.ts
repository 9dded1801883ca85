import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';
import { requestFrom, type TestSource } from '../../support/upstream/source.ts';
import type { FakeResponse } from '../../support/upstream/upstream-server.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

const DOGECOIN = readFileSync(new URL('../../samples/coingecko/coin.json', import.meta.url), 'utf8');

const upstream = useUpstreamServer();

const requested = <T>(response: FakeResponse, send: (source: TestSource) => Promise<T>) =>
  requestFrom(upstream, () => response, send);
const coin = (source: TestSource) => source.coin('dogecoin');
/** The sample with other members. */
const withMembers = (members: object) => ({ body: JSON.stringify({ ...JSON.parse(DOGECOIN), ...members }) });

describe('a coin', () => {
  test('has its name, its first block and the dates with a price', async () => {
    expect(await requested({ body: DOGECOIN }, coin)).toEqual({
      ...{ id: 'dogecoin', symbol: 'doge', title: 'Dogecoin', price: 0.15 },
      ...{ genesis: '2013-12-08', priced: ['2021-05-08', '2015-05-06'] },
    });
    expect(upstream.calls.at(-1)).toMatchObject({
      path: '/coins/dogecoin',
      query: { localization: 'false', tickers: 'false' },
    });
  });

  test('may have no prices and no first block', async () => {
    const nothing = { price: null, genesis: undefined, priced: [] };
    for (const market_data of [null, {}, { current_price: {}, ath_date: { usd: null }, atl_date: {} }]) {
      expect(await requested(withMembers({ market_data, genesis_date: null }), coin)).toMatchObject(nothing);
    }
  });

  test('lacks only its malformed and implausible members', async () => {
    const { market_data } = JSON.parse(DOGECOIN);
    const wrongDates = ['2013-02-30', '', 'soon', 1_386_460_800, '1969-01-01', '2099-01-01', [], true];
    for (const genesis_date of wrongDates) {
      const changed = await requested(withMembers({ genesis_date }), coin);
      expect(changed).toMatchObject({ genesis: undefined, price: 0.15, priced: ['2021-05-08', '2015-05-06'] });
    }
    const wrongTimes = [{ usd: 'soon' }, { usd: '1969-01-01T00:00:00Z' }, { usd: '2099-01-01T00:00:00Z' }, [], '', 7];
    for (const ath_date of wrongTimes) {
      const changed = await requested(withMembers({ market_data: { ...market_data, ath_date } }), coin);
      expect(changed).toMatchObject({ genesis: '2013-12-08', price: 0.15, priced: ['2015-05-06'] });
    }
    for (const current_price of [{ usd: 0 }, { usd: -1 }, { usd: 'free' }, [], 0.15]) {
      const changed = await requested(withMembers({ market_data: { ...market_data, current_price } }), coin);
      expect(changed).toMatchObject({ price: null, priced: ['2021-05-08', '2015-05-06'] });
    }
    expect(await requested(withMembers({ market_data: 'none' }), coin)).toMatchObject({ price: null, priced: [] });
  });

  test('is found next to an empty error', async () => {
    for (const members of [{ error: '' }, { error: null }, { status: { error_code: 0, error_message: null } }])
      expect(await requested(withMembers(members), coin)).toMatchObject({ id: 'dogecoin' });
  });

  test('is undefined if it does not exist', async () => {
    expect(await requested({ status: 404, body: '{"error":"coin not found"}' }, coin)).toBeUndefined();
  });

  test.each([
    ['a number as its name', withMembers({ name: 7 }), 'unexpected'],
    ['a list', { body: `[${DOGECOIN}]` }, 'unexpected'],
    ['a page', { body: '<html></html>' }, 'not_json'],
    ['an error', { status: 500, body: '{}' }, 'server_error'],
  ])('%s is a failure', async (_name, response, reason) => {
    await expect(requested(response, coin)).rejects.toMatchObject({ reason });
  });
});

describe('a list of coins', () => {
  const sound = [
    { id: 'bitcoin', symbol: 'BTC', name: 'Bitcoin' },
    { id: 'dogecoin', symbol: 'doge', name: 'Dogecoin' },
  ];
  const wrong = [null, 7, 'bitcoin', [], {}, { id: 'x', symbol: null, name: 'X' }, { id: 7, symbol: 'x', name: 'X' }];
  const all = (source: TestSource) => source.coins();

  test('lacks only its malformed coins', async () => {
    for (const one of wrong) {
      const coins = await requested({ body: JSON.stringify([sound[0], one, sound[1]]) }, all);
      expect(coins).toMatchObject([{ id: 'bitcoin', symbol: 'btc' }, { id: 'dogecoin' }]);
    }
    await expect(requested({ body: JSON.stringify(wrong) }, all)).rejects.toMatchObject({ reason: 'unexpected' });
    expect(await requested({ body: '[]' }, all)).toEqual([]);
  });

  test('has the addresses that are texts, without empty ones', async () => {
    const platforms = { ethereum: '0xA0b8', solana: '', '': 'x', tron: null, base: 7 };
    const coins = await requested({ body: JSON.stringify([{ ...sound[0], platforms }, sound[1]]) }, all);
    expect(coins.map((coin) => coin.platforms)).toEqual([{ ethereum: '0xA0b8' }, {}]);
    for (const one of [null, 7, 'x', []]) {
      const [coin] = await requested({ body: JSON.stringify([{ ...sound[0], platforms: one }]) }, all);
      expect(coin?.platforms).toEqual({});
    }
  });
});

describe.runIf(haveRecordings)('recorded responses', () => {
  test.each(['coins_list_excerpt_2025-08-03.json', 'docs_example_coins_list_2026.json'])(
    '%s has a coin for each entry',
    async (name) => {
      const response = recording('coingecko', name);
      const coins = await requested(response, (source) => source.coins());
      const recorded = JSON.parse(String(response.body)) as { id: string; name: string }[];
      expect(coins.map(({ id, title }) => ({ id, name: title }))).toEqual(
        recorded.map(({ id, name }) => ({ id, name })),
      );
    },
  );

  test('an unknown coin is undefined', async () => {
    const response = recording('coingecko', 'err_404_coin_not_found_2026-07-16.json', 404);
    expect(await requested(response, coin)).toBeUndefined();
  });
});
