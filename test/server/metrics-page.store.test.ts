import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { DAY_CHART, DAYS, LATEST } from '../support/service/chaos.ts';
import { METRICS_ON, openScrape, type Scrape, type Series } from '../support/service/metrics.ts';
import { BROKEN, STATS, startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

const START = '2026-05-15T14:10:06Z';
let service: WithStatistics;
let scrape: Scrape;
beforeEach(async () => {
  const settings = { ...METRICS_ON, CRYPTOCOMPARE_API_KEY: '', COINGECKO_CALLS_PER_MONTH: '10000' };
  service = await startWithStatistics({ settings, start: START });
  scrape = await openScrape(service);
});
afterEach(async () => {
  await scrape?.close();
  await service?.close();
});

const stateOf = (series: Series, upstream: string) =>
  series.get(`quotient_upstream_breaker_state{upstream="${upstream}"}`);
const spentOf = (series: Series, upstream: string) =>
  series.get(`quotient_upstream_budget_spent_calls{upstream="${upstream}"}`);
const callsOf = (series: Series, upstream: string, outcome: string, cause = '') =>
  series.get(`quotient_upstream_calls_total{upstream="${upstream}",outcome="${outcome}",cause="${cause}"}`);

test('a failing upstream is visible in its calls, breaker and budget', async () => {
  const first = await scrape.series();
  expect([stateOf(first, 'coingecko'), spentOf(first, 'coingecko')]).toEqual([0, 0]);
  expect(first.get('quotient_upstream_budget_limit_calls{upstream="coingecko"}')).toBe(10_000);
  expect(callsOf(first, 'coingecko', 'failed', 'not_json')).toBe(0);

  service.sandbox.faults.always(BROKEN, { path: /coins/ });
  for (let i = 0; i < 5; i++) {
    await service.ask(LATEST);
    await service.pass(10 * MINUTE);
  }
  const failed = await scrape.series();
  expect(callsOf(failed, 'coingecko', 'failed', 'not_json')).toBe(5);
  expect(callsOf(failed, 'coingecko', 'ok')).toBe(0);
  expect(spentOf(failed, 'coingecko')).toBe(5);
  expect(stateOf(failed, 'coingecko')).toBe(1);

  await service.ask(LATEST);
  expect(stateOf(await scrape.series(), 'coingecko')).toBe(2);
  await service.ask(LATEST);
  expect(callsOf(await scrape.series(), 'coingecko', 'failed', 'not_json')).toBe(6);

  service.sandbox.faults.clear();
  await service.pass(10 * MINUTE);
  expect((await service.ask(LATEST)).status).toBe(200);
  const well = await scrape.series();
  expect(stateOf(well, 'coingecko')).toBe(0);
  expect([callsOf(well, 'coingecko', 'ok'), spentOf(well, 'coingecko')]).toEqual([1, 7]);
  expect(stateOf(well, 'bitcoin-stats')).toBe(0);
});

test('a new month starts with an unused budget, even before its first call', async () => {
  await service.ask(LATEST);
  expect(spentOf(await scrape.series(), 'coingecko')).toBe(1);
  await service.pass(20 * DAY);
  expect(spentOf(await scrape.series(), 'coingecko')).toBe(0);
});

describe('the age of stored data', () => {
  const of = (series: Series, figure: string, token: string, interval: string) =>
    series.get(`quotient_data_${figure}_seconds{token="${token}",interval="${interval}"}`);

  test('exists for each requested token and interval, and follows the clock', async () => {
    for (const path of [LATEST, DAY_CHART, DAYS, `${STATS}?token=btc`]) {
      expect((await service.ask(path)).status).toBe(200);
    }
    const now = await scrape.series();
    await service.pass(100 * SECOND);
    const later = await scrape.series();
    for (const interval of ['latest', 'minute', 'hour', 'day', 'statistics']) {
      const age = of(now, 'age', 'bitcoin', interval) ?? Number.NaN;
      expect(of(later, 'age', 'bitcoin', interval), interval).toBeCloseTo(age + 100, 3);
    }
    expect(of(now, 'age', 'bitcoin', 'latest')).toBe(0);
    expect(of(now, 'age', 'bitcoin', 'statistics')).toBe(0);
    expect(of(now, 'age', 'bitcoin', 'minute')).toBeLessThan(5 * 60);
    expect(of(now, 'age', 'bitcoin', 'hour')).toBeLessThan(3600);
    expect(of(now, 'age', 'bitcoin', 'day')).toBe((Date.parse(START) % DAY) / SECOND);
    expect(of(now, 'interval', 'solana', 'latest')).toBeUndefined();
    expect(now.get('quotient_archive_memory_bytes')).toBeGreaterThan(365 * 34);
    expect(now.get('quotient_archive_memory_limit_bytes')).toBe(128 * 1024 * 1024);
  });

  test('is reported with its interval and the time since the last request', async () => {
    await service.ask(LATEST);
    await service.ask('/v1/prices/history/date?tokenName=bitcoin&date=01-05-2026');
    await service.pass(MINUTE);
    const series = await scrape.series();
    expect(of(series, 'interval', 'bitcoin', 'latest')).toBe(6 * 60);
    expect(of(series, 'interval', 'bitcoin', 'minute')).toBe(6 * 60);
    expect(of(series, 'interval', 'bitcoin', 'hour')).toBe(HOUR / SECOND);
    expect(of(series, 'interval', 'bitcoin', 'day')).toBe(DAY / SECOND);
    expect(of(series, 'interval', 'bitcoin', 'statistics')).toBe(HOUR / SECOND);
    expect(of(series, 'idle', 'bitcoin', 'latest')).toBe(60);
    expect(of(series, 'idle', 'bitcoin', 'day'), 'a past date').toBeUndefined();
    expect(of(series, 'idle', 'solana', 'latest')).toBeUndefined();
    await service.ask(DAYS);
    expect(of(await scrape.series(), 'idle', 'bitcoin', 'day')).toBe(0);
  });

  test('has an infinite interval when the budget is spent', async () => {
    await service.close();
    await scrape.close();
    service = await startWithStatistics({ settings: { ...METRICS_ON, COINGECKO_CALLS_PER_MONTH: '0' } });
    scrape = await openScrape(service);
    await service.ask(LATEST);
    expect(of(await scrape.series(), 'interval', 'bitcoin', 'latest')).toBe(Number.POSITIVE_INFINITY);
  });
});
