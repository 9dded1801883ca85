import { afterEach, describe, expect, test } from 'vitest';
import { DAY, SECOND } from '#core/clock';
import { type CoinGeckoPlanName, coinGeckoPlan } from '#prices/sources/coingecko-plans';
import { warningText } from '#upstream/freshness';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket, timesOf } from '../../support/service/market.ts';

const NOW = '2026-05-15T14:42:25.300Z';
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);
const TODAY = date('2026-05-15');

let opened: TestMarket;
afterEach(() => opened.close());

/** A service configured for one plan, with a CoinGecko that reports another plan for the key. */
async function openWith(configured: CoinGeckoPlanName, plan: CoinGeckoPlanName = configured) {
  const clock = createTestClock(NOW);
  opened = await openTestMarket(clock, { plan, env: { COINGECKO_PLAN: configured } });
  const { market, sandbox } = opened;
  /** The history calls that an action caused, as text. */
  async function cost(request: () => unknown): Promise<string[]> {
    const before = sandbox.calls.length;
    await request();
    await market.idle();
    return sandbox.calls.slice(before).flatMap(({ path, query }) => {
      const days = path.endsWith('/range') ? 'range' : query.days;
      return path.endsWith('/markets') ? [] : (days ?? []);
    });
  }
  return { clock, market, sandbox, cost };
}

describe('a plan with a limited range', () => {
  test.each(['demo', 'basic'] as const)('is never asked for data beyond its range: %s', async (plan) => {
    const { clock, market, sandbox } = await openWith(plan);
    const { historyDays } = coinGeckoPlan(plan);
    const froms = ['2010-01-01', '2019-11-01', '2024-05-14', '2024-05-17', '2025-05-14', '2025-05-17', '2026-05-14'];
    for (let round = 0; round < 2; round++) {
      const requests = [
        ...[1, 5, 11, 365, 366, 730, 731, 36_500].map((days) => () => market.days('bitcoin', days, 'json')),
        ...froms.flatMap((from) =>
          (['hour', 'day'] as const).flatMap((interval) => [
            () => market.range('bitcoin', interval, date(from), date(from) + 30 * DAY, 'json'),
            () => market.range('bitcoin', interval, date(from), TODAY, 'json'),
          ]),
        ),
        ...froms.map((from) => () => market.date('bitcoin', date(from), 'json')),
      ];
      for (const request of requests) await Promise.resolve(request()).catch(() => undefined);
      await market.idle();
      clock.advance(DAY);
    }
    const charts = sandbox.calls.filter(({ path }) => path.includes('/market_chart'));
    expect(charts.length).toBeGreaterThan(8);
    for (const { query, at } of charts) {
      const days = query.days === undefined ? (at - Number(query.from) * SECOND) / DAY : Number(query.days);
      expect(days, JSON.stringify(query)).toBeLessThanOrEqual(historyDays);
    }
    expect(market.warnings().map(warningText)).toEqual([]);
  });

  test('of two years returns two years', async () => {
    const { market, cost } = await openWith('basic');
    expect(await cost(() => market.days('bitcoin', 30, 'json'))).toEqual(['730']);
    const response = await market.range('bitcoin', 'day', date('2024-01-01'), date('2026-05-14'), 'json');
    expect(response.gaps).toEqual(['2024-01-01/2024-05-15']);
    expect(timesOf(response)[0]).toBe(date('2024-05-16'));
  });
});

describe('a plan whose range is smaller than configured', () => {
  const whole = (market: TestMarket['market']) =>
    market.range('bitcoin', 'day', date('2013-04-28'), date('2026-05-14'), 'json');

  test.each<[CoinGeckoPlanName, CoinGeckoPlanName, string[], string]>([
    ['pro', 'basic', ['max', '730'], '2013-04-28/2024-05-15'],
    ['pro', 'demo', ['max', '365'], '2013-04-28/2025-05-15'],
    ['basic', 'demo', ['730', '365'], '2013-04-28/2025-05-15'],
  ])('%s, and it is %s: is detected by one rejection', async (configured, plan, calls, gap) => {
    const { market, sandbox, cost } = await openWith(configured, plan);
    expect(await cost(() => whole(market))).toEqual(calls);
    const { gaps, isImmutable, outcome } = await whole(market);
    expect({ gaps, isImmutable, failure: outcome.failure }).toEqual({
      gaps: [gap],
      isImmutable: false,
      failure: undefined,
    });
    expect(market.warnings().map(warningText)).toEqual([
      `coingecko: the history reaches back ${calls[1]} days, which is less than COINGECKO_PLAN allows`,
    ]);

    for (let again = 0; again < 3; again++) expect(await cost(() => whole(market))).toEqual([]);
    const old = () => market.date('bitcoin', date('2020-01-01'), 'json');
    const hours = () => market.range('bitcoin', 'hour', date('2020-01-01'), date('2020-01-02'), 'json');
    for (const request of [old, hours]) {
      expect(
        await cost(() => expect(request()).rejects.toMatchObject({ status: 503, code: 'upstream_unavailable' })),
      ).toEqual([]);
    }
    expect(await cost(() => market.days('solana', 30, 'json')), 'applies to every token').toEqual([calls[1]]);
    expect(sandbox.countCalls()).toBeLessThan(10);
  });

  test('still has its newer gaps filled, without a pause', async () => {
    const { clock, market, cost } = await openWith('pro', 'demo');
    await cost(() => whole(market));
    clock.goTo('2026-05-16T00:41:00Z');
    expect(await cost(() => market.date('bitcoin', date('2026-05-16'), 'json'))).toEqual(['1']);
    expect(await cost(() => market.days('bitcoin', 10, 'json'))).toEqual(['90']);
  });

  test('is detected with hours as well, and the hours within the range are in the same response', async () => {
    const { market, cost } = await openWith('pro', 'demo');
    const hours = () => market.range('bitcoin', 'hour', date('2025-03-01'), date('2025-06-30'), 'json');
    const calls = await cost(hours);
    expect(calls.filter((call) => call === 'range').length).toBeLessThanOrEqual(4);
    const response = await hours();
    expect(response.gaps).toEqual(['2025-03-01T00:00:00.000Z/2025-05-15T15:59:59.999Z']);
    expect(await cost(hours)).toEqual([]);
  });

  test('is detected by each process with one call, which concurrent requests share', async () => {
    const { market, cost } = await openWith('pro', 'demo');
    const many = () => Promise.all(Array.from({ length: 20 }, () => whole(market)));
    expect(await cost(many)).toEqual(['max', '365']);
    const another = await opened.another();
    expect(await cost(async () => another.days('ethereum', 30, 'json'))).toEqual(['max', '365']);
  });

  test('that rejects the last day is retried with growing pauses', async () => {
    const { clock, market, sandbox, cost } = await openWith('pro', 'demo');
    const body = { error: { status: { error_code: 10012, error_message: 'too far' } } };
    sandbox.faults.always({ kind: 'status', status: 401, body }, { path: 'market_chart' });
    const day = async () => Promise.resolve(market.days('bitcoin', 1, 'json')).catch(() => undefined);
    expect(await cost(day)).toEqual(['1']);
    expect(await cost(day)).toEqual([]);
    clock.advance(SECOND);
    expect(await cost(day)).toEqual(['1']);
    clock.advance(SECOND);
    expect(await cost(day)).toEqual([]);
    sandbox.faults.clear();
    clock.advance(SECOND);
    expect(timesOf(await market.days('bitcoin', 1, 'json')).length).toBeGreaterThan(200);
  });

  test('that rejects everything is called only a few times', async () => {
    const { clock, market, sandbox, cost } = await openWith('pro', 'demo');
    const body = { error: { status: { error_code: 10012, error_message: 'too far' } } };
    sandbox.faults.always({ kind: 'status', status: 401, body }, { path: 'market_chart' });
    const request = () =>
      expect(whole(market)).rejects.toMatchObject({ status: 503, members: { gaps: expect.any(Array) } });
    expect((await cost(request)).length).toBeLessThanOrEqual(14);
    clock.advance(DAY);
    expect((await cost(request)).length).toBeLessThanOrEqual(1);
    expect(await cost(request)).toEqual([]);
  });
});
