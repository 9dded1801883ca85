import { afterEach, beforeEach, expect, test } from 'vitest';
import { DAY, HOUR } from '#core/clock';
import { amount, longTimeout } from '../support/long.ts';
import {
  BY_NAME,
  DAYS,
  type FaultyUpstreamService,
  LATEST,
  startWithFaultyUpstream,
} from '../support/service/chaos.ts';

const BUDGET = amount(25, 40);
let service: FaultyUpstreamService;
beforeEach(async () => {
  service = await startWithFaultyUpstream({
    start: '2026-05-02T00:00:00Z',
    settings: { COINGECKO_CALLS_PER_MONTH: String(BUDGET) },
  });
});
afterEach(() => service?.close());

const chartOf = (token: string) => `/v1/prices/history/days?tokenName=${token}&days=1`;

test('a budget used up by retries: no further call, stored data is served, and its headers are consistent', {
  timeout: longTimeout,
}, async () => {
  await service.ask(LATEST);
  await service.ask(DAYS);
  service.sandbox.faults.always({ kind: 'status', status: 500 });
  for (let hour = 0; hour < amount(3, 28) * 24; hour++) {
    service.clock.advance(HOUR);
    // Resources without stored data are requested regardless of the schedule, to check whether the upstream is back.
    await Promise.allSettled(BY_NAME.map(async (token) => service.parts.market.days(token, 3, 'json')));
    await service.parts.market.idle();
  }
  expect(service.sandbox.countCalls()).toBe(BUDGET);

  await service.parts.allowance.poll();
  for (const path of [LATEST, DAYS]) {
    const response = await service.ask(path);
    expect(response.status).toBe(200);
    expect(Number(response.header('age'))).toBeGreaterThan(DAY / 1000);
    const lifetime = Number(/^private, max-age=(\d+), /.exec(response.header('cache-control') ?? '')?.[1]);
    expect(lifetime - Number(response.header('age'))).toBeLessThanOrEqual(3600);
    expect(Number.isInteger(response.cache?.ttl)).toBe(true);
  }
  const fresh = await service.ask(chartOf('solana'));
  expect(fresh).toMatchObject({ status: 503, code: 'upstream_unavailable' });
  expect(Number(fresh.header('retry-after'))).toBeGreaterThan(0);
  expect(service.sandbox.countCalls()).toBe(BUDGET);

  service.sandbox.faults.clear();
  service.clock.goTo('2026-06-01T00:01:00Z');
  await service.pass(0);
  await service.ask(LATEST);
  await service.parts.market.idle();
  expect((await service.ask(LATEST)).cache).toMatchObject({ hit: true });
  expect((await service.ask(chartOf('solana'))).status).toBe(200);
});
