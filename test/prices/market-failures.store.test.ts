import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { createTestClock } from '../../fixtures/clock.ts';
import { openTestMarket, type TestMarket, timesOf } from '../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);

async function openAt(now: string, env: Record<string, string> = {}) {
  const clock = createTestClock(now);
  // The primary source's failure, reported if no fallback source is used.
  opened = await openTestMarket(clock, { env: { MARKET_SOURCES: 'coingecko', ...env } });
  return { clock, ...opened };
}
type Market = TestMarket['market'];
const REQUESTS: [string, (market: Market) => unknown][] = [
  ['latest', (market) => market.latest('bitcoin')],
  ['days=1', (market) => market.days('bitcoin', 1, 'json')],
  ['days=5', (market) => market.days('bitcoin', 5, 'json')],
  ['days=30', (market) => market.days('bitcoin', 30, 'json')],
  ['a date', (market) => market.date('bitcoin', date('2026-05-01'), 'json')],
];

describe('without stored data', () => {
  test('has no data if CoinGecko returns empty charts', async () => {
    const { clock, market, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    sandbox.faults.always({ kind: 'emptyChart' }, { path: 'market_chart' });
    for (const [name, request] of REQUESTS.slice(3)) {
      const problem = { code: 'no_data', status: 404 };
      await expect((async () => request(market))(), name).rejects.toMatchObject(problem);
      clock.advance(6 * MINUTE);
    }
    expect(market.warnings()).toEqual([]);
  });

  test('reports an exhausted budget, without a call', async () => {
    const { market, sandbox } = await openAt('2026-05-15T14:42:25.300Z', { COINGECKO_CALLS_PER_MONTH: '0' });
    for (const [, request] of REQUESTS) {
      await expect((async () => request(market))()).rejects.toMatchObject({ status: 503 });
    }
    expect(sandbox.countCalls()).toBe(0);
  });

  test('still reports a date before the listing as such', async () => {
    const { market, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    sandbox.faults.always({ kind: 'html' });
    const before = market.date('arweave', date('2020-01-01'), 'json');
    await expect(before).rejects.toMatchObject({ code: 'no_data' });
  });
});

test('does not serve the latest price alone as a window of days', async () => {
  const { market, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
  await market.latest('bitcoin');
  sandbox.faults.always({ kind: 'html' }, { path: 'market_chart' });
  await expect(market.days('bitcoin', 30, 'json')).rejects.toMatchObject({
    code: 'upstream_invalid',
    members: { gaps: ['2026-04-16/2026-05-15'] },
  });
});

describe('with stored data', () => {
  test('serves the stored data, however long CoinGecko is unavailable', async () => {
    const { clock, market, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
    for (const [, request] of REQUESTS) await request(market);
    await market.idle();
    const days = timesOf(await market.days('bitcoin', 30, 'json'));
    const latest = await market.latest('bitcoin');
    sandbox.faults.always({ kind: 'html' });
    for (const step of [5 * MINUTE, 2 * HOUR, DAY, 3 * DAY]) {
      clock.advance(step);
      const response = await market.latest('bitcoin');
      await market.idle();
      expect(response.body.identity.etag).toBe(latest.body.identity.etag);
      expect(response.fetchedAt).toBe(latest.fetchedAt);
      const again = await market.days('bitcoin', 30, 'json');
      await market.idle();
      const from = timesOf(again)[0] ?? 0;
      expect(timesOf(again)).toEqual(days.filter((at) => at >= from));
    }
    const response = await market.range('bitcoin', 'day', date('2026-05-10'), date('2026-05-19'), 'json');
    expect(response.gaps).toEqual(['2026-05-16/2026-05-19']);
    expect(response.outcome.failure).toBeDefined();
    const hours = await market.range('bitcoin', 'hour', date('2026-05-14'), date('2026-05-17'), 'json');
    expect(hours.gaps).toHaveLength(1);
    expect(hours.gaps[0]).toMatch(/^2026-05-15T14:4.*\/2026-05-17T23:59:59\.999Z$/);
  });

  test('serves the stored data with an exhausted budget, without a promise of fresh data', async () => {
    const env = { COINGECKO_PLAN: 'demo', COINGECKO_CALLS_PER_MONTH: '2' };
    const { clock, market, sandbox } = await openAt('2026-05-15T14:42:25.300Z', env);
    const days = () => market.days('bitcoin', 30, 'json');
    await days();
    await market.latest('bitcoin');
    await market.idle();
    clock.advance(3 * DAY);
    await days();
    await market.idle();
    const response = await days();
    expect(sandbox.countCalls()).toBe(2);
    expect(response.gaps).toEqual(['2026-05-16/2026-05-18']);
    expect(Number.isFinite(response.dueAt)).toBe(true);
    expect(Number.isFinite((await market.latest('bitcoin')).dueAt)).toBe(true);
  });
});

test('reports a token that CoinGecko omits from the latest prices, and serves the others', async () => {
  const { market, sandbox } = await openAt('2026-05-15T14:42:25.300Z');
  sandbox.faults.always({
    kind: 'status',
    status: 200,
    body: [{ id: 'bitcoin', current_price: 1, last_updated: '2026-05-15T14:42:00Z' }],
  });
  expect(await market.latest('bitcoin')).toMatchObject({ gaps: [] });
  // The token is requested with the others, then alone, and again only when it is due.
  for (let i = 0; i < 3; i++) {
    await expect((async () => market.latest('solana'))()).rejects.toMatchObject({ code: 'no_data' });
  }
  expect(sandbox.calls.map(({ query }) => query.ids)).toEqual(['bitcoin', 'bitcoin,solana', 'solana,bitcoin']);
  expect(market.warnings()).toEqual([{ about: 'missing prices', source: 'coingecko', tokens: ['solana'] }]);
});
