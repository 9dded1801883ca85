import { afterEach, expect, test } from 'vitest';
import { createTokenStore, REQUESTS_PER_HOUR } from '#catalogue/token-store';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { sandboxTokens } from '#sandbox/tokens';
import { callTool } from '../mcp/open.ts';
import { openStand, type Stand } from './stand.ts';

let stand: Stand;
afterEach(() => stand.close());

const ON = { TOKENS_ON_REQUEST: 'on', COINGECKO_CALLS_PER_MINUTE: '100000' };
const names = [...sandboxTokens().keys()];
const served = () => stand.parts.catalogue.all().map(({ name }) => name);
const lists = () => stand.sandbox.countCalls('/coins/list');
const prices = (ids: readonly string[]) =>
  stand.json<Record<string, object>>(`/simple/price?vs_currencies=usd&ids=${ids.join()}`);
const charts = () => stand.sandbox.countCalls('/market_chart');

test('no token is added and no list is fetched by default', async () => {
  stand = await openStand();
  expect(await prices(['albado'])).toEqual({});
  const response = await stand.get('/v1/prices/latest/token?tokenName=albado', { key: stand.key });
  expect(response.status).toBe(400);
  expect((await stand.request('/coins/albado')).status).toBe(404);
  await stand.json('/coins/list');
  expect([lists(), served().length, await stand.used()]).toEqual([0, 5, 0]);
});

test('every path that names a token adds it, and the list is fetched once a day', async () => {
  stand = await openStand({ settings: ON });
  const [one = '', two = '', three = '', four = '', five = '', six = ''] = names.slice(5);
  expect(Object.keys(await prices([one, 'bitcoin']))).toEqual([one, 'bitcoin']);
  for (const path of [
    `/v1/prices/latest/token?tokenName=${two}`,
    `/v1/prices/latest/tokens?tokenNames=bitcoin,%20${three.toUpperCase()}`,
  ])
    expect((await stand.get(path, { key: stand.key })).status).toBe(200);
  const coin = await stand.json<{ market_data: { current_price: { usd: number } } }>(`/coins/${four}`);
  expect(coin.market_data.current_price.usd).toBeGreaterThan(0);
  const called = await callTool(stand.url, stand.key, 'get_latest_prices', { tokenNames: [five] });
  expect(called.isError).toBeFalsy();
  const chart = await stand.json<{ prices: unknown[] }>(`/coins/${six}/market_chart?vs_currency=usd&days=30`);
  expect(chart.prices.length).toBeGreaterThan(700);
  expect(served()).toEqual([...names.slice(0, 5), one, two, three, four, five, six]);
  expect(lists()).toBe(1);
  await stand.pass(DAY + MINUTE);
  await prices(['nope']);
  await stand.parts.prices.coins.idle();
  expect(lists()).toBe(2);
});

test('an ID that CoinGecko does not list costs no call to it', async () => {
  stand = await openStand({ settings: ON });
  await prices(['nope']);
  stand.sandbox.clearCalls();
  expect(await prices(['nope', 'other', '../key', 'a b', 'BTC', 'eth'])).toEqual({});
  expect((await stand.request('/coins/nope/market_chart?vs_currency=usd&days=1')).status).toBe(404);
  expect(stand.sandbox.countCalls('')).toBe(0);
  expect(served()).toHaveLength(5);
});

test('a user adds at most 20 tokens an hour, and each failed addition counts', async () => {
  stand = await openStand({ settings: ON });
  const wanted = names.slice(5, 35);
  expect(Object.keys(await prices(wanted))).toHaveLength(20);
  expect(charts()).toBe(20);
  expect(Object.keys(await prices(wanted))).toHaveLength(20);
  expect(charts()).toBe(20);
  const other = await stand.createUser();
  const response = await stand.request(`/simple/price?vs_currencies=usd&ids=${wanted[29]}`, {
    'x-cg-pro-api-key': other,
  });
  expect(Object.keys(JSON.parse(response.text))).toEqual([wanted[29]]);
  await stand.pass(HOUR + MINUTE);
  expect(Object.keys(await prices(wanted))).toHaveLength(30);
});

test('a token whose history fails stays unknown, and is tried again after ten minutes', async () => {
  stand = await openStand({ settings: ON });
  const [token = ''] = names.slice(5);
  await prices(['bitcoin']);
  stand.sandbox.faults.always({ kind: 'status', status: 500, body: {} }, { path: `/coins/${token}/market_chart` });
  expect(await prices([token])).toEqual({});
  stand.sandbox.faults.clear();
  expect(await prices([token])).toEqual({});
  await stand.pass(11 * MINUTE);
  expect(Object.keys(await prices([token]))).toEqual([token]);
});

test('users share the pauses after failed additions, and the pauses grow', async () => {
  stand = await openStand({ settings: ON });
  const [token = ''] = names.slice(5);
  await prices(['bitcoin']);
  stand.sandbox.faults.always({ kind: 'status', status: 404, body: {} }, { path: `/coins/${token}/market_chart` });
  const keys = await Promise.all(Array.from({ length: 3 }, () => stand.createUser()));
  const called: number[] = [];
  for (const pause of [0, 9, 2, 11, 10, 39, 2]) {
    await stand.pass(pause * MINUTE);
    stand.sandbox.clearCalls();
    for (const key of keys)
      await stand.request(`/simple/price?vs_currencies=usd&ids=${token}`, { 'x-cg-pro-api-key': key });
    called.push(charts());
  }
  expect(called).toEqual([1, 0, 1, 0, 1, 0, 1]);
});

test('the symbol of a token on request refers to nothing, until the operator adds the token', async () => {
  stand = await openStand({ settings: ON });
  const [one = '', two = ''] = names.slice(5);
  const renamed = (body: unknown) =>
    (body as { id: string; symbol: string }[]).map((coin) => ({
      ...coin,
      ...(coin.id === one && { symbol: two }),
      ...(coin.id === two && { symbol: 'popular' }),
    }));
  stand.sandbox.faults.always({ kind: 'changed', change: renamed }, { path: '/coins/list' });
  expect(Object.keys(await prices([one]))).toEqual([one]);
  // The symbol of the first token is the ID of the second one.
  expect(Object.keys(await prices([one, two]))).toEqual([one, two]);
  const latest = (token: string) => stand.get(`/v1/prices/latest/tokens?tokenNames=${token}`, { key: stand.key });
  expect(await (await latest(two)).json()).toMatchObject([{ tokenName: two }]);
  expect((await latest('popular')).status).toBe(400);
  expect(await stand.json('/simple/price?vs_currencies=usd&symbols=popular')).toEqual({});
  const token = stand.parts.catalogue.named(two);
  if (token) await createTokenStore(stand.database.prisma).add(token);
  await stand.parts.catalogue.sync();
  expect(await (await latest('popular')).json()).toMatchObject([{ tokenName: two }]);
  expect(Object.keys(await stand.json<object>('/simple/price?vs_currencies=usd&symbols=popular'))).toEqual(['popular']);
});

test('a token that nobody has requested for 90 days is removed, and its rows stay', async () => {
  stand = await openStand({ settings: ON });
  const [unused = '', used = '', ofOperator = ''] = names.slice(5);
  await prices([unused, used, ofOperator]);
  const store = createTokenStore(stand.database.prisma);
  const adopted = stand.parts.catalogue.named(ofOperator);
  if (adopted) await store.add(adopted);
  await stand.pass(60 * DAY);
  await prices([used]);
  await stand.parts.poll();
  await stand.pass(31 * DAY);
  await stand.parts.runJob('removal of unused tokens');
  expect(served().slice(5).sort()).toEqual([used, ofOperator].sort());
  expect(await stand.database.prisma.latestPrice.count({ where: { token: unused } })).toBe(1);
  expect(Object.keys(await prices([unused]))).toEqual([unused]);
});

test('a token that the operator removed is not added on request', async () => {
  stand = await openStand({ settings: ON });
  const [token = ''] = names.slice(5);
  await prices([token]);
  await createTokenStore(stand.database.prisma).remove(token, stand.clock.now());
  await stand.parts.catalogue.sync();
  expect(await prices([token])).toEqual({});
});

test('the limits hold if several processes count at once', async () => {
  stand = await openStand();
  const store = createTokenStore(stand.database.prisma);
  const now = stand.clock.now();
  const reserved = await Promise.all(
    Array.from({ length: 6 }, (_, i) => store.reserve(1, names.slice(5 + 10 * i, 15 + 10 * i), now)),
  );
  expect(reserved.flat()).toHaveLength(REQUESTS_PER_HOUR);
  await stand.database.prisma.$executeRaw`
    INSERT INTO token (name, symbol, title, begins, listed)
    SELECT 'coin-' || n, 'c' || n, 'Coin', '2020-01-01', '2020-01-01' FROM generate_series(6, 5000) n`;
  expect(await store.reserve(2, names.slice(5, 6), now)).toEqual([]);
});
