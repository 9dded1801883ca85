import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteExpired } from '#database/retention';
import { createOutboxStore, type OutboxStore } from '#notifications/outbox-store';
import { openTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { addMessages } from '../support/mail/add-messages.ts';

let database: TestDatabase;
let store: OutboxStore;
beforeAll(async () => {
  database = await openTestDatabase();
  store = createOutboxStore(database.prisma);
});
afterAll(() => database?.close());
beforeEach(() => database.prisma.$executeRaw`TRUNCATE outbox_message`);

const message = (kind = 'mail', payload = {}) => ({ id: randomUUID(), kind, payload });
const CLAIM = 45_000;

const add = (messages: Parameters<typeof addMessages>[1]) => addMessages(database.prisma, messages);
const failures = () => database.prisma.outboxMessage.findMany({ where: { lastError: { not: null } } });

async function claimed(room: Record<string, number> = { mail: 10 }) {
  const messages = await store.claim(room, CLAIM);
  return messages.map(({ id }) => id).sort();
}

/** Moves the messages' times, as if `ms` milliseconds had passed. */
const pass = (seconds: number) => database.prisma.$executeRaw`
  UPDATE outbox_message SET due_at = due_at - make_interval(secs => ${seconds}::float8),
    created_at = created_at - make_interval(secs => ${seconds}::float8),
    given_up_at = given_up_at - make_interval(secs => ${seconds}::float8)`;

test('a message is read as it was added', async () => {
  const added = { ...message('mail', { to: "o'hara@example.org", lines: ['a', 'b"c\\'] }), userKey: 7 };
  await add([added]);
  const [found] = await store.claim({ mail: 1 }, CLAIM);
  expect(found).toEqual({ ...added, attempts: 1, age: expect.any(Number) });
});

describe('a claim', () => {
  test('is granted to one process, of any number that claim concurrently', async () => {
    const all = Array.from({ length: 40 }, () => message());
    await add(all);
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimed({ mail: 7 })));
    const ids = claims.flat();
    expect(new Set(ids).size).toBe(ids.length);
    expect(await claimed({ mail: 100 })).toHaveLength(40 - ids.length);
    expect(await claimed({ mail: 100 })).toEqual([]);
  });

  test('is not delayed by a pause that began before the clock was set back', async () => {
    await add([message()]);
    const [id = ''] = await claimed();
    await store.failed({ id, attempts: 1 }, 4.8 * 3_600_000, 'no');
    expect(await claimed()).toEqual([]);
    await pass(-400 * 86_400);
    expect(await claimed()).toEqual([id]);
    expect(await claimed()).toEqual([]);
  });

  test('takes a number of messages of each kind, the longest due first, and ignores other kinds', async () => {
    const [old, middle, recent] = [message(), message(), message()];
    for (const one of [old, middle, recent]) {
      await add([one]);
      await pass(10);
    }
    const hook = message('webhook');
    await add([hook, message('other')]);
    expect(await claimed({ mail: 2, webhook: 2 })).toEqual([old.id, middle.id, hook.id].sort());
    expect(await claimed({ mail: 0 })).toEqual([]);
    expect(await claimed()).toEqual([recent.id]);
  });

  test('expires at its time, and not earlier', async () => {
    await add([message()]);
    const [first] = await store.claim({ mail: 1 }, CLAIM);
    await pass(44);
    expect(await claimed()).toEqual([]);
    await pass(1);
    const [second] = await store.claim({ mail: 1 }, CLAIM);
    expect(second).toMatchObject({ id: first?.id, attempts: 2 });
    expect(second?.age).toBeGreaterThanOrEqual(45_000);
  });
});

describe('a message that failed', () => {
  test('has the state that the later claim has written', async () => {
    await add([message()]);
    const [early] = await store.claim({ mail: 1 }, 0);
    const [late] = await store.claim({ mail: 1 }, CLAIM);
    if (!early || !late) throw new Error('it was not claimed twice');
    await store.failed(early, 0, 'too late');
    await store.gaveUp(early, 'too late');
    expect(await claimed()).toEqual([]);
    expect(await failures()).toEqual([]);
    await store.failed(late, 0, 'away');
    expect(await claimed()).toEqual([late.id]);
  });

  test('is never retried once it is given up, and is stored for 30 days', async () => {
    await add([message('mail', { email: 'ada@example.org', notice: 7 })]);
    const [one] = await store.claim({ mail: 1 }, CLAIM);
    if (!one) throw new Error('nothing was claimed');
    await store.gaveUp(one, 'no such mailbox');
    await pass(29 * 86_400);
    await deleteExpired(database.prisma, Date.now());
    expect(await claimed()).toEqual([]);
    expect(await failures()).toEqual([
      expect.objectContaining({ dueAt: null, lastError: 'no such mailbox', payload: { notice: 7 } }),
    ]);
    await pass(86_400);
    await deleteExpired(database.prisma, Date.now());
    expect(await failures()).toEqual([]);
  });
});

test('a delivered message is deleted, even if its claim has expired', async () => {
  await add([message()]);
  const [one] = await store.claim({ mail: 1 }, 0);
  if (!one) throw new Error('nothing was claimed');
  await store.delivered(one);
  expect(await claimed()).toEqual([]);
  expect(await database.prisma.outboxMessage.count()).toBe(0);
});
