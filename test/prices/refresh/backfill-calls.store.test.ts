import { afterEach, describe, expect, test } from 'vitest';
import { BUILT_IN_NAMES } from '#catalogue/token';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { createTestClock } from '../../../fixtures/clock.ts';
import { openTestMarket, type TestMarket, timesOf } from '../../support/service/market.ts';

let opened: TestMarket;
afterEach(() => opened.close());
const date = (iso: string) => Date.parse(`${iso}T00:00:00Z`);

async function openAt(now: string, options: Parameters<typeof openTestMarket>[1] = {}) {
  const clock = createTestClock(now);
  opened = await openTestMarket(clock, options);
  const { market, sandbox } = opened;
  /** The calls that an action caused, including background refreshes. */
  async function cost(action: () => unknown): Promise<string[]> {
    const before = sandbox.calls.length;
    await action();
    await market.idle();
    return sandbox.calls.slice(before).map(({ path, query }) => {
      const what = path.slice(path.lastIndexOf('/') + 1);
      return what === 'market_chart' ? `${query.days}${query.interval ? ` ${query.interval}` : ''}` : what;
    });
  }
  return { clock, market, sandbox, cost };
}

describe('the daily series', () => {
  test('is fetched in one call over the plan’s range, and its new part again when the next day is ready', async () => {
    const { clock, market, cost } = await openAt('2026-05-15T14:42:25.300Z');
    expect(await cost(() => market.days('bitcoin', 30, 'json'))).toEqual(['365 daily']);
    expect(await cost(() => market.days('bitcoin', 365, 'json'))).toEqual([]);
    expect(await cost(() => market.days('bitcoin', 11, 'csv'))).toEqual([]);
    expect(await cost(() => market.date('bitcoin', date('2025-12-24'), 'json'))).toEqual([]);
    expect(await cost(() => market.date('bitcoin', date('2026-05-15'), 'json'))).toEqual([]);
    const range = () => market.range('bitcoin', 'day', date('2025-06-01'), date('2025-07-01'), 'json');
    expect(await cost(range)).toEqual([]);

    clock.goTo('2026-05-16T00:00:00.000Z');
    expect(await cost(() => market.days('bitcoin', 30, 'json'))).toEqual(['markets']);
    clock.goTo('2026-05-16T00:39:59.999Z');
    expect(await cost(() => market.days('bitcoin', 30, 'json'))).toEqual(['markets']);
    clock.goTo('2026-05-16T00:40:00.000Z');
    expect(await cost(() => market.days('bitcoin', 30, 'json'))).toEqual(['1 daily']);
    const today = await market.date('bitcoin', date('2026-05-16'), 'json');
    expect(today.modifiedAt).toBe(date('2026-05-16'));
  });

  test('is fetched from the listing if the plan’s range includes it', async () => {
    const { market, cost } = await openAt('2026-05-15T14:42:25.300Z', { plan: 'pro' });
    expect(await cost(() => market.days('solana', 30, 'json'))).toEqual(['max daily']);
    const all = await market.days('solana', 36_500, 'json');
    expect(timesOf(all)[0]).toBe(date('2020-04-11'));
  });

  test('of one token is fetched independently of others', async () => {
    const { market, cost } = await openAt('2026-05-15T14:42:25.300Z');
    const all = () => Promise.all(BUILT_IN_NAMES.map((token) => market.days(token, 30, 'json')));
    expect(await cost(all)).toEqual(BUILT_IN_NAMES.map(() => '365 daily'));
  });

  test('fetched before its newest day was ready does not cover that day', async () => {
    const { clock, market, cost } = await openAt('2026-05-15T00:36:00.000Z');
    expect(await cost(() => market.days('bitcoin', 30, 'json'))).toEqual(['365 daily']);
    clock.goTo('2026-05-15T00:39:59.000Z');
    expect(await cost(() => market.date('bitcoin', date('2026-05-15'), 'json'))).toEqual(['markets']);
    clock.goTo('2026-05-15T00:40:00.000Z');
    const restarted = await opened.another();
    expect(await cost(() => restarted.date('bitcoin', date('2026-05-15'), 'json'))).toEqual(['1 daily']);
    expect((await market.date('bitcoin', date('2026-05-15'), 'json')).gaps).toEqual([]);
  });
});

describe('the last day', () => {
  test('is fetched in one call that provides minutes and hours', async () => {
    const { market, cost } = await openAt('2026-05-15T14:42:25.300Z');
    expect(await cost(() => market.days('bitcoin', 1, 'json'))).toEqual(['1']);
    expect(await cost(() => market.days('bitcoin', 1, 'csv'))).toEqual([]);
    const today = date('2026-05-15');
    expect(await cost(() => market.range('bitcoin', 'minute', today, today, 'json'))).toEqual([]);
    expect(await cost(() => market.range('bitcoin', 'hour', today, today, 'json'))).toEqual([]);
    const hours = timesOf(await market.range('bitcoin', 'hour', today, today, 'json'));
    expect(hours.map((at) => Math.floor((at - today) / HOUR))).toEqual([...Array(15).keys()]);
  });

  test('does not provide incomplete hours', async () => {
    const { market } = await openAt('2026-05-15T14:42:25.300Z');
    await market.days('bitcoin', 1, 'json');
    const { prisma } = opened.database;
    const first = new Date('2026-05-14T15:00:00Z');
    expect(await prisma.pointCoverage.findMany({ where: { interval: 'hour' } })).toMatchObject([{ from: first }]);
    expect(await prisma.point.count({ where: { interval: 'hour', at: { lt: first } } })).toBe(0);
  });

  test('causes no call if it is in the past, known and final', async () => {
    const { clock, market, cost } = await openAt('2026-05-14T01:00:00Z');
    await cost(() => market.days('bitcoin', 1, 'json'));
    clock.goTo('2026-05-14T23:30:00Z');
    await cost(() => market.days('bitcoin', 1, 'json'));
    clock.goTo('2026-05-15T02:30:00Z');
    const yesterday = () => market.range('bitcoin', 'minute', date('2026-05-14'), date('2026-05-14'), 'json');
    expect(await cost(yesterday)).toEqual(['1']);
    clock.goTo('2026-05-15T22:00:00Z');
    expect(await cost(yesterday)).toEqual([]);
    expect((await yesterday()).isImmutable).toBe(true);
  });
});

describe('hours', () => {
  test('are fetched in one hourly call for each stretch if they are further back', async () => {
    const { market, sandbox, cost } = await openAt('2026-05-15T14:42:25.300Z');
    const year = () => market.range('bitcoin', 'hour', date('2025-05-20'), date('2026-05-10'), 'json');
    expect(await cost(year)).toEqual(['range', 'range', 'range', 'range', '90']);
    const times = timesOf(await year());
    const hours = new Set(times.map((at) => Math.floor(at / HOUR)));
    expect(hours.size).toBe((date('2026-05-11') - date('2025-05-20')) / HOUR);
    expect((await year()).gaps).toEqual([]);
    for (const { query } of sandbox.calls.filter(({ path }) => path.endsWith('range'))) {
      expect(Number(query.to) - Number(query.from)).toBeLessThanOrEqual((90 * DAY) / SECOND);
    }
    expect(await cost(year)).toEqual([]);
  });

  test('at the limit of the range start a little later, so that the limit does not pass before the call', async () => {
    const { market, sandbox, cost } = await openAt('2026-05-15T14:59:59.999Z');
    const response = await market.range('bitcoin', 'hour', date('2025-05-15'), date('2025-05-15'), 'json');
    expect(await cost(() => undefined)).toEqual([]);
    const [call] = sandbox.calls;
    expect(Number(call?.query.from) * SECOND).toBe(Date.parse('2025-05-15T16:00:00Z'));
    expect(response.gaps).toEqual(['2025-05-15T00:00:00.000Z/2025-05-15T15:59:59.999Z']);
    expect(response.isImmutable).toBe(false);
  });

  test('of different spans that are requested concurrently are each fetched', async () => {
    const { market, cost } = await openAt('2026-05-15T14:42:25.300Z');
    const months = ['2025-06-01', '2025-09-01', '2025-12-01', '2026-04-01'].map(date);
    const responses: Awaited<ReturnType<typeof market.range>>[] = [];
    const all = async () => {
      const requested = months.map((from) => market.range('bitcoin', 'hour', from, from + DAY, 'json'));
      responses.push(...(await Promise.all(requested)));
    };
    expect((await cost(all)).sort()).toEqual(['90', 'range', 'range', 'range']);
    for (const response of responses) {
      expect(response.gaps).toEqual([]);
      expect(timesOf(response)).toHaveLength(48);
    }
  });
});

describe('the latest prices', () => {
  test('of all requested tokens are fetched in one call, and served until they are due', async () => {
    const { clock, market, cost } = await openAt('2026-05-15T14:42:25.300Z');
    // The first price of each token is fetched immediately.
    for (const token of BUILT_IN_NAMES) expect(await cost(() => market.latest(token))).toEqual(['markets']);
    for (const token of BUILT_IN_NAMES) expect(await cost(() => market.latest(token))).toEqual([]);
    clock.advance(2 * MINUTE - SECOND);
    expect(await cost(() => market.latest('arweave'))).toEqual([]);
    clock.advance(SECOND);
    expect(await cost(() => market.latest('arweave'))).toEqual(['markets']);
    expect(await cost(() => market.latest('bitcoin'))).toEqual([]);
    const countOf = (interval: 'minute' | 'hour') =>
      opened.database.prisma.point.count({ where: { token: 'bitcoin', interval } });
    expect([await countOf('minute'), await countOf('hour')]).toEqual([2, 1]);
  });
});

test('concurrent requests make one call, whatever they request', async () => {
  const { market, cost } = await openAt('2026-05-15T14:42:25.300Z');
  const requests = [
    () => market.latest('bitcoin'),
    () => market.days('ethereum', 1, 'json'),
    () => market.days('solana', 30, 'json'),
    () => market.date('usd-coin', date('2026-01-01'), 'json'),
    () => market.range('arweave', 'hour', date('2025-08-01'), date('2025-08-02'), 'json'),
  ];
  for (const action of requests) {
    expect(await cost(() => Promise.all(Array.from({ length: 25 }, action)))).toHaveLength(1);
  }
});

test('does not request data that no call can return, and reports a problem', async () => {
  const { market, cost } = await openAt('2026-05-15T14:42:25.300Z');
  const requests = [
    () => market.date('arweave', date('2020-01-30'), 'json'),
    () => market.range('solana', 'hour', date('2019-01-01'), date('2019-02-01'), 'json'),
    () => market.range('bitcoin', 'day', date('2015-01-01'), date('2016-01-01'), 'json'),
    () => market.range('bitcoin', 'hour', date('2024-01-01'), date('2024-01-02'), 'json'),
    () => market.range('bitcoin', 'minute', date('2026-05-01'), date('2026-05-02'), 'json'),
  ];
  for (const action of requests) {
    expect(await cost(() => expect(action()).rejects.toMatchObject({ name: 'Problem' }))).toEqual([]);
  }
});
