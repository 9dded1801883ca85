import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { deleteExpired } from '#database/retention';
import { byOperator } from '#users/authority';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';
import { createUser, handClock, openLeaseHolder } from './allowance-harness.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

it('a process does not accept a key that was revoked and deleted while the process was cut off', async () => {
  const start = Date.UTC(2026, 4, 10, 12);
  const clocks = [handClock(start), handClock(start)] as const;
  const [cutOff, other] = [openLeaseHolder(database, clocks[0]), openLeaseHolder(database, clocks[1])];
  const { key, apiKey } = await createUser(database, cutOff, { limit: 100, at: start });
  cutOff.keep(await cutOff.call(apiKey));

  await other.keys.revokeAll(byOperator(key, OPERATOR));
  for (const clock of clocks) clock.pass(31 * DAY);
  await deleteExpired(database.prisma, clocks[1].now());
  expect(await database.prisma.apiKey.count({ where: { userKey: key } })).toBe(0);
  await cutOff.poll();
  await expect(cutOff.call(apiKey)).rejects.toMatchObject({ code: 'api_key_invalid' });
  for (const holder of [cutOff, other]) await holder.close();
});
