import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#core/clock';
import { amount, longTimeout } from '../support/long.ts';
import {
  DAY_CHART,
  DAYS,
  type FaultyUpstreamService,
  LATEST,
  startWithFaultyUpstream,
} from '../support/service/chaos.ts';

let service: FaultyUpstreamService;
beforeEach(async () => {
  service = await startWithFaultyUpstream();
  for (const path of [LATEST, DAY_CHART, DAYS]) expect((await service.ask(path)).status).toBe(200);
  service.sandbox.clearCalls();
});
afterEach(() => service?.close());

const ALL = [LATEST, DAY_CHART, DAYS];
async function requestAll() {
  const responses = [];
  for (const path of ALL) responses.push(await service.ask(path));
  await service.parts.market.idle();
  return responses;
}

test('a day forward: all due data is fetched once, and is fresh afterwards', async () => {
  service.clock.set(DAY);
  await service.parts.allowance.poll();
  for (let i = 0; i < 3; i++) for (const { status } of await requestAll()) expect(status).toBe(200);
  expect(service.sandbox.countCalls('/coins/markets')).toBe(1);
  expect(service.sandbox.countCalls()).toBe(3); // the day's chart and the new day's row
  for (const { cache } of await requestAll()) expect(cache).toMatchObject({ hit: true });
});

test('an hour back: data from the future is fetched again, and no age is negative', async () => {
  service.clock.set(-HOUR);
  await requestAll();
  expect(service.sandbox.countCalls('/coins/markets')).toBe(1);
  const responses = await requestAll();
  for (const { status, header } of responses) {
    expect(status).toBe(200);
    expect(Number(header('age'))).toBeGreaterThanOrEqual(0);
    expect(Number(/max-age=(\d+)/.exec(header('cache-control') ?? '')?.[1])).toBeLessThanOrEqual(360);
  }
  const made = service.sandbox.countCalls();
  await requestAll();
  expect(service.sandbox.countCalls()).toBe(made);

  // The schedule applies from there on.
  await service.pass(6 * MINUTE);
  await requestAll();
  expect(service.sandbox.countCalls('/coins/markets')).toBe(2);
});

test('an hour back while the upstream is down: stored data is served', async () => {
  service.sandbox.faults.always({ kind: 'status', status: 500 });
  service.clock.set(-HOUR);
  await requestAll();

  for (const { status, header, cache } of await requestAll()) {
    expect(status).toBe(200);
    expect(cache?.fwd).toBe('stale');
    expect(Number(header('age'))).toBe(0);
  }
});

test.each([-3 * 365 * DAY, 26 * DAY])('%i ms and back again change no rate', async (step) => {
  for (const way of [step, -step]) {
    service.clock.set(way);
    await service.parts.allowance.poll();
    service.sandbox.clearCalls();
    // Each resource is fetched at most once, and each of its retries waits for the schedule.
    for (let round = 0; round < 10; round++) {
      for (const { status } of await requestAll()) expect(status).toBeLessThan(500);
      await service.parts.poll();
    }
    expect(service.sandbox.countCalls()).toBeLessThanOrEqual(2 * ALL.length);
  }
  for (const { status, header } of await requestAll()) {
    expect(status).toBe(200);
    expect(Number(header('age'))).toBeGreaterThanOrEqual(0);
  }
});

test('a clock correction by a few seconds causes no call', async () => {
  service.clock.set(-3 * SECOND);
  for (const { status } of await requestAll()) expect(status).toBe(200);
  expect(service.sandbox.countCalls()).toBe(0);
});

test('a day forward and back again leaves no gap in the archive', { timeout: longTimeout }, async () => {
  service.clock.set(DAY);
  await service.parts.allowance.poll();
  await requestAll();
  service.clock.set(-DAY);
  await requestAll();
  service.sandbox.clearCalls();
  const step = amount(2, 1) * HOUR;
  for (let passed = 0; passed < 2 * DAY; passed += step) {
    await service.pass(step);
    await requestAll();
  }
  const [, chart, days] = await requestAll();
  expect(chart?.header('quotient-gaps')).toBeUndefined();
  expect(days?.header('quotient-gaps')).toBeUndefined();
  const { prices } = JSON.parse(days?.body ?? '')[0] as { prices: { date: string }[] };
  const midnights = prices.filter(({ date }) => date.endsWith('00:00:00 GMT'));
  expect(midnights.at(-1)?.date).toBe('Sun, 17 May 2026 00:00:00 GMT');
  expect(midnights).toHaveLength(30);
});
