import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { haveRecordings, recording } from '../../support/upstream/recordings.ts';
import { openTestSource } from '../../support/upstream/source.ts';
import { type Reply, startUpstreamServer, type UpstreamServer } from '../../support/upstream/upstream-server.ts';

const DOGECOIN = readFileSync(new URL('../../samples/coingecko/coin.json', import.meta.url), 'utf8');

let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await startUpstreamServer(() => ({ body: '{}' }));
});
afterAll(() => upstream.close());

type Source = ReturnType<typeof openTestSource>;

async function requested<T>(reply: Reply, ask: (source: Source) => Promise<T>): Promise<T> {
  upstream.follow(() => reply);
  const source = openTestSource(upstream.url);
  try {
    return await ask(source);
  } finally {
    await source.close();
  }
}
const coin = (source: Source) => source.coin('dogecoin');
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

  test('is undefined if it does not exist', async () => {
    expect(await requested({ status: 404, body: '{"error":"coin not found"}' }, coin)).toBeUndefined();
  });

  test.each([
    ['an invalid day', withMembers({ genesis_date: '2013-02-30' }), 'unexpected'],
    ['a number as its name', withMembers({ name: 7 }), 'unexpected'],
    ['an invalid time', withMembers({ market_data: { ath_date: { usd: 'soon' } } }), 'unexpected'],
    ['a page', { body: '<html></html>' }, 'not_json'],
    ['an error', { status: 500, body: '{}' }, 'server_error'],
  ])('%s is a failure', async (_name, reply, reason) => {
    await expect(requested(reply, coin)).rejects.toMatchObject({ reason });
  });
});

describe.runIf(haveRecordings)('recorded responses', () => {
  test('a search returns its coins, with symbols in lower case', async () => {
    const reply = recording('coingecko', 'docs_example_search_2026.json');
    const coins = await requested(reply, (source) => source.search('ethereum'));
    expect(coins).toEqual([{ id: 'ethereum', symbol: 'eth', title: 'Ethereum' }]);
  });

  test.each(['coins_list_excerpt_2025-08-03.json', 'docs_example_coins_list_2026.json'])(
    '%s has a coin for each entry',
    async (name) => {
      const reply = recording('coingecko', name);
      const coins = await requested(reply, (source) => source.coins());
      const recorded = JSON.parse(String(reply.body)) as { id: string; name: string }[];
      expect(coins.map(({ id, title }) => ({ id, name: title }))).toEqual(
        recorded.map(({ id, name }) => ({ id, name })),
      );
    },
  );

  test('an unknown coin is undefined', async () => {
    const reply = recording('coingecko', 'err_404_coin_not_found_2026-07-16.json', 404);
    expect(await requested(reply, coin)).toBeUndefined();
  });
});
