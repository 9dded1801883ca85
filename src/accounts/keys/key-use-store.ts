import { arrayOf } from '#database/values';
import { Prisma } from '#generated/prisma/client';

/** When a key was last used (Unix ms), and the origin of the foreign page that used it, if any. */
export type KeyUse = { id: number; at: number; origin: string | undefined };
type Query = <Row>(sql: Prisma.Sql) => Promise<Row[]>;

/** Does not mark the user as changed, because no process depends on the last use. */
export const createKeyUseStatement = (query: Query) => ({
  /**
   * Skips rows that another process or a rotation has locked, and returns their IDs for a retry. A key is read again
   * after it is locked, so no origin is written to a key that an erasure has just revoked.
   */
  async recordUse(uses: readonly KeyUse[]): Promise<number[]> {
    const origins = uses.map(({ origin }) => origin ?? '');
    const rows = await query<{ id: number }>(Prisma.sql`
      WITH used AS MATERIALIZED (
        SELECT id, to_timestamp(at / 1000.0) AS at, nullif(origin, '') AS origin
        FROM unnest(
            ${arrayOf(
              'int',
              uses.map(({ id }) => id),
            )},
            ${arrayOf(
              'bigint',
              uses.map(({ at }) => at),
            )},
            (SELECT ${origins}::text[])) AS u(id, at, origin)),
      late AS MATERIALIZED (
        SELECT u.* FROM used u JOIN api_key k USING (id)
        WHERE k.revoked_at IS NULL
          AND (k.last_used_at IS NULL OR k.last_used_at < u.at OR u.origin <> coalesce(k.seen_origin, ''))),
      free AS MATERIALIZED (
        SELECT id FROM api_key WHERE id IN (SELECT id FROM late) AND revoked_at IS NULL FOR NO KEY UPDATE SKIP LOCKED),
      written AS (
        UPDATE api_key k SET last_used_at = greatest(k.last_used_at, l.at), seen_origin = coalesce(l.origin, k.seen_origin)
        FROM late l JOIN free USING (id) WHERE k.id = l.id
        RETURNING k.id)
      SELECT id FROM late EXCEPT SELECT id FROM written`);
    return rows.map(({ id }) => id);
  },
});
