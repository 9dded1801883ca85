import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { createRandom } from '../../fixtures/simulation.ts';
import { amount, longTimeout } from '../support/long.ts';
import { BY_NAME, type FaultyUpstreamService, startWithFaultyUpstream } from '../support/service/chaos.ts';

const REQUESTS = amount(250, 10_000);
const ROUNDS = amount(5, 50);
const AT_ONCE = 50;

let service: FaultyUpstreamService;
beforeEach(async () => {
  service = await startWithFaultyUpstream({
    settings: {
      ...{ UPSTREAM_TIMEOUT_MS: '500', COINGECKO_REFRESH: 'latest=1m,chart=5m' },
      MARKET_SOURCES: 'coingecko,kraken',
    },
  });
  for (const token of BY_NAME) {
    for (const path of fixed(token)) expect((await service.ask(path)).status, path).toBe(200);
  }
});
afterEach(() => service?.close());

const fixed = (token: string) => [
  `/v1/prices/latest/token?tokenName=${token}`,
  ...[1, 3, 10, 30, 365].map((days) => `/v1/prices/history/days?tokenName=${token}&days=${days}`),
  `/v1/prices/history/date?tokenName=${token}&date=01-05-2026`,
  `/v1/prices/history/date/range?tokenName=${token}&fromDate=2026-03-01&thruDate=2026-05-15`,
  `/v1/prices/history/date/range?tokenName=${token}&fromDate=2026-05-10&thruDate=2026-05-12&interval=hourly`,
  `/v1/prices/history/date/range?tokenName=${token}&fromDate=2026-05-15&thruDate=2026-05-15&interval=minute`,
];
const wrong = (token: string) => [
  `/v1/prices/history/date?tokenName=${token}&date=31-02-2026`,
  `/v1/prices/history/days?tokenName=${token}&days=0`,
  '/v1/prices/latest/token?tokenName=dogecoin',
  '/v1/user/usage',
];
const HEADERS: Record<string, string>[] = [
  {},
  { 'accept-encoding': 'br' },
  { 'accept-encoding': 'gzip' },
  { accept: 'application/json' },
  { 'if-none-match': '*' },
];
const FAULTS: Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'html', status: 502 },
  { kind: 'reset' },
  { kind: 'resetMidway' },
  { kind: 'truncated' },
  { kind: 'wrongTypes' },
  { kind: 'emptyChart' },
  { kind: 'hangMidway' },
  { kind: 'rateLimitUnder200' },
];

const random = createRandom(20_260_515);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** Sends one request. Requests for stored windows and prices must succeed. */
async function anyRequest(): Promise<number> {
  const token = pick(BY_NAME);
  const isRight = random() < 0.95;
  const path = pick(isRight ? fixed(token) : wrong(token));
  if (path === '/v1/user/usage') return (await service.get(path, { key: service.key })).status;
  const { status } = await service.ask(path, pick(HEADERS));
  expect(isRight ? [200, 304] : [400], `${path} → ${status}`).toContain(status);
  return status;
}

async function requests(count: number): Promise<Map<number, number>> {
  const seen = new Map<number, number>();
  for (let done = 0; done < count; done += AT_ONCE) {
    for (const status of await Promise.all(Array.from({ length: AT_ONCE }, anyRequest))) {
      seen.set(status, (seen.get(status) ?? 0) + 1);
    }
  }
  return seen;
}

test(`${REQUESTS} mixed requests while every second upstream call fails: only documented responses, no 5xx`, {
  timeout: longTimeout,
}, async () => {
  const seen = new Map<number, number>();
  for (let round = 0; round < ROUNDS; round++) {
    await service.pass(2 * MINUTE);
    service.sandbox.faults.clear();
    // Half of the calls fail, each in a different way.
    for (let i = 0; i < 12; i++) {
      const path = pick([/markets/, /bitcoin/, /arweave/, /ethereum/, /solana/, /usd-coin/]);
      service.sandbox.faults.next(pick(FAULTS), { path });
    }
    for (const [status, times] of await requests(REQUESTS / ROUNDS)) seen.set(status, (seen.get(status) ?? 0) + times);
  }
  await service.parts.market.idle();
  expect([...seen.keys()].sort()).toEqual([200, 304, 400]);
  expect(seen.get(200)).toBeGreaterThan(REQUESTS / 2);
  expect(service.logLines).toEqual([]);
});

test('all stored data is served while the upstream holds every call', {
  timeout: longTimeout,
}, async () => {
  await service.close();
  service = await startWithFaultyUpstream({
    settings: { UPSTREAM_TIMEOUT_MS: '60000', COINGECKO_REFRESH: 'latest=1m,chart=5m' },
  });
  for (const token of BY_NAME) for (const path of fixed(token)) await service.ask(path);
  const held = service.sandbox.faults.hold();
  let isReleased = false;
  await service.pass(7 * MINUTE);
  // Requests wait briefly for data older than twice its interval. Concurrent requests share the wait.
  const seen = await requests(amount(100, 2_000));
  await held.arrived(1);
  expect(isReleased).toBe(false);
  expect([...seen.keys()].sort()).toEqual([200, 304, 400]);
  isReleased = true;
  held.release();
  await service.parts.market.idle();
  expect((await service.ask(fixed('bitcoin')[0] ?? '')).cache).toMatchObject({ hit: true });
});
