import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { DAY, iso, MINUTE } from '#core/clock';
import type { TokenPrice } from '#prices/latest/latest-records';
import { addSandboxTokens } from '../../../fixtures/sandbox-tokens.ts';
import { amount } from '../../support/long.ts';
import { type FaultyUpstreamService, LATEST, startWithFaultyUpstream } from '../../support/service/chaos.ts';

type Coin = Record<string, unknown> & { id: string };

let service: FaultyUpstreamService;
afterEach(() => service.close());
const start = (settings: Record<string, string> = {}) =>
  startWithFaultyUpstream({
    settings: { COINGECKO_REFRESH: 'latest=1m', COINGECKO_CALLS_PER_MONTH: '1000000', ...settings },
  });

const TOKENS = 'bitcoin,ethereum,solana';
async function prices(names = TOKENS): Promise<TokenPrice[]> {
  const response = await service.ask(`/v1/prices/latest/tokens?tokenNames=${names}`);
  await service.parts.market.idle();
  return JSON.parse(response.body) as TokenPrice[];
}

/** The prices after the next interval. The first request refreshes them. */
async function refreshed(): Promise<TokenPrice[]> {
  await service.pass(2 * MINUTE);
  await prices();
  return prices();
}

/** Changes the items of each response of `/coins/markets`. */
const change = (of: (coins: Coin[]) => unknown) =>
  service.sandbox.faults.always({ kind: 'changed', change: (body) => of(body as Coin[]) }, { path: '/coins/markets' });

/** Changes one coin. An empty list removes it. */
const changeCoin = (id: string, ...by: unknown[]) =>
  change((coins) =>
    coins.flatMap((coin) =>
      coin.id === id ? by.map((one) => (one === Object(one) ? { ...coin, ...(one as object) } : one)) : [coin],
    ),
  );

const calls = () => service.sandbox.calls.filter(({ path }) => path.endsWith('/coins/markets'));

test('every requested token has a price, however many are requested, and pages are requested with their size', async () => {
  service = await start();
  const names = await addSandboxTokens(service.database.prisma, 260);
  await service.parts.catalogue.sync();
  for (let i = 0; i < 2; i++) {
    for (const part of [names.slice(0, 100), names.slice(100, 200), names.slice(200)]) {
      const records = await prices(part.join());
      expect(records.filter(({ at }) => at === null)).toEqual([]);
      if (i > 0)
        expect(Math.min(...records.map(({ at }) => Date.parse(at as string)))).toBeGreaterThan(
          service.clock.now() - 4 * MINUTE,
        );
    }
    await service.pass(MINUTE);
  }
  expect(new Set(calls().map(({ query }) => query.per_page))).toEqual(new Set(['250']));
  expect(Math.max(...calls().map(({ query }) => query.ids?.split(',').length ?? 0))).toBe(250);
  expect(service.parts.market.warnings()).toEqual([]);
});

test('missing tokens are requested alone if a source ignores the page size, and a warning names them', async () => {
  service = await start();
  const names = await addSandboxTokens(service.database.prisma, 120);
  await service.parts.catalogue.sync();
  change((coins) => coins.slice(0, 100));
  const [large, small] = [names.slice(0, 60).join(), names.slice(60).join()];
  for (let i = 0; i < 2; i++) for (const part of [large, small]) await prices(part);
  expect((await prices(large)).concat(await prices(small)).filter(({ at }) => at === null)).toEqual([]);
  service.sandbox.faults.clear();
  await service.pass(MINUTE + 1);
  await prices(large);
  expect(service.parts.market.warnings()).toEqual([]);
});

test.each([
  ['without a price', { current_price: null, market_cap: 0, last_updated: '2025-01-01T00:00:00.000Z' }, 404],
  ['last updated 60 days ago', { last_updated: iso(Date.parse('2026-05-15T14:10:06Z') - 60 * DAY) }, 200],
])('a token %s does not affect another token or pause the source', async (_name, by, status) => {
  service = await start({ MARKET_SOURCES: 'coingecko,kraken' });
  await addSandboxTokens(service.database.prisma, 8);
  await service.parts.catalogue.sync();
  const [dead = ''] = service.parts.catalogue
    .all()
    .slice(-1)
    .map(({ name }) => name);
  changeCoin(dead, by);
  const read = () => service.ask(`/v1/prices/latest/token?tokenName=${dead}`);
  for (let i = 0; i < 4; i++) {
    const alone = await read();
    expect([alone.status, alone.code]).toEqual([status, status === 404 ? 'no_data' : undefined]);
    if (status === 200) {
      expect(alone.cache).toMatchObject({
        fwd: 'stale',
        detail: expect.stringMatching(/^(stale|refreshing)$/),
        ttl: -(Number(alone.header('age')) - 60),
      });
      expect(Number(alone.header('age'))).toBeGreaterThanOrEqual((60 * DAY) / 1000);
    }
    const bitcoin = await service.ask(LATEST);
    expect([bitcoin.status, bitcoin.header('quotient-source')]).toEqual([200, 'coingecko']);
    expect(Number(bitcoin.header('age') ?? 0)).toBeLessThanOrEqual(120);
    await service.pass(MINUTE);
    await service.parts.market.idle();
  }
  expect(service.parts.market.warnings()).toEqual([]);
  service.sandbox.faults.clear();
  await service.ask(LATEST);
  await service.parts.market.idle();
  await service.pass(MINUTE);
  await service.ask(LATEST);
  await service.parts.market.idle();
  expect((await read()).cache).toMatchObject({ hit: true });
});

const MEMBERS = [
  ...['current_price', 'market_cap', 'total_volume', 'circulating_supply', 'total_supply', 'max_supply', 'ath'],
  ...['ath_change_percentage', 'ath_date', 'atl', 'atl_change_percentage', 'atl_date', 'last_updated'],
];
const value = fc.oneof(
  ...[fc.constantFrom('∞', 'unknown', 'NaN', {}, [], null, 0, -1, 1e300, '1e999', true), fc.string(), fc.object()],
);
const fault = fc.oneof(
  fc.record({ member: fc.constantFrom(...MEMBERS), value }).map(({ member, value }) => [{ [member]: value }]),
  fc.constantFrom<unknown[]>(
    [],
    [null],
    [{}, {}],
    [{ id: 7 }],
    [{ id: 'renamed' }],
    [{ last_updated: '1999-01-01T00:00:00Z' }],
  ),
);

test('no fault of one item changes another item, and the item heals within an interval', async () => {
  service = await start();
  await prices();
  await fc.assert(
    fc.asyncProperty(fault, async (by) => {
      const before = await refreshed();
      changeCoin('ethereum', ...by);
      const during = await refreshed();
      service.sandbox.faults.clear();
      const after = await refreshed();
      const isNewer = (place: number, a: TokenPrice[], b: TokenPrice[]) =>
        Date.parse(b[place]?.at as string) > Date.parse(a[place]?.at as string);
      expect([0, 2].map((place) => isNewer(place, before, during))).toEqual([true, true]);
      expect(during[1]?.current_price).toBeGreaterThan(0);
      expect([0, 1, 2].map((place) => isNewer(place, during, after))).toEqual([true, true, true]);
    }),
    { numRuns: amount(8, 100) },
  );
});
