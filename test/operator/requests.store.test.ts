import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RequestReport } from '#operator/operator-records';
import { percentile } from '#operator/requests';
import { PRICED } from '../support/service/hammer.ts';
import { type OperatorService, startOperator } from './operator-harness.ts';

let service: OperatorService;
beforeAll(async () => {
  service = await startOperator();
});
afterAll(() => service?.close());

const report = async () => (await service.send('/admin/v1/requests')).body as RequestReport;

it('reports the requests, the errors by code and the latencies since the start of the process', async () => {
  const { apiKey } = await service.user();
  const before = await report();
  for (let n = 0; n < 3; n += 1) await service.get(PRICED, { key: apiKey });
  await service.get(PRICED);
  await service.get('/v1/nothing');
  await expect.poll(async () => (await report()).requests).toBe(before.requests + 5);
  const after = await report();
  expect(after.since).toBe(before.since);
  expect(after.problems).toEqual(
    expect.arrayContaining([
      { code: 'api_key_missing', count: 1 },
      { code: 'not_found', count: 1 },
    ]),
  );
  const route = after.routes.find((one) => one.route === PRICED.split('?')[0]);
  expect(route).toMatchObject({ requests: 4, median: expect.any(Number), p99: expect.any(Number) });
  expect(after.routes.find((one) => one.route === 'unmatched')).toMatchObject({ requests: 1, median: null, p99: null });
  expect(after.p99).toBeGreaterThanOrEqual(after.median ?? Number.NaN);
});

it('interpolates a percentile within its bucket, up to the largest bound', () => {
  // The bounds are 1, 5, 20, 100, 500, 1000, 2500 and 5000 ms.
  expect(percentile([], 0.5)).toBeNull();
  expect(percentile([10, 0, 0], 0.5)).toBe(0.5);
  expect(percentile([0, 100, 0, 0, 0, 0, 0, 0, 0], 0.99)).toBe(5);
  expect(percentile([50, 0, 50, 0, 0, 0, 0, 0, 0], 0.75)).toBe(12.5);
  expect(percentile([1, 0, 0, 0, 0, 0, 0, 0, 9], 0.99)).toBe(5_000);
});
