import { expect, test } from 'vitest';
import { createMetrics, type Readings } from '#core/metrics/metrics';
import { createRequestHistograms } from '#server/recording/request-histogram';
import { seriesOf } from '../../support/service/metrics.ts';

const requests = createRequestHistograms();
const readings: Readings = {
  requests: requests.all,
  upstreams: () => [{ upstream: 'node-1', breaker: 'half_open' }],
  staleness: () => [],
  memory: () => ({ bytes: 0, mostBytes: 1 }),
  leases: () => ({
    ...{ leases: 0, granted: 0, unspent: 0, unsettled: 0, settled: 0, refunded: 0, tick: 2_500 },
  }),
  isDatabaseUp: async () => false,
};

test('before anything is to be read, nothing of the process is watched', async () => {
  const metrics = createMetrics();
  metrics.upstream('coingecko')('timeout');
  const series = seriesOf(await metrics.text());
  expect(
    series.get('quotient_upstream_calls_total{upstream="coingecko",outcome="failed",cause="timeout"}'),
  ).toBe(1);
  expect(
    [...series.keys()].filter(
      (name) => !/^quotient_(upstream_calls|ledger_statements|ledger_wait)/.test(name),
    ),
  ).toEqual([]);
});

test('how long calls waited for the ledger, and how far apart all is settled', async () => {
  const metrics = createMetrics();
  metrics.read(readings);
  for (const ms of [0.1, 0.5, 1, 6, 10]) metrics.ledgerWait(ms);
  const series = seriesOf(await metrics.text());
  expect(series.get('quotient_ledger_tick_seconds')).toBe(2.5);
  const upTo = (bound: string) => series.get(`quotient_ledger_wait_seconds_bucket{le="${bound}"}`);
  expect(['0.001', '0.005', '0.01'].map(upTo)).toEqual([3, 3, 5]);
  expect(series.get('quotient_ledger_wait_seconds_count')).toBe(5);
});

test('what is read is read anew each time', async () => {
  const metrics = createMetrics();
  metrics.read(readings);
  requests.observe('/v1/tokens', 'GET', 200, 0.004);
  requests.observe('/v1/tokens', 'GET', 200, 60);
  await metrics.text();
  requests.observe('/v1/tokens', 'GET', 200, 0.005);
  const series = seriesOf(await metrics.text());
  const labels = 'route="/v1/tokens",method="GET",status="200"';
  expect(series.get(`quotient_http_requests_total{${labels}}`)).toBe(3);
  const upTo = (bound: string) =>
    series.get(`quotient_http_request_duration_seconds_bucket{${labels},le="${bound}"}`);
  expect(['0.001', '0.005', '5', '+Inf'].map(upTo)).toEqual([0, 2, 2, 3]);
  expect(series.get(`quotient_http_request_duration_seconds_sum{${labels}}`)).toBeCloseTo(60.009, 9);
  expect(series.get('quotient_database_up')).toBe(0);
  expect(series.get('quotient_upstream_breaker_state{upstream="node-1"}')).toBe(1);
  expect([...series.keys()].filter((name) => name.includes('budget'))).toEqual([]);
});
