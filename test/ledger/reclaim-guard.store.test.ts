import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SECOND } from '#core/clock';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { age, createUser, type HandClock, handClock, openLeaseHolder } from './allowance-harness.ts';

const START = Date.UTC(2026, 4, 10, 12);
const LIMIT = 40;

let database: TestDatabase;
let clock: HandClock;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(() => {
  clock = handClock(START);
});

/**
 * A user with an unsettled call in a disconnected process, and another process that sweeps nothing for
 * `sweepAfterMs` after its start.
 */
async function cutOff(sweepAfterMs?: number) {
  const holder = openLeaseHolder(database, clock);
  const other = openLeaseHolder(database, clock, { sweepAfterMs });
  const { key, apiKey } = await createUser(database, holder, { limit: LIMIT, at: START });
  holder.keep(await holder.call(apiKey));
  await holder.settle();
  holder.abandon();
  await age(database, key, 31);
  const held = (await database.prisma.lease.findFirst({ where: { userKey: key } }))?.granted ?? 0;
  expect(held).toBeGreaterThan(1);
  return { other, apiKey, held };
}

it('a process that could not reach the database reclaims nothing for 10 s, so that others settle first', async () => {
  const { other, apiKey, held } = await cutOff();
  other.loseNext('request');
  await expect(other.call(apiKey)).rejects.toMatchObject({ code: 'database_unavailable' });
  clock.pass(9 * SECOND);
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - held);
  clock.pass(SECOND);
  expect(await other.callUntilRefused(apiKey)).toBe(held - 1);
  await other.close();
});

it('a process that has just started, possibly together with the database, reclaims nothing for a while', async () => {
  const { other, apiKey, held } = await cutOff(5 * SECOND);
  clock.pass(4.9 * SECOND);
  expect(await other.callUntilRefused(apiKey)).toBe(LIMIT - held);
  clock.pass(0.1 * SECOND);
  clock.pass(SECOND);
  expect(await other.callUntilRefused(apiKey)).toBe(held - 1);
  await other.close();
});

it('a stop just after a ledger failure sends its statements in sequence, and only a few', async () => {
  let count = 0;
  const counted: TestDatabase['query'] = (...statement) => {
    count += 1;
    return database.query(...statement);
  };
  const leaseHolder = openLeaseHolder({ ...database, query: counted }, clock);
  const { key, apiKey } = await createUser(database, leaseHolder, { limit: LIMIT, at: START });
  leaseHolder.keep(await leaseHolder.call(apiKey));
  leaseHolder.loseNext('answer');
  await leaseHolder.setLimit(key, LIMIT + 1);
  await leaseHolder.answered();
  const before = count;
  await leaseHolder.close();
  expect(count - before).toBeLessThanOrEqual(5);
  expect(await database.prisma.lease.count({ where: { userKey: key } })).toBe(0);
});
