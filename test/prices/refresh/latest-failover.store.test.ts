import { afterEach, describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { HOUR, MINUTE, SECOND } from '#core/clock';
import type { LatestPrice } from '#prices/model/prices-records';
import type { Fault } from '#sandbox/faults';
import type { DataResponse } from '#server/responses/response-body';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket } from '../../support/service/market.ts';

const COINGECKO = '/api/v3/';
const KRAKEN = '/0/public/';
const STEP = 30 * SECOND;
const REFUSED: Fault = { kind: 'status', status: 503 };

let opened: TestMarket;
afterEach(() => opened.close());

async function openAt(now: string, env: Record<string, string> = {}) {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, { env: { COINGECKO_REFRESH: 'latest=1m', ...env } });
  return { clock, ...opened };
}

const recordOf = ({ body }: DataResponse) => JSON.parse(String(body.identity.payload)) as LatestPrice;

/** The response after the refresh that a request starts. A request waits for it for only a second of real time. */
async function refreshed({ market }: Pick<TestMarket, 'market'>, token = 'bitcoin'): Promise<DataResponse> {
  await Promise.resolve(market.latest(token)).catch(() => undefined);
  await market.idle();
  return market.latest(token);
}

/** Requests every token twice a minute for a while. Returns the maximum age and the last source. */
async function askFor(ms: number, { clock, market }: Pick<TestMarket, 'market'> & { clock: TestClock }) {
  let oldest = 0;
  const sources = new Set<string>();
  for (let passed = 0; passed < ms; passed += STEP) {
    clock.advance(STEP);
    for (const token of BUILT_IN_NAMES) {
      const response = await market.latest(token);
      oldest = Math.max(oldest, clock.now() - (response.fetchedAt ?? 0));
      sources.add(response.source.replace(/;age=\d+/g, ''));
    }
    await market.idle();
  }
  return { oldest, sources: [...sources] };
}
type TestClock = ReturnType<typeof createTestClock>;

describe.each<[string, Fault]>([
  ['has an internal error', REFUSED],
  ['hangs', { kind: 'hangBeforeHeaders' }],
  ['is limiting the request rate', { kind: 'status', status: 429, headers: { 'retry-after': '300' } }],
])('a primary source that %s', (_name, fault) => {
  test('is replaced: no price is older than two minutes, and each response names its source', {
    timeout: 60_000,
  }, async () => {
    const service = await openAt('2026-05-15T14:10:06Z', { UPSTREAM_TIMEOUT_MS: '500' });
    const before = recordOf(await service.market.latest('bitcoin'));
    for (const token of BUILT_IN_NAMES) await service.market.latest(token);
    service.sandbox.faults.always(fault, { path: COINGECKO });
    const during = await askFor(8 * MINUTE, service);
    expect(during.oldest).toBeLessThanOrEqual(2 * MINUTE);
    expect(during.sources).toEqual(['coingecko', 'kraken, coingecko']);
    const response = await service.market.latest('bitcoin');
    const [, kraken = '', coingecko = ''] = /^kraken;age=(\d+), coingecko;age=(\d+)$/.exec(response.source) ?? [];
    expect(Number(kraken)).toBeLessThanOrEqual(60);
    expect(Number(coingecko)).toBe(8 * 60);
    expect(response.outcome.failure).toBeUndefined();
    // For values that Kraken does not provide, CoinGecko's last values remain.
    const { current_price, ...rest } = recordOf(response);
    expect({ current_price: before.current_price, ...rest }).toEqual(before);
    expect(current_price).not.toBe(before.current_price);
    expect(service.market.warnings().map(warningText).join()).toContain(
      'latest: kraken has been served instead of coingecko since',
    );

    service.sandbox.faults.clear();
    const after = await askFor(12 * MINUTE, service);
    expect(after.oldest).toBeLessThanOrEqual(2 * MINUTE);
    expect((await service.market.latest('bitcoin')).source).toBe('coingecko');
    expect(service.market.warnings().map(warningText)).toEqual([]);
  });
});

test('the fallback is called once a minute, in one call, and only while the primary is unhealthy', async () => {
  const service = await openAt('2026-05-15T14:10:06Z');
  for (const token of BUILT_IN_NAMES) await service.market.latest(token);
  await askFor(5 * MINUTE, service);
  const requested = () => service.sandbox.calls.filter(({ path }) => path === `${KRAKEN}Ticker`).length;
  expect(requested()).toBe(0);
  service.sandbox.faults.always(REFUSED, { path: COINGECKO });
  await askFor(12 * MINUTE, service);
  expect(requested()).toBe(10);
});

test('the primary is served again after two consecutive good responses', async () => {
  const { clock, market, sandbox } = await openAt('2026-05-15T14:10:06Z');
  await market.latest('bitcoin');
  sandbox.faults.always(REFUSED, { path: COINGECKO });
  clock.advance(3 * MINUTE);
  expect((await refreshed({ market })).source).toBe('kraken;age=0, coingecko;age=180');
  sandbox.faults.clear();
  const received: string[] = [];
  for (const isGood of [true, false, true, true]) {
    if (!isGood) sandbox.faults.always(REFUSED, { path: COINGECKO });
    else sandbox.faults.clear();
    clock.advance(2 * MINUTE);
    received.push((await refreshed({ market })).source.replace(/;.*/, ''));
  }
  expect(received).toEqual(['kraken', 'kraken', 'kraken', 'coingecko']);
});

test('while both are down, the last good response is served with its age', async () => {
  const { clock, market, sandbox } = await openAt('2026-05-15T14:10:06Z');
  await market.latest('bitcoin');
  sandbox.faults.always(REFUSED, { path: COINGECKO });
  clock.advance(3 * MINUTE);
  const good = await refreshed({ market });
  sandbox.faults.always(REFUSED);
  clock.advance(HOUR);
  const response = await refreshed({ market });
  expect(response.source).toBe('kraken;age=3600, coingecko;age=3780');
  expect(recordOf(response)).toEqual(recordOf(good));
  expect(response.outcome.failure).toMatchObject({ upstream: 'kraken' });
});

test('reports the primary’s cause if neither ever responded; with only the fallback, the other values are null', async () => {
  const { clock, market, sandbox } = await openAt('2026-05-15T14:10:06Z');
  sandbox.faults.always(REFUSED);
  await expect((async () => market.latest('bitcoin'))()).rejects.toMatchObject({
    code: 'upstream_unavailable',
  });
  sandbox.faults.clear();
  sandbox.faults.always(REFUSED, { path: COINGECKO });
  clock.advance(6 * MINUTE);
  const response = await refreshed({ market });
  expect(response.source).toBe('kraken;age=0');
  const { current_price, ...rest } = recordOf(response);
  expect(current_price).toBeGreaterThan(0);
  expect(new Set(Object.values(rest))).toEqual(new Set([null]));
});

test('an exhausted budget counts as a failure', async () => {
  const { clock, market } = await openAt('2026-05-15T14:10:06Z', { COINGECKO_CALLS_PER_MONTH: '1' });
  await market.latest('bitcoin');
  clock.advance(3 * MINUTE);
  expect((await refreshed({ market })).source).toBe('kraken;age=0, coingecko;age=180');
});

test('a primary source whose time does not advance is not trusted', async () => {
  const { clock, market, sandbox } = await openAt('2026-05-15T14:10:06Z');
  await market.latest('bitcoin');
  const markets = await fetch(`${sandbox.coingeckoUrl}/coins/markets?vs_currency=usd&ids=solana`);
  const [{ current_price } = { current_price: 0 }] = (await markets.json()) as { current_price: number }[];
  const frozen = [
    { id: 'bitcoin', current_price: 7, last_updated: '2026-05-15T14:10:00Z' },
    { id: 'solana', current_price, last_updated: '2026-05-15T14:10:06Z' },
  ].map((row) => ({
    ...row,
    ...{ market_cap: 1, total_volume: 1, circulating_supply: 1, total_supply: 1, max_supply: 1 },
    ...{ ath: 1, ath_change_percentage: 1, ath_date: '2020-01-01T00:00:00Z' },
    ...{ atl: 1, atl_change_percentage: 1, atl_date: '2020-01-01T00:00:00Z' },
  }));
  sandbox.faults.always({ kind: 'status', status: 200, body: frozen }, { path: '/coins/markets' });
  clock.advance(12 * MINUTE);
  expect(recordOf(await refreshed({ market }, 'solana')).current_price).toBe(current_price);
  clock.advance(MINUTE);
  expect((await refreshed({ market }, 'solana')).source).toBe('coingecko');
  expect(market.warnings().map(warningText)).toContain('latest: stale');
  clock.advance(2 * MINUTE);
  expect((await refreshed({ market }, 'solana')).source).toBe('kraken;age=0, coingecko;age=180');
});
