import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createListing } from '#catalogue/listing';
import { openCatalogue } from '#catalogue/open-catalogue';
import { BUILT_IN_TOKENS, MAX_SERVED } from '#catalogue/token';
import { createTokenStore } from '#catalogue/token-store';
import { createDeadline } from '#database/deadline';
import { createRefreshStore } from '#upstream/claims-and-budgets-store';
import { UpstreamFailure } from '#upstream/failures/failure';
import { createVersionWatcher } from '#upstream/version-watcher';
import { createTestClock } from '../../fixtures/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';

const NOW = Date.parse('2026-05-15T14:00:00Z');
const midnight = (date: string) => ({ at: Date.parse(date), price: 1, marketCap: null, volume: null });

const DOGE = {
  ...{ id: 'dogecoin', symbol: 'doge', title: 'Dogecoin', price: 0.15 as number | null },
  ...{ genesis: '2013-12-08' as string | undefined, priced: ['2021-05-08', '2015-05-06'] },
};

let database: TestDatabase;
/** The responses of the two upstreams. `requested` lists their requests. */
let sent: {
  coins: (typeof DOGE)[];
  days: string[];
  historyDays: number;
  pair: { pair: string; status: string; price: number | undefined } | undefined;
  venueFails: boolean;
};
let requested: string[];

async function open() {
  const store = createTokenStore(database.prisma);
  const catalogue = await openCatalogue({
    ...{ database, deadline: createDeadline(() => false) },
    versions: createVersionWatcher(createRefreshStore(database.prisma)),
  });
  const coinGecko = {
    coin: async (id: string) => {
      requested.push(`coin ${id}`);
      return sent.coins.find((one) => one.id === id);
    },
    daily: async (_id: string, days: number | 'max') => {
      requested.push(`days ${days}`);
      return sent.days.map(midnight);
    },
    history: {
      get day() {
        return sent.historyDays;
      },
    },
  };
  const kraken = {
    name: 'kraken',
    title: 'Kraken',
    pairOf: async (text: string) => {
      requested.push(`pair ${text}`);
      if (sent.venueFails) throw new UpstreamFailure('kraken', 'timeout', 'too late');
      return sent.pair;
    },
  };
  const coins = {
    ids: async () => sent.coins,
    find: async (text: string) =>
      sent.coins.filter(({ id }) => id.startsWith(text)).map((coin) => ({ ...coin, platforms: {} })),
  };
  const clock = createTestClock(NOW);
  return {
    store,
    catalogue,
    listing: createListing({ coinGecko, coins, exchanges: [kraken], store, catalogue, clock }),
  };
}
const add = async (wanted: Parameters<Awaited<ReturnType<typeof open>>['listing']['add']>[1]) =>
  (await open()).listing.add(OPERATOR, wanted);
const served = () => createTokenStore(database.prisma).all();

beforeEach(async () => {
  database = await openTestDatabase();
  requested = [];
  sent = {
    coins: [DOGE],
    days: ['2013-12-15', '2013-12-16'],
    historyDays: Number.POSITIVE_INFINITY,
    pair: { pair: 'XDGUSD', status: 'online', price: 0.151 },
    venueFails: false,
  };
});
afterEach(() => database.close());

describe('an added token', () => {
  test('has its name, its first date, its first block and its pair', async () => {
    const added = await add({ id: 'dogecoin' });
    const token = {
      ...{ name: 'dogecoin', symbol: 'doge', title: 'Dogecoin', begins: '2013-12-08', listed: '2013-12-15' },
      ...{ statistics: false, pairs: { kraken: 'XDGUSD' } },
    };
    expect(added).toMatchObject({ token, isKnown: false, isFirstDate: true, shared: [] });
    expect(added).toMatchObject({ pairs: new Map([['kraken', { kind: 'found', status: 'online' }]]) });
    expect(await served()).toEqual([...BUILT_IN_TOKENS, token]);
    expect(requested).toEqual(['coin dogecoin', 'days max', 'pair doge']);
  });

  test('has the earliest returned date on a plan with a limited range, and its archive may start earlier', async () => {
    sent.historyDays = 365;
    sent.days = ['2025-05-16', '2025-05-17'];
    const dates = { listed: '2013-12-08', begins: '2013-12-08' };
    expect(await add({ id: 'dogecoin' })).toMatchObject({ token: dates, isFirstDate: false });
    sent.coins = [{ ...DOGE, genesis: undefined }];
    const without = { listed: '2015-05-06', begins: '2009-01-03' };
    expect(await add({ id: 'dogecoin' })).toMatchObject({ token: without, isFirstDate: false });
    expect(requested).toContain('days 365');
  });

  test('has a definite first date within the range of the plan', async () => {
    sent.historyDays = 365;
    sent.days = ['2026-01-10', '2026-01-11'];
    sent.coins = [{ ...DOGE, genesis: '2025-12-01', priced: ['2026-02-01'] }];
    const dates = { listed: '2026-01-10', begins: '2025-12-01' };
    expect(await add({ id: 'dogecoin' })).toMatchObject({ token: dates, isFirstDate: true });
  });

  test('keeps its first price if its chain is younger', async () => {
    sent.coins = [{ ...DOGE, genesis: '2017-01-01' }];
    expect(await add({ id: 'dogecoin' })).toMatchObject({
      token: { listed: '2013-12-15', begins: '2009-01-03' },
    });
  });

  test('that is added again has its new values in its former position', async () => {
    await add({ id: 'dogecoin' });
    sent.coins = [
      { ...DOGE, title: 'Much coin' },
      { ...DOGE, id: 'shiba' },
    ];
    await add({ id: 'shiba', pairs: { kraken: 'none' } });
    expect(await add({ id: 'dogecoin' })).toMatchObject({ isKnown: true, token: { title: 'Much coin' } });
    expect((await served()).slice(5).map(({ name }) => name)).toEqual(['dogecoin', 'shiba']);
  });
});

describe('a symbol', () => {
  test('that another token has names the token that was added first, and the sharing is reported', async () => {
    sent.coins = [{ ...DOGE, symbol: 'btc' }];
    const added = await add({ id: 'dogecoin', pairs: { kraken: 'none' } });
    expect(added).toMatchObject({ shared: [{ name: 'bitcoin' }], meant: { name: 'bitcoin' } });
    const { catalogue } = await open();
    expect(catalogue.find('btc')?.name).toBe('bitcoin');
  });

  test('may differ from CoinGecko’s', async () => {
    expect(await add({ id: 'dogecoin', symbol: 'wow' })).toMatchObject({ token: { symbol: 'wow' } });
    expect(requested).toContain('pair doge');
  });

  test('that cannot be used in a URL is rejected', async () => {
    sent.coins = [{ ...DOGE, symbol: 'two words' }];
    await expect(add({ id: 'dogecoin' })).rejects.toMatchObject({ code: 'token_rejected' });
  });
});

describe('the pair', () => {
  test.each([
    ['is undefined if Kraken does not trade the token', { pair: undefined }, { kind: 'not_traded' }],
    ['is undefined if Kraken cannot be called', { venueFails: true }, { kind: 'unavailable', cause: 'timeout' }],
    [
      'is undefined if its price is that of another asset',
      { pair: { pair: 'XDGUSD', status: 'online', price: 3 } },
      { kind: 'another', pair: 'XDGUSD', price: 3, wanted: 0.15 },
    ],
    [
      'is undefined if a price to compare is unknown',
      { pair: { pair: 'XDGUSD', status: 'online', price: undefined } },
      { kind: 'unconfirmed', pair: 'XDGUSD' },
    ],
    [
      'is undefined if another token has it',
      { pair: { pair: 'SOLUSD', status: 'online', price: 0.15 } },
      { kind: 'taken', pair: 'SOLUSD', by: 'solana' },
    ],
  ])('%s', async (_what, change, pair) => {
    Object.assign(sent, change);
    expect(await add({ id: 'dogecoin' })).toMatchObject({
      token: { pairs: expect.toSatisfy((pairs) => Object.keys(pairs).length === 0) },
      pairs: new Map([['kraken', pair]]),
    });
  });

  test('named by the operator is accepted, whatever its price', async () => {
    sent.pair = { pair: 'ABCUSD', status: 'cancel_only', price: 99 };
    const given = { kind: 'given', status: 'cancel_only' };
    const wanted = { id: 'dogecoin', pairs: { kraken: 'abcusd' } };
    expect(await add(wanted)).toMatchObject({
      token: { pairs: { kraken: 'ABCUSD' } },
      pairs: new Map([['kraken', given]]),
    });
    expect(requested).toContain('pair abcusd');
    sent.pair = undefined;
    await expect(add(wanted)).rejects.toMatchObject({ code: 'token_rejected' });
    sent.venueFails = true;
    await expect(add(wanted)).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('stays if Kraken cannot be called', async () => {
    await add({ id: 'dogecoin' });
    sent.venueFails = true;
    const { token, pairs } = await add({ id: 'dogecoin' });
    expect([token.pairs, pairs.get('kraken')?.kind]).toEqual([{ kraken: 'XDGUSD' }, 'unavailable']);
  });

  test('may be `none`', async () => {
    const added = await add({ id: 'dogecoin', pairs: { kraken: 'none' } });
    expect(added).toMatchObject({ pairs: new Map([['kraken', { kind: 'left_out' }]]) });
    expect(requested).not.toContain('pair doge');
  });
});

describe('rejects, without storing anything or wasting a call,', () => {
  test.each([
    ['a built-in token', { id: 'bitcoin' }, 'token_rejected', 'built in'],
    ['an ID that is another token’s symbol', { id: 'sol' }, 'token_rejected', 'solana'],
    ['an unknown ID, with the token that it may mean', { id: 'doge' }, 'not_found', 'dogecoin'],
    ['a misspelt ID', { id: 'dogecion' }, 'not_found', 'dogecoin'],
    ['an invalid ID', { id: '../ping' }, 'not_found', ''],
  ])('%s', async (_what, wanted, code, name) => {
    await expect(add(wanted)).rejects.toMatchObject({ code, message: expect.stringContaining(name) });
    expect(await served()).toEqual(BUILT_IN_TOKENS);
    expect(requested.filter((one) => one.startsWith('coin') && !/coin doge/.test(one))).toEqual([]);
  });

  test('one token too many', async () => {
    await database.prisma.$executeRaw`
      INSERT INTO token (name, symbol, title, begins, listed)
      SELECT 'coin-' || n, 's' || n, 'Coin', '2020-01-01', '2020-01-01'
      FROM generate_series(6, ${MAX_SERVED}::int) AS n`;
    await expect(add({ id: 'dogecoin' })).rejects.toMatchObject({ code: 'token_rejected' });
    await expect(add({ id: 'coin-6' })).rejects.toMatchObject({ code: 'not_found' });
    await database.prisma.$executeRaw`UPDATE token SET added_at = now() WHERE name = 'coin-7'`;
    expect(await add({ id: 'dogecoin' })).toMatchObject({ token: { name: 'dogecoin' } });
  });
});
