import { SECOND } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

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

/** How long a message that was given up is kept, in days. */
const KEPT_DAYS = 30;

const interval = (ms: number) => Prisma.sql`make_interval(secs => ${ms / SECOND}::float8)`;

/** The rows of `OutboxMessage`; all times are by the database's clock. */
export function createOutboxStore(prisma: PrismaClient) {
  return {
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

    /** Those that were given up long ago are no more. */
    async tidy(): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM outbox_message WHERE given_up_at < now() - make_interval(days => ${KEPT_DAYS}::int)`;
    },
  };
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;
