import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStand, type Stand, USDC } from './stand.ts';

let stand: Stand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(() => stand.close());

const CHECKSUM = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
type Prices = Record<string, Record<string, number | null>>;
const prices = (platform: string, addresses: string, more = '') =>
  stand.json<Prices>(`/simple/token_price/${platform}?vs_currencies=usd&contract_addresses=${addresses}${more}`);

test('the list of coins is fetched when an address path first needs it, and not before', async () => {
  await stand.json('/coins/list');
  expect(await stand.json<object>('/coins/usd-coin')).toMatchObject({ platforms: {} });
  expect(stand.sandbox.countCalls('/coins/list')).toBe(0);
  await prices('ethereum', USDC);
  await prices('ethereum', USDC);
  await stand.json('/asset_platforms');
  expect(stand.sandbox.countCalls('/coins/list')).toBe(1);
});

test('addresses of the EVM are compared and returned in lower case, others as they are', async () => {
  const [{ usd } = { usd: null }] = Object.values(
    await stand.json<Prices>('/simple/price?ids=usd-coin&vs_currencies=usd'),
  );
  expect(usd).toBeGreaterThan(0);
  expect(await prices('ethereum', `${CHECKSUM},${USDC.toUpperCase().replace('0X', '0x')},0x${'0'.repeat(40)}`)).toEqual(
    {
      [USDC]: { usd },
    },
  );
  expect(await prices('solana', SOLANA)).toEqual({ [SOLANA]: { usd } });
  expect(await prices('solana', SOLANA.toLowerCase())).toEqual({});
  expect(await prices('nowhere', USDC)).toEqual({});
});

test('a request is charged for the returned coins only', async () => {
  const before = await stand.used();
  await prices('ethereum', `0x${'0'.repeat(40)}`);
  expect(await stand.used()).toBe(before);
  await prices('ethereum', `${USDC},0x${'0'.repeat(40)}`, '&include_market_cap=true&include_24hr_change=true');
  expect(await stand.used()).toBe(before + 1);
});

test('a coin, its charts and the list have the addresses', async () => {
  const path = `/coins/ethereum/contract/${CHECKSUM}`;
  const coin = await stand.json<Record<string, unknown>>(path);
  expect(coin).toMatchObject({ id: 'usd-coin', contract_address: USDC, asset_platform_id: null });
  expect(coin.platforms).toMatchObject({ ethereum: USDC, solana: SOLANA });
  expect(coin.detail_platforms).toMatchObject({ ethereum: { decimal_place: null, contract_address: USDC } });
  const [own, other] = await Promise.all(
    [`${path}/market_chart`, '/coins/usd-coin/market_chart'].map((one) => stand.json(`${one}?vs_currency=usd&days=2`)),
  );
  expect(own).toEqual(other);
  const range = await stand.json<{ prices: unknown[] }>(
    `${path}/market_chart/range?vs_currency=usd&from=1792000000&to=1792090000`,
  );
  expect(range.prices.length).toBeGreaterThan(20);
  const list = await stand.json<{ id: string; platforms: object }[]>('/coins/list?include_platform=true');
  expect(list.map(({ id }) => id)).toEqual(['arweave', 'bitcoin', 'ethereum', 'solana', 'usd-coin']);
  expect(list.map(({ platforms }) => Object.keys(platforms).length)).toEqual([0, 0, 0, 0, 3]);
  expect(await stand.json<object>('/coins/bitcoin')).toMatchObject({ platforms: { '': '' }, asset_platform_id: null });
});

test('the platform of a coin is that of its only contract', async () => {
  const onOne = (body: unknown) =>
    (body as { id: string }[]).map((coin) =>
      coin.id === 'usd-coin' ? { ...coin, platforms: { solana: SOLANA } } : coin,
    );
  const other = await openStand();
  try {
    other.sandbox.faults.always({ kind: 'changed', change: onOne }, { path: '/coins/list' });
    const coin = await other.json<object>(`/coins/solana/contract/${SOLANA}`);
    expect(coin).toMatchObject({ asset_platform_id: 'solana' });
  } finally {
    await other.close();
  }
});

test('the platforms are those of the list', async () => {
  const platforms = await stand.json<{ id: string }[]>('/asset_platforms');
  expect(platforms.map(({ id }) => id)).toEqual(['ethereum', 'polygon-pos', 'solana']);
  expect(platforms[0]).toMatchObject({ chain_identifier: 1, name: 'Ethereum', native_coin_id: 'ethereum' });
  expect(await stand.json('/asset_platforms?filter=nft')).toEqual([]);
});

test('without a stored list, a failing source is an error', async () => {
  const failing = await openStand();
  try {
    failing.sandbox.faults.always({ kind: 'status', status: 500, body: {} }, { path: '/coins/list' });
    const path = `/simple/token_price/ethereum?vs_currencies=usd&contract_addresses=${USDC}`;
    const response = await failing.request(path);
    expect([response.status, JSON.parse(response.text)]).toMatchObject([503, { status: { error_code: 503 } }]);
    expect(response.header('retry-after')).toMatch(/^\d+$/);
    expect(await failing.used()).toBe(0);
    expect((await failing.request('/coins/list?include_platform=true')).status).toBe(200);
  } finally {
    await failing.close();
  }
});
