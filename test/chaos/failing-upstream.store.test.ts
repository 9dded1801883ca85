import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE } from '#core/clock';
import { amount, longTimeout } from '../support/long.ts';
import {
  BY_NAME,
  DAY_CHART,
  DAYS,
  type FaultyUpstreamService,
  LATEST,
  startWithFaultyUpstream,
} from '../support/service/chaos.ts';

let service: FaultyUpstreamService;
beforeEach(async () => {
  service = await startWithFaultyUpstream();
});
afterEach(() => service?.close());

const chartOf = (token: string) => `/v1/prices/history/days?tokenName=${token}&days=1`;

/** Requests everything without HTTP, because the test covers hours. Stored data must be served. */
async function requestEverything() {
  const { market } = service.parts;
  await market.latest('bitcoin');
  for (const token of BY_NAME) await market.days(token, 1, 'json');
  await market.idle();
}

test('no request causes a call before the Retry-After of a 429 has passed', async () => {
  service.sandbox.faults.next({ kind: 'status', status: 429, headers: { 'retry-after': '600' } });
  expect((await service.ask(LATEST)).header('retry-after')).toBe('600');
  for (let minute = 0; minute < 9; minute++) {
    await service.pass(MINUTE);
    for (const path of [LATEST, DAYS, ...BY_NAME.map(chartOf)]) {
      const response = await service.ask(path);
      expect(response).toMatchObject({ status: 503, code: 'upstream_unavailable' });
      expect(Number(response.header('retry-after'))).toBeLessThanOrEqual(600);
    }
  }
  expect(service.sandbox.countCalls()).toBe(1);
  await service.pass(6 * MINUTE);
  expect((await service.ask(LATEST)).status).toBe(200);
});

test('the response to a call sent before a 429 does not close the circuit breaker', async () => {
  const held = service.sandbox.faults.hold({ path: 'solana' });
  const slow = service.ask(chartOf('solana'));
  await held.arrived(1);
  service.sandbox.faults.next({ kind: 'status', status: 429, headers: { 'retry-after': '600' } }, { path: 'markets' });
  expect((await service.ask(LATEST)).status).toBe(503);
  held.release();
  expect((await slow).status).toBe(200);
  const made = service.sandbox.countCalls();
  expect((await service.ask(chartOf('ethereum'))).status).toBe(503);
  await service.pass(9 * MINUTE);
  expect((await service.ask(chartOf('arweave'))).status).toBe(503);
  expect(service.sandbox.countCalls()).toBe(made);
});

describe('an upstream that is down for a day', () => {
  test('is called less often over time: at most one probe in five minutes', async () => {
    await requestEverything();
    service.sandbox.faults.always({ kind: 'status', status: 500 });
    service.clock.advance(6 * HOUR);
    for (let minute = 0; minute < HOUR / MINUTE; minute++) {
      await requestEverything();
      service.clock.advance(MINUTE);
    }
    service.sandbox.clearCalls();
    for (let minute = 0; minute < (2 * HOUR) / MINUTE; minute++) {
      await requestEverything();
      service.clock.advance(MINUTE);
    }
    expect(service.sandbox.countCalls()).toBeGreaterThan(0);
    expect(service.sandbox.countCalls()).toBeLessThanOrEqual((2 * HOUR) / (5 * MINUTE));
  });

  test('is used again within ten minutes of its recovery', async () => {
    await requestEverything();
    service.sandbox.faults.always({ kind: 'reset' });
    for (let minute = 0; minute < 60; minute++) {
      service.clock.advance(MINUTE);
      await requestEverything();
    }
    await service.parts.allowance.poll();
    expect((await service.ask(LATEST)).cache?.fwd).toBe('stale');
    service.sandbox.faults.clear();
    for (let minute = 0; minute < 10; minute++) {
      service.clock.advance(MINUTE);
      await requestEverything();
    }
    await service.parts.allowance.poll();
    expect((await service.ask(LATEST)).cache?.hit).toBe(true);
  });
});

test('a kind of response that is invalid for days does not use up the budget of the others', {
  timeout: longTimeout,
}, async () => {
  await requestEverything();
  service.sandbox.faults.always({ kind: 'wrongTypes' }, { path: 'market_chart' });
  service.clock.advance(7 * HOUR);
  // The tokens are newly requested, so the first fetch may not contain all of them.
  await requestEverything();
  service.sandbox.clearCalls();
  const hours = amount(2, 24);
  for (let at = 0; at < hours * HOUR; at += 2 * MINUTE) {
    service.clock.advance(2 * MINUTE);
    await requestEverything();
  }
  // Five tokens: the attempts of the first hour, then one attempt an hour.
  expect(service.sandbox.countCalls('/market_chart')).toBeLessThanOrEqual(5 * (12 + hours));
  expect(service.sandbox.countCalls('/coins/markets')).toBe(hours * 10);
  await service.parts.allowance.poll();
  expect((await service.ask(LATEST)).cache?.detail).not.toBe('unexpected');
  expect((await service.ask(DAY_CHART)).status).toBe(200);
});
