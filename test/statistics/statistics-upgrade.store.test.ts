import { afterEach, expect, test } from 'vitest';
import type { Prisma } from '#generated/prisma/client';
import type { Answer } from '#server/replies/answer-body';
import { startWithStatistics, type WithStatistics } from '../support/service/statistics.ts';

let service: WithStatistics;
afterEach(() => service?.close());

const changes: [string, Prisma.LatestStatisticsUpdateManyMutationInput][] = [
  ['in another format', { record: { id: 'seven' } }],
  ['without a required member', { record: { id: 7, time: 1, symbol: 'BTC' } }],
  ['of a removed source', { source: 'another' }],
];

test.each(changes)('a record %s does not prevent a start, and is fetched again', async (_what, data) => {
  service = await startWithStatistics();
  const { record } = await service.stats('btc');
  await service.database.prisma.latestStatistics.updateMany({ data });
  const calls = service.calls();
  const { statistics } = await service.another();
  const answer: Answer = await statistics.latest('btc');
  expect(service.calls()).toBe(calls + 1);
  expect(answer).toMatchObject({ source: 'cryptocompare', outcome: { fetched: true, failure: undefined } });
  expect(JSON.parse(String(answer.body.identity.payload))).toEqual(record);
  expect(await statistics.latest('btc')).toMatchObject({ outcome: { fetched: false } });
});

test('a record without a value that a later release added is served with null for it', async () => {
  service = await startWithStatistics();
  const { record } = await service.stats('btc');
  await service.database.prisma.$executeRaw`UPDATE latest_statistics SET record = record - 'hashrate' - 'block_size'`;
  const calls = service.calls();
  const { statistics } = await service.another();
  const answer: Answer = await statistics.latest('btc');
  expect(service.calls()).toBe(calls);
  expect(JSON.parse(String(answer.body.identity.payload))).toEqual({
    ...record,
    hashrate: null,
    block_size: null,
  });
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
