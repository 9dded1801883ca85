import type { Operator } from '#core/actor';
import { audit } from '#database/audit';
import { toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

export type StoredMessage = {
  id: string;
  kind: string;
  userKey: number | null;
  createdAt: Date;
  attempts: number;
  /** Null if the service has given up on the message. */
  dueAt: Date | null;
  lastError: string | null;
  /** False if the recipient's address was removed. */
  hasRecipient: boolean;
};

export type MessageCursor = { createdAt: number; id: string };

/** A message that is given up on loses its address. Only the payloads of recoveries contain one. */
const HAS_RECIPIENT = Prisma.sql`(given_up_at IS NULL OR kind <> 'recover')`;
const COLUMNS = Prisma.sql`id::text, kind, user_key AS "userKey", created_at AS "createdAt", attempts, due_at AS "dueAt",
  last_error AS "lastError", ${HAS_RECIPIENT} AS "hasRecipient"`;

export function createMessageStore(prisma: PrismaClient) {
  return {
    async list(after: MessageCursor | undefined, limit: number): Promise<StoredMessage[]> {
      const isAfter = after
        ? Prisma.sql`WHERE (created_at, id) < (${toInstant(after.createdAt)}, ${after.id}::uuid)`
        : Prisma.empty;
      return prisma.$queryRaw<StoredMessage[]>`
        SELECT ${COLUMNS} FROM outbox_message ${isAfter} ORDER BY created_at DESC, id DESC LIMIT ${limit}::int`;
    },

    async find(id: string): Promise<StoredMessage | undefined> {
      const rows = await prisma.$queryRaw<StoredMessage[]>`
        SELECT ${COLUMNS} FROM outbox_message WHERE id = ${id}::uuid`;
      return rows[0];
    },

    /**
     * Makes a message due, and removes its last error, so that an error that is stored later comes from the retry.
     * Returns false if the message no longer exists or has no recipient. Race: a message that is being delivered can be
     * delivered twice, with the same ID.
     */
    async retry(operator: Operator, id: string): Promise<boolean> {
      const rows = await prisma.$queryRaw<unknown[]>`
        WITH old AS MATERIALIZED (
          SELECT id, given_up_at IS NOT NULL AS is_given_up FROM outbox_message
          WHERE id = ${id}::uuid AND ${HAS_RECIPIENT} FOR UPDATE),
        changed AS (
          UPDATE outbox_message m SET due_at = clock_timestamp(), given_up_at = NULL, last_error = NULL
          FROM old WHERE m.id = old.id
          RETURNING m.kind, m.user_key, old.is_given_up),
        ${audit(operator, {
          action: 'message.retry',
          target: `message:${id}`,
          userKey: Prisma.sql`user_key`,
          before: Prisma.sql`jsonb_build_object('state', CASE WHEN is_given_up THEN 'given_up' ELSE 'waiting' END)`,
          after: Prisma.sql`jsonb_build_object('kind', kind, 'state', 'due')`,
        })}
        done AS (SELECT kind FROM changed)
        SELECT kind FROM done`;
      return rows.length > 0;
    },
  };
}

export type MessageStore = ReturnType<typeof createMessageStore>;
