import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '#core/clock';
import type { Fault } from '#sandbox/faults';
import { type FaultyUpstreamService, LATEST, startWithFaultyUpstream } from '../support/service/chaos.ts';
import { METRICS_ON, openScrape } from '../support/service/metrics.ts';

let service: FaultyUpstreamService;
beforeEach(async () => {
  const settings = { ...METRICS_ON, COINGECKO_REFRESH: 'latest=1m,chart=5m', UPSTREAM_TIMEOUT_MS: '300' };
  service = await startWithFaultyUpstream({ settings });
});
afterEach(() => service?.close());

const CHART = '/v1/prices/history/days?tokenName=arweave&days=1';
const warnings = async () => (await (await service.get('/health/ready')).json()).warnings as string[];
const openPaths = async () => {
  const scrape = await openScrape(service);
  const series = await scrape.series();
  await scrape.close();
  const read = (name: string) => series.get(`quotient_upstream_${name}{upstream="coingecko"}`);
  return [read('breaker_state'), read('paused_paths')];
};

describe.each<[string, Fault]>([
  ['a 500', { kind: 'status', status: 500 }],
  ['a page instead of JSON', { kind: 'html' }],
])('if one chart is answered with %s', (_name, fault) => {
  test('every other price stays fresh, and the warning names the chart', async () => {
    service.sandbox.faults.always(fault, { path: '/coins/arweave/' });
    for (let passed = 0; passed < 20 * MINUTE; passed += 30 * SECOND) {
      await service.pass(30 * SECOND);
      await service.ask(CHART);
      await service.ask(LATEST);
      await service.parts.market.idle();
      expect((await service.ask(LATEST)).cache).toMatchObject({ hit: true });
    }
    expect((await service.ask('/v1/prices/history/days?tokenName=solana&days=1')).status).toBe(200);
    expect(await warnings()).toEqual([expect.stringMatching(/^chart:arweave: /)]);
    expect(await openPaths()).toEqual([0, 1]);

    service.sandbox.faults.clear();
    await service.pass(10 * MINUTE);
    expect((await service.ask(CHART)).status).toBe(200);
    expect(await warnings()).toEqual([]);
    expect(await openPaths()).toEqual([0, 0]);
  });
});

test('a failure that nothing has repeated for an hour is not reported', async () => {
  service.sandbox.faults.always({ kind: 'html' }, { path: '/coins/arweave/' });
  await service.ask(CHART);
  expect(await warnings()).toEqual([expect.stringMatching(/^chart:arweave: /)]);
  service.sandbox.faults.clear();
  await service.pass(HOUR);
  expect(await warnings()).toEqual([expect.stringMatching(/^chart:arweave: /)]);
  await service.pass(5 * MINUTE);
  expect(await warnings()).toEqual([]);
});

test('the source is paused by its own word, whichever path it answers with it', async () => {
  const maintenance: Fault = { kind: 'status', status: 503, headers: { 'retry-after': '3600' } };
  service.sandbox.faults.next(maintenance, { path: '/coins/arweave/' });
  expect((await service.ask(CHART)).status).toBe(503);
  const calls = service.sandbox.countCalls();
  await service.pass(HOUR / 2);
  expect(await service.ask(LATEST)).toMatchObject({ status: 503, code: 'upstream_unavailable' });
  expect(service.sandbox.countCalls()).toBe(calls);
  await service.pass(HOUR / 2);
  expect((await service.ask(LATEST)).status).toBe(200);
});

test('a connection that fails pauses the source', async () => {
  service.sandbox.faults.always({ kind: 'reset' }, { path: '/coins/arweave/' });
  for (let i = 0; i < 3; i++) {
    await service.ask(CHART);
    await service.pass(5 * SECOND);
  }
  const calls = service.sandbox.countCalls();
  expect((await service.ask(LATEST)).status).toBe(503);
  expect(service.sandbox.countCalls()).toBe(calls);
});
