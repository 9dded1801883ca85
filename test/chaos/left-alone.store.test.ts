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

/** Asks past the HTTP, for what takes hours; what is stored must be answered. */
async function askEverything() {
  const { market } = service.parts;
  await market.latest('bitcoin');
  for (const token of BY_NAME) await market.days(token, 1, 'json');
  await market.idle();
}

test('no call is made before the Retry-After of a 429 has passed, for any request', async () => {
  service.sandbox.faults.next({ kind: 'status', status: 429, headers: { 'retry-after': '600' } });
  expect((await service.ask(LATEST)).header('retry-after')).toBe('600');
  for (let minute = 0; minute < 9; minute++) {
    await service.pass(MINUTE);
    for (const path of [LATEST, DAYS, ...BY_NAME.map(chartOf)]) {
      const answer = await service.ask(path);
      expect(answer).toMatchObject({ status: 503, code: 'upstream_unavailable' });
      expect(Number(answer.header('retry-after'))).toBeLessThanOrEqual(600);
    }
  }
  expect(service.sandbox.countCalls()).toBe(1);
  await service.pass(6 * MINUTE);
  expect((await service.ask(LATEST)).status).toBe(200);
});

test('a call that was on its way when the 429 came does not open the way again', async () => {
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
  test('is called less and less: at most one probe in five minutes', async () => {
    await askEverything();
    service.sandbox.faults.always({ kind: 'status', status: 500 });
    service.clock.advance(6 * HOUR);
    for (let minute = 0; minute < HOUR / MINUTE; minute++) {
      await askEverything();
      service.clock.advance(MINUTE);
    }
    service.sandbox.clearCalls();
    for (let minute = 0; minute < (4 * HOUR) / MINUTE; minute++) {
      await askEverything();
      service.clock.advance(MINUTE);
    }
    expect(service.sandbox.countCalls()).toBeGreaterThan(0);
    expect(service.sandbox.countCalls()).toBeLessThanOrEqual((4 * HOUR) / (5 * MINUTE));
  });

  test('is found again within ten minutes', async () => {
    await askEverything();
    service.sandbox.faults.always({ kind: 'reset' });
    for (let minute = 0; minute < 3 * 60; minute++) {
      service.clock.advance(MINUTE);
      await askEverything();
    }
    await service.parts.allowance.poll();
    expect((await service.ask(LATEST)).cache?.fwd).toBe('stale');
    service.sandbox.faults.clear();
    for (let minute = 0; minute < 10; minute++) {
      service.clock.advance(MINUTE);
      await askEverything();
    }
    await service.parts.allowance.poll();
    expect((await service.ask(LATEST)).cache?.hit).toBe(true);
  });
});

test('one kind of answer that is wrong for days does not eat the budget of the others', {
  timeout: longTimeout,
}, async () => {
  await askEverything();
  service.sandbox.faults.always({ kind: 'wrongTypes' }, { path: 'market_chart' });
  service.clock.advance(7 * HOUR);
  service.sandbox.clearCalls();
  const hours = amount(2, 24);
  for (let at = 0; at < hours * HOUR; at += 2 * MINUTE) {
    await askEverything();
    service.clock.advance(2 * MINUTE);
  }
  // Five tokens: the first hour's tries, and then one an hour.
  expect(service.sandbox.countCalls('/market_chart')).toBeLessThanOrEqual(5 * (12 + hours));
  expect(service.sandbox.countCalls('/coins/markets')).toBe(hours * 10);
  await service.parts.allowance.poll();
  expect((await service.ask(LATEST)).cache?.detail).not.toBe('unexpected');
  expect((await service.ask(DAY_CHART)).status).toBe(200);
});

test('a deadline that expired is not waited for again by the next call of the same window', async () => {
  await service.close();
  service = await startWithFaultyUpstream({ settings: { UPSTREAM_TIMEOUT_MS: '400' } });
  service.sandbox.faults.always({ kind: 'hangBeforeHeaders' });
  expect(await service.ask(DAYS)).toMatchObject({ status: 504, code: 'upstream_timeout' });
  expect(await service.ask(DAYS)).toMatchObject({ status: 504 });
  expect(service.sandbox.countCalls()).toBeLessThanOrEqual(2);
});
