import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE } from '#core/clock';
import { mintOwnerKey } from '#keys/api-key';
import { createNoticeSettingsStore } from '#notifications/notices/notice-settings-store';
import { createUserServices } from '#user-services';
import { createAccountReport } from '#users/administration/account-report';
import { createAccountStore } from '#users/administration/account-store';
import { byOperator } from '#users/authority';
import { addMonths, firstTerm } from '#users/plan';
import { createUserStore } from '#users/user-store';
import { createTestClock } from '../../fixtures/clock.ts';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { OPERATOR } from '../support/operator.ts';

const NOW = Date.parse('2026-03-15T12:00:00Z');
const clock = createTestClock(NOW);

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database?.close());

function open() {
  const services = createUserServices(database.prisma, { clock });
  const accounts = createAccountStore(database.prisma);
  return {
    ...services,
    report: createAccountReport({
      accounts,
      keysOf: services.keys.listAll,
      noticesOf: createNoticeSettingsStore(database.prisma).find,
      clock,
    }),
  };
}

/**
 * Creates a user of the monthly plan who registered `since` ms ago, with a term of `months` months. Returns the record
 * number.
 */
async function createUser(since: number, months = 1): Promise<number> {
  const createdAt = NOW - since;
  const term = { ...firstTerm('monthly', createdAt), validUntil: addMonths(createdAt, months) };
  const user = await createUserStore(database.prisma).create(
    { name: 'Ada', email: 'ada@example.org', limit: 100, createdAt, ...term },
    mintOwnerKey(),
  );
  return user.key;
}

async function spend(userKey: number, periodStart: number, { used = 0, unbooked = 0 }): Promise<void> {
  const start = new Date(periodStart);
  await database.prisma.usage.create({ data: { userKey, periodStart: start, used: used + unbooked } });
  if (unbooked === 0) return;
  const lease = { userKey, periodStart: start, date: start, granted: unbooked, spent: unbooked };
  await database.prisma.lease.create({
    data: { ...lease, process: crypto.randomUUID(), report: 1, keyId: 1, path: 1 },
  });
}

it("reports each user's state, active keys, and usage of the current period only", async () => {
  const { users, keys, report } = open();
  const spending = await createUser(10 * DAY);
  await spend(spending, NOW - 10 * DAY, { used: 40, unbooked: 2 });
  const renewed = await createUser(40 * DAY, 3);
  await spend(renewed, NOW - 40 * DAY, { used: 77, unbooked: 1 });
  const back = await createUser(40 * DAY, 3);
  await spend(back, NOW - 40 * DAY, { used: 77 });
  await spend(back, addMonths(NOW - 40 * DAY, 1), { used: 5 });
  const lapsed = await createUser(40 * DAY);
  const revoked = await createUser(DAY);
  await keys.revokeAll(byOperator(revoked, OPERATOR));
  const erased = await createUser(DAY);
  await users.erase(byOperator(erased, OPERATOR));
  const rotated = await createUser(DAY);
  await keys.rotate(byOperator(rotated, OPERATOR), 300);

  const received = new Map(
    (await report.of([spending, renewed, back, lapsed, revoked, erased, rotated])).map((account) => [
      account.key,
      account,
    ]),
  );
  const facts = (key: number) => {
    const { state, keys, used } = received.get(key) ?? {};
    return { state, keys, used };
  };
  expect(facts(spending)).toEqual({ state: 'active', keys: 1, used: 42 });
  expect(facts(renewed)).toEqual({ state: 'active', keys: 1, used: 0 });
  expect(facts(back)).toEqual({ state: 'active', keys: 1, used: 5 });
  expect(facts(lapsed)).toEqual({ state: 'expired', keys: 1, used: 0 });
  expect(facts(revoked)).toEqual({ state: 'revoked', keys: 0, used: 0 });
  expect(facts(erased)).toEqual({ state: 'erased', keys: 0, used: 0 });
  expect(facts(rotated)).toEqual({ state: 'active', keys: 2, used: 0 });
  expect(received.get(erased)).toMatchObject({ name: null, email: null });
  expect([...received.keys()]).toEqual([...received.keys()].sort((a, b) => a - b));
});

it('reports the state of each key of a user, newest first, and the last use of any key', async () => {
  const { keys, report } = open();
  const user = await createUser(DAY);
  const [first] = await keys.list(user);
  const ends = NOW + HOUR;
  const shop = await keys.create(byOperator(user, OPERATOR), {
    label: 'Shop',
    scopes: ['prices'],
    expiresAt: ends,
    dailyLimit: null,
    allowedOrigins: null,
    url: false,
  });
  clock.advance(MINUTE);
  const wallet = await keys.create(byOperator(user, OPERATOR), {
    label: 'Wallet',
    scopes: ['node'],
    expiresAt: null,
    dailyLimit: null,
    allowedOrigins: null,
    url: false,
  });
  await keys.delete(byOperator(user, OPERATOR), wallet.id);
  clock.advance(MINUTE);
  await keys.rotate(byOperator(user, OPERATOR), 3600);
  for (const [id, at] of [
    [shop.id, NOW + 5 * MINUTE],
    [wallet.id, NOW + MINUTE],
  ] as const) {
    await database.prisma.apiKey.update({ where: { id }, data: { lastUsedAt: new Date(at) } });
  }

  const states = async () =>
    (await report.show(user)).keys.map(({ id, label, scopes, state }) => [id, label, scopes.join(), state]);
  const [newest] = await keys.list(user);
  expect(await states()).toEqual([
    [newest?.id, null, 'account,prices,node', 'active'],
    [wallet.id, 'Wallet', 'node', 'revoked'],
    [shop.id, 'Shop', 'prices', 'active'],
    [first?.id, null, 'account,prices,node', 'replaced'],
  ]);
  expect((await report.show(user)).account).toMatchObject({ keys: 3, lastUsedAt: NOW + 5 * MINUTE });
  expect((await report.show(user)).notices).toEqual({
    email: false,
    webhookUrl: null,
    thresholds: [80, 100],
  });
  clock.advance(2 * HOUR);
  expect((await states()).map(([, , , state]) => state)).toEqual(['active', 'revoked', 'expired', 'expired']);
  await expect(report.show(999_999)).rejects.toMatchObject({ code: 'not_found' });
});
