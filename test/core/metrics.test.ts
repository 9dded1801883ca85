import { expect, test } from 'vitest';
import { addLeaseReadings, createLedgerMetrics } from '#accounts/metrics';
import { createRegistry } from '#core/metrics';
import { addOutboxReadings } from '#notifications/metrics';
import { addRequestReadings, createRequestHistograms } from '#server/request-metrics';
import { addStalenessReadings, addUpstreamReadings, createUpstreamRecording } from '#upstream/metrics';
import { seriesOf } from '../support/service/metrics.ts';

test('how calls to an upstream ended is counted from the start, and nothing of the process is watched', async () => {
  const registry = createRegistry();
  const { observe } = createUpstreamRecording(registry, {
    observe: () => undefined,
    worked: () => undefined,
  });
  observe('coingecko')('timeout');
  const series = seriesOf(await registry.text());
  const callsOf = (outcome: string, cause: string) =>
    series.get(`quotient_upstream_calls_total{upstream="coingecko",outcome="${outcome}",cause="${cause}"}`);
  expect([callsOf('failed', 'timeout'), callsOf('ok', '')]).toEqual([1, 0]);
  expect([...series.keys()].filter((name) => !name.startsWith('quotient_upstream_calls'))).toEqual([]);
});

test('how long calls waited for the ledger, and how far apart all is settled', async () => {
  const registry = createRegistry();
  const { wait } = createLedgerMetrics(registry);
  addLeaseReadings(registry, () => ({
    ...{ leases: 0, granted: 0, unspent: 0, unsettled: 0, settled: 0, refunded: 0, tick: 2_500 },
    sinceConfirmed: Number.POSITIVE_INFINITY,
  }));
  for (const ms of [0.1, 0.5, 1, 6, 10]) wait(ms);
  const series = seriesOf(await registry.text());
  expect(series.get('quotient_ledger_tick_seconds')).toBe(2.5);
  const upTo = (bound: string) => series.get(`quotient_ledger_wait_seconds_bucket{le="${bound}"}`);
  expect(['0.001', '0.005', '0.01'].map(upTo)).toEqual([3, 3, 5]);
  expect(series.get('quotient_ledger_wait_seconds_count')).toBe(5);
});

test('what is read is read anew each time', async () => {
  const registry = createRegistry();
  const requests = createRequestHistograms();
  addRequestReadings(registry, requests);
  addUpstreamReadings(registry, () => [{ upstream: 'node-1', breaker: 'half_open' }]);
  requests.observe('/v1/tokens', 'GET', 200, 0.004);
  requests.observe('/v1/tokens', 'GET', 200, 60);
  await registry.text();
  requests.observe('/v1/tokens', 'GET', 200, 0.005);
  const series = seriesOf(await registry.text());
  const labels = 'route="/v1/tokens",method="GET",status="200"';
  expect(series.get(`quotient_http_requests_total{${labels}}`)).toBe(3);
  const upTo = (bound: string) => series.get(`quotient_http_request_duration_seconds_bucket{${labels},le="${bound}"}`);
  expect(['0.001', '0.005', '5', '+Inf'].map(upTo)).toEqual([0, 2, 2, 3]);
  expect(series.get(`quotient_http_request_duration_seconds_sum{${labels}}`)).toBeCloseTo(60.009, 9);
  expect(series.get('quotient_upstream_breaker_state{upstream="node-1"}')).toBe(1);
  expect([...series.keys()].filter((name) => name.includes('budget'))).toEqual([]);
});

test('with 5,000 tokens, only those requested most recently have series', async () => {
  const registry = createRegistry();
  const kinds = ['latest', 'minute', 'hour', 'day', 'statistics'] as const;
  const rows = Array.from({ length: 5_000 }, (_, i) =>
    kinds.map((kind) => ({ token: `token-${i}`, kind, age: 1, every: 1, idle: i === 4_321 ? 0 : 10_000 - i })),
  );
  addStalenessReadings(registry, () => rows.flat());
  const series = [...seriesOf(await registry.text()).keys()].filter((name) => name.includes('token='));
  expect(series).toHaveLength(40 * kinds.length * 3);
  for (const token of ['token-4321', 'token-4999'])
    expect(series).toContain(`quotient_data_age_seconds{token="${token}",interval="latest"}`);
});

test('rows that are read asynchronously fill all gauges of the same scrape, and none if they cannot be read', async () => {
  const registry = createRegistry();
  let isFailing = false;
  const read = async () => {
    await Promise.resolve();
    if (isFailing) throw new Error('the database is away');
    return [{ kind: 'recover', messages: 2, oldest: 60 }];
  };
  addOutboxReadings(registry, read);
  const first = seriesOf(await registry.text());
  expect(first.get('quotient_outbox_messages{kind="recover"}')).toBe(2);
  expect(first.get('quotient_outbox_oldest_seconds{kind="recover"}')).toBe(60);
  isFailing = true;
  expect([...seriesOf(await registry.text()).keys()]).toEqual([]);
});
