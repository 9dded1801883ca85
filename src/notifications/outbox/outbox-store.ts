import { SECOND } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** A message to be added. `id` is a UUID: one that is there already is not added again. */
export type NewMessage = {
  id: string;
  /** Who delivers it. */
  kind: string;
  userKey?: number | undefined;
  /** What it takes to deliver it, as JSON: no secret, since it lies in the database until it is delivered. */
  payload: object;
};

/** A message that was claimed. */
export type OutboxMessage = {
  id: string;
  kind: string;
  userKey: number | null;
  payload: unknown;
  /** How often it was claimed, this time included: tells this claim from a later one. */
  attempts: number;
  /** How long ago it was added, in ms. */
  age: number;
};

/** A message that could not be delivered yet, or was given up; instants in Unix ms. */
export type FailedMessage = Omit<OutboxMessage, 'age'> & {
  createdAt: number;
  /** When it is tried again; null once it was given up. */
  dueAt: number | null;
  lastError: string;
};

/** How many failed messages are listed. */
const MOST_LISTED = 1000;

/** How long a message that was given up is kept, in days. */
const KEPT_DAYS = 30;

const interval = (ms: number) => Prisma.sql`make_interval(secs => ${ms / SECOND}::float8)`;

/**
 * The statement that adds messages, also as a part of another one (`WITH … AS (…)`) or of a transaction: they are there
 * together with what they tell of. In other words of SQL: `id`, `kind`, `user_key` and `payload` have to be given.
 */
export const addMessages = (messages: readonly NewMessage[]): Prisma.Sql => Prisma.sql`
  INSERT INTO outbox_message (id, kind, user_key, payload)
  SELECT id, kind, "userKey", payload FROM json_to_recordset(${JSON.stringify(messages)}::json)
    AS added(id uuid, kind text, "userKey" int, payload jsonb)
  ON CONFLICT (id) DO NOTHING`;

/** The rows of `OutboxMessage`; all times are by the database's clock. */
export function createOutboxStore(prisma: PrismaClient) {
  return {
    async add(messages: readonly NewMessage[]): Promise<void> {
      await prisma.$executeRaw(addMessages(messages));
    },

    /**
     * Claims messages that are due, for so many ms: of each kind as many as are named, the longest due first. One
     * statement, which passes over rows that another has locked: of processes that claim at once each message is one's.
     * A claim that lapses makes its message due again, so what a process had that died is another's.
     */
    async claim(room: Readonly<Record<string, number>>, forMs: number): Promise<OutboxMessage[]> {
      return prisma.$queryRaw<OutboxMessage[]>`
        WITH due AS (
          SELECT message.id FROM json_each_text(${JSON.stringify(room)}::json) AS room(kind, most)
          CROSS JOIN LATERAL (
            SELECT id FROM outbox_message WHERE kind = room.kind AND due_at <= now()
            ORDER BY due_at LIMIT room.most::int FOR UPDATE SKIP LOCKED) AS message)
        UPDATE outbox_message AS message SET due_at = clock_timestamp() + ${interval(forMs)}, attempts = attempts + 1
        FROM due WHERE message.id = due.id
        RETURNING message.id::text, kind, user_key AS "userKey", payload, attempts,
          greatest(0, extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age`;
    },

    /** A message is no more; also where the claim has lapsed meanwhile. */
    async delivered({ id }: Pick<OutboxMessage, 'id'>): Promise<void> {
      await prisma.$executeRaw`DELETE FROM outbox_message WHERE id = ${id}::uuid`;
    },

    /** A message is due again after a pause (ms), unless somebody else has claimed it meanwhile. */
    async failed(
      { id, attempts }: Pick<OutboxMessage, 'id' | 'attempts'>,
      pause: number,
      error: string,
    ): Promise<void> {
      await prisma.$executeRaw`
        UPDATE outbox_message SET due_at = clock_timestamp() + ${interval(pause)}, last_error = ${error}
        WHERE id = ${id}::uuid AND attempts = ${attempts}::int AND given_up_at IS NULL`;
    },

    /**
     * A message is not tried any more, unless somebody else has claimed it meanwhile. The member `email` of its payload is
     * not kept: its owner may be erased by then.
     */
    async gaveUp({ id, attempts }: Pick<OutboxMessage, 'id' | 'attempts'>, error: string): Promise<void> {
      await prisma.$executeRaw`
        UPDATE outbox_message SET due_at = NULL, given_up_at = clock_timestamp(), last_error = ${error},
          payload = payload - 'email'
        WHERE id = ${id}::uuid AND attempts = ${attempts}::int`;
    },

    /** What failed at its last attempt or was given up, the newest first. */
    async failures(): Promise<FailedMessage[]> {
      const rows = await prisma.outboxMessage.findMany({
        where: { lastError: { not: null } },
        orderBy: { createdAt: 'desc' },
        take: MOST_LISTED,
      });
      return rows.map(({ createdAt, dueAt, lastError, givenUpAt: _, ...rest }) => ({
        ...rest,
        createdAt: createdAt.getTime(),
        dueAt: dueAt?.getTime() ?? null,
        lastError: lastError ?? '',
      }));
    },

    /** Those that were given up long ago are no more. */
    async tidy(): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM outbox_message WHERE given_up_at < now() - make_interval(days => ${KEPT_DAYS}::int)`;
    },
  };
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;
