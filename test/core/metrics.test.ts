import { expect, test } from 'vitest';
import { createRegistry } from '#core/metrics';
import { addLeaseReadings, createLedgerMetrics } from '#ledger/ledger-metrics';
import { addOutboxReadings } from '#notifications/notifications-metrics';
import { addRequestReadings, createRequestHistograms } from '#server/request-metrics';
import type { Staleness } from '#upstream/freshness';
import { addStalenessReadings } from '#upstream/upstream-metrics';
import { seriesOf } from '../support/service/metrics.ts';

test('waiting times for the ledger are reported, and the time between settlements', async () => {
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
  // The ledger has not responded yet.
  expect(series.has('quotient_ledger_confirmed_age_seconds')).toBe(false);
});

test('responses are counted by their result for the service level, from the start', async () => {
  const registry = createRegistry();
  const requests = createRequestHistograms();
  addRequestReadings(registry, requests);
  const results = async () => {
    const series = seriesOf(await registry.text());
    return ['ok', 'slow', 'rejected', 'failed'].map((result) =>
      series.get(`quotient_responses_total{result="${result}"}`),
    );
  };
  expect(await results()).toEqual([0, 0, 0, 0]);
  for (const [status, seconds] of [
    [200, 0.5],
    [304, 0.001],
    [201, 0.51],
    [200, 60],
    [404, 9],
    [429, 0],
    [503, 0.1],
  ] as const)
    requests.observe('/node/v1/tokens', 'GET', status, seconds);
  // Health checks and nodes are not part of the service level.
  for (const route of ['/health/ready', '/market/v1/node/txs']) requests.observe(route, 'GET', 503, 9);
  expect(await results()).toEqual([2, 2, 2, 1]);
});

test('ten tokens have separate series, and the worst of the requested tokens represents all others', async () => {
  const registry = createRegistry();
  const kinds = ['latest', 'minute', 'hour', 'day'] as const;
  const [age, every, idle] = [60_000, 60_000, 1_000];
  let rows: Staleness[] = [];
  addStalenessReadings(registry, () => rows);
  const fill = (tokens: number, worst: Partial<Record<number, Partial<Staleness>>> = {}) => {
    rows = Array.from({ length: tokens }, (_, i) =>
      kinds.map((kind) => ({ token: `token-${i}`, kind, age, every, idle, ...worst[i] })),
    ).flat();
  };
  const read = async () => {
    const series = seriesOf(await registry.text());
    const names = [...series.keys()].flatMap((name) => /^quotient_data_age.*token="(.*?)"/.exec(name)?.[1] ?? []);
    const other = (figure: string) => series.get(`quotient_data_${figure}_seconds{token="other",interval="hour"}`);
    return { size: series.size, names: new Set(names), others: ['age', 'interval', 'idle'].map(other) };
  };

  fill(10);
  expect((await read()).size).toBe(10 * kinds.length * 3);
  const unrequested = { age: 900_000, idle: 3_600_000 };
  fill(5_000, { 11: unrequested, 12: { age: Number.POSITIVE_INFINITY }, 4321: { age: 300_000, idle: 2_000 } });
  rows.reverse();
  const first = await read();
  expect(first.size).toBe(11 * kinds.length * 3);
  expect(first.names).toEqual(new Set([...Array.from({ length: 10 }, (_, i) => `token-${i}`), 'other']));
  expect(first.others).toEqual([300, 60, 2]);

  rows = rows.filter(({ token }) => token !== 'token-3');
  const later = await read();
  expect(later.names.size).toBe(11);
  expect(later.names).not.toContain('token-3');
});

test('readings from the database fill all gauges of one scrape, or none if they cannot be read', async () => {
  const registry = createRegistry();
  let isFailing = false;
  const read = async () => {
    await Promise.resolve();
    if (isFailing) throw new Error('the database is unavailable');
    return [{ kind: 'recover', messages: 2, oldest: 60 }];
  };
  addOutboxReadings(registry, read);
  const first = seriesOf(await registry.text());
  expect(first.get('quotient_outbox_messages{kind="recover"}')).toBe(2);
  expect(first.get('quotient_outbox_oldest_seconds{kind="recover"}')).toBe(60);
  isFailing = true;
  expect([...seriesOf(await registry.text()).keys()]).toEqual([]);
});
