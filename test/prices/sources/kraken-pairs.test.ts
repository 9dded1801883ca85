import { expect, test } from 'vitest';
import { createCatalogue } from '#catalogue/catalogue';
import type { Token } from '#catalogue/token';
import { MINUTE } from '#core/clock';
import { openTestKraken } from '../../support/upstream/exchange-source.ts';
import { useUpstreamServer } from '../../support/upstream/use-upstream-server.ts';

type Pairs = Record<string, unknown>;
const upstream = useUpstreamServer();

const token = (name: string, symbol: string, pair: string): Token => ({
  ...{
    name,
    symbol,
    title: name,
    begins: '2018-01-01',
    listed: '2018-01-01',
    statistics: false,
    pairs: { kraken: pair },
  },
});
const listed = (name: string, wsname: string, status = 'online') => ({ [name]: { altname: name, wsname, status } });
const trade = (price: string) => ({ c: [price, '1'] });
const respondWith = (result: unknown) => ({ body: JSON.stringify({ error: [], result }) });
const UNKNOWN = { body: '{"error":["EQuery:Unknown asset pair"]}' };

/** Kraken with its list of pairs and the items of its ticker. Like Kraken, it rejects a request with an unknown pair. */
async function open(tokens: readonly Token[], pairs: Pairs, items: Pairs, names: Pairs = pairs) {
  upstream.follow(({ path, query }) => {
    if (path === '/AssetPairs') return respondWith(pairs);
    const requested = query.pair?.split(',');
    return requested?.every((name) => Object.hasOwn(names, name)) === false ? UNKNOWN : respondWith(items);
  });
  const source = openTestKraken(upstream.url, { catalogue: createCatalogue(tokens) });
  const before = upstream.calls.length;
  const paths = () => upstream.calls.slice(before).map(({ path, query }) => [path, ...Object.values(query)].join(' '));
  const prices = async () =>
    Object.fromEntries((await source.quotes(tokens.map(({ name }) => name))).map((one) => [one.token, one.price]));
  return { ...source, paths, prices };
}

const LUNA = token('terra-luna-2', 'luna', 'LUNA2USD');
const LUNC = token('terra-luna', 'lunc', 'LUNAUSD');

test('a price belongs to a token only by the names that Kraken lists for its pair', async () => {
  const pairs = { ...listed('LUNA2USD', 'LUNA2/USD'), ...listed('LUNAUSD', 'LUNA/USD') };
  const source = await open([LUNA, LUNC], pairs, { 'LUNA2/USD': trade('0.5'), 'LUNA/USD': trade('0.00006') });
  expect(await source.prices()).toEqual({ 'terra-luna-2': 0.5, 'terra-luna': 0.00006 });
  await source.close();
  const other = await open([LUNA], listed('LUNA2USD', 'LUNA2/USD'), { 'LUNA/USD': trade('0.00006') });
  await expect(other.prices()).rejects.toMatchObject({ reason: 'empty' });
  await other.close();
});

const BTC = token('bitcoin', 'btc', 'XXBTZUSD');

test('an unknown pair, a malformed item or a malformed entry of the list does not affect another pair', async () => {
  const pairs = { ...listed('XXBTZUSD', 'XBT/USD'), ...listed('LUNAUSD', 'LUNA/USD'), BAD: 7, ODD: { wsname: {} } };
  const known = listed('XXBTZUSD', 'XBT/USD');
  const gone = await open([BTC, LUNC], pairs, { XXBTZUSD: trade('9') }, known);
  expect(await gone.prices()).toEqual({ bitcoin: 9 });
  expect(gone.paths()).toEqual(['/AssetPairs', '/Ticker XXBTZUSD,LUNAUSD', '/Ticker']);
  expect(gone.dropped).toMatchObject([{ path: '/AssetPairs', count: 2, reasons: ['malformed', 'malformed wsname'] }]);
  await gone.close();
  for (const item of [{}, { c: [] }, { c: ['NaN'] }, { c: ['-1'] }, 7, null]) {
    const malformed = await open([BTC, LUNC], pairs, { XXBTZUSD: trade('9'), LUNAUSD: item });
    expect(await malformed.prices()).toEqual({ bitcoin: 9 });
    await malformed.close();
  }
});

test('a renamed pair is found by its other names, and many pairs are requested together', async () => {
  const renamed = await open([BTC], listed('BTCUSD', 'XBT/USD'), { BTCUSD: trade('9') });
  const byName = await open([{ ...BTC, pairs: { kraken: 'XBT/USD' } }], listed('BTCUSD', 'XBT/USD'), {
    BTCUSD: trade('9'),
  });
  await expect(renamed.prices()).rejects.toMatchObject({ reason: 'not_listed' });
  expect(await byName.prices()).toEqual({ bitcoin: 9 });
  const tokens = Array.from({ length: 60 }, (_, i) => token(`token-${i}`, `t${i}`, `T${i}USD`));
  const names = tokens.map(({ pairs }) => pairs.kraken as string);
  const pairs = Object.assign({}, ...names.map((pair) => listed(pair, pair.replace('USD', '/USD'))));
  const many = await open(tokens, pairs, Object.assign({}, ...names.map((pair) => ({ [pair]: trade('1') }))));
  expect(Object.keys(await many.prices())).toHaveLength(60);
  expect(many.paths()).toEqual(['/AssetPairs', '/Ticker']);
  for (const one of [renamed, byName, many]) await one.close();
});

test.each([
  ['alone', []],
  ['among others', [LUNC]],
])('a pair that was renamed after the list was read is found in a fresh list: %s', async (_name, others) => {
  const rest = listed('LUNAUSD', 'LUNA/USD');
  const pairs: Pairs = { ...rest, ...listed('XBTUSD', 'XBT/USD') };
  const items: Pairs = { LUNAUSD: trade('2'), XBTUSD: trade('8') };
  const source = await open([{ ...BTC, pairs: { kraken: 'XBT/USD' } }, ...others], pairs, items);
  const expected = others.length > 0 ? { 'terra-luna': 2 } : {};
  expect(await source.prices()).toEqual({ bitcoin: 8, ...expected });
  delete pairs.XBTUSD;
  delete items.XBTUSD;
  Object.assign(pairs, listed('BTCUSD', 'XBT/USD'));
  items.BTCUSD = trade('9');
  source.clock.advance(5 * MINUTE);
  expect(await source.prices()).toEqual({ bitcoin: 9, ...expected });
  expect(source.paths().filter((path) => path === '/AssetPairs')).toHaveLength(2);
  await source.close();
});

test('the pairs of many tokens are looked up with two calls', async () => {
  const source = await open(
    [BTC],
    { ...listed('XXBTZUSD', 'XBT/USD'), ...listed('LUNAUSD', 'LUNA/USD') },
    {
      ...{ XXBTZUSD: trade('9'), LUNAUSD: trade('2') },
    },
  );
  for (let i = 0; i < 20; i++) {
    expect(await source.pairOf('btc')).toEqual({ pair: 'XXBTZUSD', status: 'online', price: 9 });
    expect(await source.pairOf('luna')).toEqual({ pair: 'LUNAUSD', status: 'online', price: 2 });
  }
  expect(source.paths()).toEqual(['/AssetPairs', '/Ticker XXBTZUSD,LUNAUSD']);
  await source.close();
});
