import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createOutbox, type Deliver, type Outbox, Undeliverable } from '#notifications/outbox';
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

const lines: object[] = [];
const failures = {
  failed: (work: string, _error: unknown, facts: object = {}, level = 'warn') =>
    void lines.push({ ...facts, work, level }),
};
const log = {
  warn: (facts: object, message: string) => void lines.push({ ...facts, message, level: 'warn' }),
};

const open: Outbox[] = [];
function start(deliver: Record<string, Deliver>, atOnce?: Record<string, number>) {
  const outbox = createOutbox({ store, log, failures, deliver, ...(atOnce && { atOnce }) });
  open.push(outbox);
  return outbox;
}
afterEach(async () => {
  for (const outbox of open.splice(0)) await outbox.close(0);
  lines.length = 0;
});

const message = (payload = {}) => ({ id: randomUUID(), kind: 'mail', payload });
const add = (messages: Parameters<typeof addMessages>[1]) => addMessages(database.prisma, messages);
async function addAndWake({ wake }: Outbox, messages: Parameters<typeof addMessages>[1]): Promise<void> {
  await add(messages);
  wake();
}
const rows = () => database.prisma.outboxMessage.findMany();

/** A promise, and the functions that settle it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

test('a message is sent immediately and deleted', async () => {
  const { opened, open } = gate();
  const outbox = start({
    mail: async ({ payload }) => {
      expect(payload).toEqual({ to: 'ada@example.org' });
      open();
    },
  });
  await addAndWake(outbox, [message({ to: 'ada@example.org' })]);
  await opened;
  await expect.poll(rows).toEqual([]);
});

test('a message that another process added is found', async () => {
  const got: string[] = [];
  const outbox = start({ mail: async ({ id }) => void got.push(id) });
  const one = message();
  await add([one]);
  await outbox.deliverDue();
  expect(got).toEqual([one.id]);
});

test('of many messages, a few are sent concurrently, and all are sent', async () => {
  let [now, most, all] = [0, 0, 0];
  const { opened, open } = gate();
  const outbox = start({
    mail: async () => {
      now += 1;
      most = Math.max(most, now);
      await opened;
      now -= 1;
      all += 1;
    },
  });
  const messages = Array.from({ length: 42 }, () => message());
  await addAndWake(outbox, messages.slice(0, 4));
  await expect.poll(() => now).toBe(4);
  await addAndWake(outbox, messages.slice(4));
  await expect.poll(() => now).toBe(5);
  open();
  // Each message starts the next one, so none waits for the poll.
  await expect.poll(rows, { timeout: 8000 }).toEqual([]);
  expect([all, most]).toEqual([42, 5]);
});

test('of a kind whose deliveries may hang, more are sent concurrently', async () => {
  let [mails, webhooks] = [0, 0];
  const { opened, open } = gate();
  const outbox = start(
    {
      mail: async () => {
        mails += 1;
        await opened;
      },
      webhook: async () => {
        webhooks += 1;
        await opened;
      },
    },
    { webhook: 20 },
  );
  const messages = Array.from({ length: 30 }, () => message());
  await addAndWake(outbox, [...messages, ...messages.map((one) => ({ ...one, id: randomUUID(), kind: 'webhook' }))]);
  await expect.poll(() => [mails, webhooks]).toEqual([5, 20]);
  open();
  await outbox.deliverDue();
  expect([mails, webhooks]).toEqual([30, 30]);
});

test('a delivery that hangs blocks neither other messages nor other kinds', async () => {
  const got: string[] = [];
  const { opened, open } = gate();
  const outbox = start({
    mail: async ({ id, payload }) => {
      if ((payload as { hangs?: true }).hangs) await opened;
      got.push(id);
    },
    webhook: async ({ id }) => void got.push(id),
  });
  const others = [message(), { ...message(), kind: 'webhook' }];
  await addAndWake(outbox, [message({ hangs: true }), ...others]);
  await expect.poll(() => got.toSorted()).toEqual(others.map(({ id }) => id).sort());
  open();
  await outbox.deliverDue();
  expect(got).toHaveLength(3);
});

describe('a failure', () => {
  test('is logged, and the delivery is retried after a pause', async () => {
    let fails = true;
    const outbox = start({
      mail: async () => {
        if (fails) throw new Error('the server\nis away');
      },
    });
    await addAndWake(outbox, [{ ...message(), userKey: 3 }]);
    await outbox.deliverDue();
    const [row] = await rows();
    expect(row).toMatchObject({ attempts: 1, lastError: 'the server is away', givenUpAt: null });
    const wait = (row?.dueAt?.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0);
    expect(wait).toBeGreaterThan(25_000);
    expect(wait).toBeLessThan(85_000);
    const reason = 'the server is away';
    expect(lines).toMatchObject([{ work: 'delivery', level: 'info', user: 3, attempts: 1, reason }]);
    fails = false;
    await database.prisma.$executeRaw`UPDATE outbox_message SET due_at = now()`;
    await outbox.deliverDue();
    expect(await rows()).toEqual([]);
  });

  test('ends the delivery after a day, with a log line', async () => {
    const outbox = start({ mail: () => Promise.reject(new Error('away')) });
    await add([message()]);
    await database.prisma
      .$executeRaw`UPDATE outbox_message SET created_at = now() - interval '25 hours', attempts = 14`;
    await outbox.deliverDue();
    expect(await rows()).toMatchObject([{ dueAt: null, givenUpAt: expect.any(Date), attempts: 15 }]);
    expect(lines).toMatchObject([{ message: 'delivery given up', level: 'warn', attempts: 15 }]);
  });

  test('that is permanent ends the delivery immediately', async () => {
    const outbox = start({ mail: () => Promise.reject(new Undeliverable('no such mailbox')) });
    await addAndWake(outbox, [message()]);
    await outbox.deliverDue();
    expect(await rows()).toMatchObject([{ dueAt: null, lastError: 'no such mailbox' }]);
  });

  test('that is permanent for several messages is logged in one line for each', async () => {
    const outbox = start({ mail: () => Promise.reject(new Undeliverable('no such mailbox')) });
    const messages = [3, 4, 5].map((userKey) => ({ ...message(), userKey }));
    await addAndWake(outbox, messages);
    await outbox.deliverDue();
    const expected = messages.map(({ id, kind, userKey: user }) =>
      expect.objectContaining({ message: 'delivery given up', id, kind, user, reason: 'no such mailbox' }),
    );
    expect(lines).toHaveLength(3);
    expect(lines).toEqual(expect.arrayContaining(expected));
  });
});

test('deliveries in progress at the stop are immediately available to another process', async () => {
  const { opened, open } = gate();
  const first = start({
    mail: (_message, signal) => {
      open();
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut short'))));
    },
  });
  const one = message();
  await addAndWake(first, [one]);
  await opened;
  await first.close(0);
  const got: string[] = [];
  await start({ mail: async ({ id }) => void got.push(id) }).deliverDue();
  expect(got).toEqual([one.id]);
});

test('messages of a kind without a deliverer are not claimed', async () => {
  await add([message()]);
  await start({}).deliverDue();
  expect(await rows()).toMatchObject([{ attempts: 0 }]);
});
