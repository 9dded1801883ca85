import { afterEach, expect, test } from 'vitest';
import type { Prisma } from '#generated/prisma/client';
import type { DataResponse } from '#server/responses/response-body';
import { startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

let service: WithStatistics;
afterEach(() => service?.close());

const changes: [string, Prisma.LatestStatisticsUpdateManyMutationInput][] = [
  ['in another format', { record: { id: 'seven' } }],
  ['of a removed source', { source: 'another' }],
];

test.each(changes)('a record %s does not prevent a start, and is fetched again', async (_what, data) => {
  service = await startWithStatistics();
  const { record } = await service.stats('btc');
  await service.database.prisma.latestStatistics.updateMany({ data });
  const calls = service.calls();
  const { statistics } = await service.another();
  const response: DataResponse = await statistics.latest('btc');
  expect(service.calls()).toBe(calls + 1);
  expect(response).toMatchObject({ source: 'cryptocompare', outcome: { fetched: true, failure: undefined } });
  expect(JSON.parse(String(response.body.identity.payload))).toEqual(record);
  expect(await statistics.latest('btc')).toMatchObject({ outcome: { fetched: false } });
});

test('an unreadable record counts as missing while all sources are down', async () => {
  service = await startWithStatistics();
  await service.stats('btc');
  await service.database.prisma.latestStatistics.updateMany({ data: { record: {} } });
  const { statistics } = await service.another();
  service.sandbox.faults.always({ kind: 'status', status: 500 });
  const problem = await Promise.resolve(statistics.latest('btc')).catch((error: unknown) => error);
  expect(problem).toMatchObject({ code: 'upstream_unavailable' });
});
