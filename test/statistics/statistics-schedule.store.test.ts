import { afterEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import type { TokenStatistics } from '#statistics/statistics-records';
import type { StatisticsSymbol } from '#statistics/statistics-sources';
import { statisticsBudget } from '#statistics/statistics-sources';
import { monthOf } from '#upstream/budget';
import { startWithStatistics, type Upstream, type WithStatistics } from '../support/service/statistics.ts';

let service: WithStatistics;
afterEach(() => service?.close());

const WITHOUT_KEY = { settings: { CRYPTOCOMPARE_API_KEY: '' } };

/** The statistics after all due fetches. */
async function fresh(token: StatisticsSymbol) {
  await service.stats(token);
  await service.parts.statistics.idle();
  return service.stats(token);
}

describe('statistics are fetched once an hour', () => {
  test('while there are requests, however many, and not without requests', async () => {
    service = await startWithStatistics(WITHOUT_KEY);
    for (let minutes = 0; minutes < 6 * 60; minutes += 20) {
      await Promise.all(Array.from({ length: 5 }, () => service.stats('btc')));
      await fresh('btc');
      await service.pass(20 * MINUTE);
    }
    expect(service.calls('bitcoin-stats')).toBe(6);
    await service.pass(DAY);
    expect(service.calls()).toBe(6);
    await fresh('btc');
    expect(service.calls()).toBe(7);
  });

  test('in the background if data is only stale, and once for all concurrent requests', async () => {
    service = await startWithStatistics(WITHOUT_KEY);
    const before = await service.stats('btc');
    await service.pass(HOUR);
    const held = service.sandbox.faults.hold({ path: '/bitcoin' });
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.stats('btc')));
    for (const { body, cache } of responses) {
      expect(body).toBe(before.body);
      expect(cache).toEqual({ cache: 'quotient', fwd: 'stale', ttl: 0, detail: 'refreshing' });
    }
    await held.arrived(1);
    held.release();
    await service.parts.statistics.idle();
    expect((await service.stats('btc')).cache).toEqual({ cache: 'quotient', hit: true, ttl: 3600 });
    expect(service.calls()).toBe(2);
  });

  test('and after a restart not before they are due: the responses are the same', async () => {
    service = await startWithStatistics();
    const before = new Map<StatisticsSymbol, string>();
    for (const token of ['btc', 'ar', 'eth', 'sol'] as const) before.set(token, (await service.stats(token)).body);
    const calls = service.calls();
    await service.pass(59 * MINUTE);
    const restarted = await service.another();
    for (const [token, body] of before) {
      expect(String((await restarted.statistics.latest(token)).body.identity.payload)).toBe(body);
    }
    expect(service.calls()).toBe(calls);
  });
});

describe('a value computed from two samples', () => {
  /** The records every six hours. */
  const recordsOf = async (times: number) => {
    const records: Record<'sol' | 'eth', TokenStatistics[]> = { sol: [], eth: [] };
    for (let time = 0; time < times; time++) {
      for (const token of ['sol', 'eth'] as const) {
        const { record } = await fresh(token);
        if (record) records[token].push(record);
      }
      await service.pass(6 * HOUR);
    }
    return records;
  };

  test('is null for the first day, and then the increase of the counter since the day before', async () => {
    service = await startWithStatistics(WITHOUT_KEY);
    const { sol, eth } = await recordsOf(6);
    expect([sol.length, eth.length]).toEqual([6, 6]);
    for (let place = 0; place < 4; place++) {
      expect([sol[place]?.transaction_count, eth[place]?.new_addresses]).toEqual([null, null]);
      expect([sol[place]?.reasons.transaction_count, eth[place]?.reasons.new_addresses]).toEqual([
        'pending',
        'pending',
      ]);
    }
    for (let place = 4; place < 6; place++) {
      const grown = (all: TokenStatistics[], counter: keyof TokenStatistics) =>
        Number(all[place]?.[counter]) - Number(all[place - 4]?.[counter]);
      expect(sol[place]?.transaction_count).toBe(grown(sol, 'transaction_count_all_time'));
      expect(sol[place]?.transaction_count).toBeGreaterThan(100_000_000);
      expect(eth[place]?.new_addresses).toBe(grown(eth, 'unique_addresses_all_time'));
      // The source itself reports one of the day's two values.
      expect(eth[place]?.transaction_count).not.toBe(grown(eth, 'transaction_count_all_time'));
      expect(sol[place]?.new_addresses).toBeNull();
      expect(sol[place]?.reasons).toMatchObject({ new_addresses: 'not_reported' });
      expect(sol[place]?.reasons).not.toHaveProperty('transaction_count');
    }
  });

  test('survives a restart, and is not computed from two sources', async () => {
    service = await startWithStatistics(WITHOUT_KEY);
    await fresh('eth');
    await service.pass(DAY);
    const withKey = await service.another({ CRYPTOCOMPARE_API_KEY: 'a-key' });
    const read = async () => JSON.parse(String((await latest()).body.identity.payload)) as TokenStatistics;
    const latest = async () => {
      await withKey.statistics.latest('eth');
      await withKey.statistics.idle();
      return withKey.statistics.latest('eth');
    };
    expect((await latest()).source).toBe('cryptocompare');
    await service.pass(HOUR);
    service.fail('cryptocompare');
    expect((await latest()).source).toBe('ethereum-stats');
    // The sample of a day ago is an hour too old, and the sample in between is from another source.
    expect((await read()).new_addresses).toBeNull();
    await service.pass(DAY - HOUR + 20 * MINUTE);
    expect((await read()).new_addresses).toBeNull();
    await service.pass(HOUR);
    expect((await read()).new_addresses).toBeGreaterThan(0);
  });
});

test('after the clock was set back by an hour, they are fetched once and are then fresh', async () => {
  service = await startWithStatistics(WITHOUT_KEY);
  await fresh('btc');
  service.clock.set(-HOUR);
  await service.parts.allowance.poll();
  for (let i = 0; i < 3; i++) {
    const { status, header, cache } = await fresh('btc');
    expect([status, header('age')]).toEqual([200, '0']);
    expect(cache).toEqual({ cache: 'quotient', hit: true, ttl: 3600 });
  }
  expect(service.calls()).toBe(2);
  await service.pass(HOUR);
  await fresh('btc');
  expect(service.calls()).toBe(3);
});

describe('a budget that is running low', () => {
  /** Starts the process when this many calls of an upstream's month are left. */
  async function startWith(left: Partial<Record<Upstream, number>>, settings = {}) {
    service = await startWithStatistics({ settings });
    const monthStart = new Date(monthOf(service.clock.now()).start);
    for (const [upstream, calls] of Object.entries(left)) {
      const monthSpent = statisticsBudget(upstream as Upstream).perMonth - calls;
      const row = { upstream, monthSpent, monthStart, minuteSpent: 0, minuteStart: monthStart };
      await service.database.prisma.budget.create({ data: row });
    }
    return service.another(settings);
  }

  test('makes the statistics be fetched less often, in proportion', async () => {
    const { statistics } = await startWith({ 'bitcoin-stats': 230 }, { CRYPTOCOMPARE_API_KEY: '' });
    const { dueAt } = await statistics.latest('btc');
    const now = service.clock.now();
    // 2 % of the month's calls are reserved. One call was just spent.
    const left = 229 - 0.02 * statisticsBudget('bitcoin-stats').perMonth;
    expect(dueAt - now).toBeCloseTo((monthOf(now).end - now) / left, -3);
    expect(dueAt - now).toBeGreaterThan(1.5 * HOUR);
  });

  test('and is then spent makes the next source be called', async () => {
    const { statistics } = await startWith({ cryptocompare: 0 });
    const { source, dueAt } = await statistics.latest('btc');
    expect(source).toBe('bitcoin-stats');
    expect(dueAt - service.clock.now()).toBe(HOUR);
    expect(service.calls('cryptocompare')).toBe(0);
  });

  test('and is then spent for all sources makes stored data be served until a new month starts', async () => {
    const { statistics } = await startWith({ cryptocompare: 1, 'bitcoin-stats': 0 });
    const { body } = await statistics.latest('btc');
    await service.pass(5 * HOUR);
    const later = await statistics.latest('btc');
    expect(later.body).toBe(body);
    expect(later.dueAt).toBe(monthOf(service.clock.now()).end);
    expect(service.calls()).toBe(1);
    service.clock.goTo('2026-06-01T00:00:00Z');
    await statistics.latest('btc');
    await statistics.idle();
    expect(service.calls()).toBe(2);
  });

  test('and is then spent, is reported if nothing is stored', async () => {
    const { statistics } = await startWith({ cryptocompare: 0, 'bitcoin-stats': 0 });
    await expect(Promise.resolve(statistics.latest('btc'))).rejects.toMatchObject({
      code: 'upstream_unavailable',
      headers: { 'retry-after': '60' },
    });
    expect(service.calls()).toBe(0);
  });
});
