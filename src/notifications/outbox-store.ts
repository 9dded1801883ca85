import { SECOND } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

export type OutboxMessage = {
  id: string;
  kind: string;
  userKey: number | null;
  payload: unknown;
  /** The number of claims of the message, including this claim. It distinguishes this claim from later claims. */
  attempts: number;
  age: number;
};

export type Backlog = { kind: string; messages: number; oldest: number };

const interval = (ms: number) => Prisma.sql`make_interval(secs => ${ms / SECOND}::float8)`;

/** All times are by the database's clock. */
export function createOutboxStore(prisma: PrismaClient) {
  return {
    /**
     * Claims due messages for `forMs`, up to `room` of each kind, longest due first. Race: the statement skips rows
     * that another statement has locked, so only one process claims a message. When a claim expires, its message is due
     * again, so other processes take over the messages of a dead process. No pause lasts a day, so a due time later
     * than that was set before the clock was set back, and the message is due now.
     */
    async claim(room: Readonly<Record<string, number>>, forMs: number): Promise<OutboxMessage[]> {
      return prisma.$queryRaw<OutboxMessage[]>`
        WITH due AS (
          SELECT message.id FROM json_each_text(${JSON.stringify(room)}::json) AS room(kind, most)
          CROSS JOIN LATERAL (
            SELECT id FROM outbox_message WHERE kind = room.kind AND (due_at <= now() OR due_at > now() + make_interval(days => 1))
            ORDER BY due_at LIMIT room.most::int FOR UPDATE SKIP LOCKED) AS message)
        UPDATE outbox_message AS message SET due_at = clock_timestamp() + ${interval(forMs)}, attempts = attempts + 1
        FROM due WHERE message.id = due.id
        RETURNING message.id::text, kind, user_key AS "userKey", payload, attempts,
          greatest(0, extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS age`;
    },

    /** Deletes the message even if the claim has expired. */
    async delivered({ id }: Pick<OutboxMessage, 'id'>): Promise<void> {
      await prisma.$executeRaw`DELETE FROM outbox_message WHERE id = ${id}::uuid`;
    },

    /** Makes the message due after a pause (ms), unless it was claimed again in the meantime. */
    async failed(
      { id, attempts }: Pick<OutboxMessage, 'id' | 'attempts'>,
      pause: number,
      error: string,
    ): Promise<void> {
      await prisma.$executeRaw`
        UPDATE outbox_message SET due_at = clock_timestamp() + ${interval(pause)}, last_error = ${error}
        WHERE id = ${id}::uuid AND attempts = ${attempts}::int AND given_up_at IS NULL`;
    },

    /** Gives up on the message, unless it was claimed again. Removes `email`: its user may be erased later. */
    async gaveUp({ id, attempts }: Pick<OutboxMessage, 'id' | 'attempts'>, error: string): Promise<void> {
      await prisma.$executeRaw`
        UPDATE outbox_message SET due_at = NULL, given_up_at = clock_timestamp(), last_error = ${error},
          payload = payload - 'email'
        WHERE id = ${id}::uuid AND attempts = ${attempts}::int`;
    },

    backlog: () =>
      prisma.$queryRaw<Backlog[]>`
        SELECT kind, count(*)::int AS messages, extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS oldest
        FROM outbox_message WHERE given_up_at IS NULL GROUP BY kind`,
  };
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;
