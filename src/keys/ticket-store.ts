import { SECOND } from '#core/clock';
import { toBytes } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';

/** How many expired rows a new ticket deletes, so that the table stays small without a periodic task. */
const SWEPT = 20;

/** Instants are by the database's clock, because any process may accept a ticket. */
export function createTicketStore(prisma: PrismaClient) {
  return {
    /** Returns the end of validity in Unix ms. Locked rows are skipped: another statement is deleting them. */
    async add(hash: string, keyHash: string, validMs: number): Promise<number> {
      const [row] = await prisma.$queryRaw<[{ expiresAt: Date }]>(Prisma.sql`
        WITH swept AS (
          DELETE FROM stream_ticket WHERE hash IN (
            SELECT hash FROM stream_ticket WHERE expires_at < clock_timestamp()
            ORDER BY expires_at LIMIT ${SWEPT}::int FOR UPDATE SKIP LOCKED))
        INSERT INTO stream_ticket (hash, key_hash, expires_at)
        VALUES (${toBytes(hash)}, ${toBytes(keyHash)}, clock_timestamp() + make_interval(secs => ${validMs / SECOND}::float8))
        RETURNING expires_at AS "expiresAt"`);
      return row.expiresAt.getTime();
    },

    /** Returns the hash of the ticket's key. The same statement deletes the row, so that only one request succeeds. */
    async take(hash: string): Promise<string | undefined> {
      const [row] = await prisma.$queryRaw<{ keyHash: string; isValid: boolean }[]>`
        DELETE FROM stream_ticket WHERE hash = ${toBytes(hash)}
        RETURNING encode(key_hash, 'hex') AS "keyHash", expires_at > clock_timestamp() AS "isValid"`;
      return row?.isValid ? row.keyHash : undefined;
    },
  };
}

export type TicketStore = ReturnType<typeof createTicketStore>;
