import { arrayOf } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import { toUser, type UserRow } from '#users/user';
import { USER_COLUMNS } from '#users/user-changes';
import { MAX_DEAD_KEYS_PER_USER } from './api-key.ts';
import { type HolderRow, type KeyHolder, toHolder } from './key-validity.ts';
import { TERM_COLUMNS } from './terms/terms.ts';

/** A change gets its time before it commits, so two changes within this period may become visible in either order. */
const COMMIT_LAG_SECONDS = 15;

/** Two users may have the same record number: after a failover, the database may reuse the number of a lost user. */
type Change = { key: number; createdAt: string; changedAt: string };
/** The database's time at a read, the changes that the next read will return again, and the newest change. */
export type UserCursor = {
  readonly asOf: string;
  readonly seen: ReadonlyMap<string, string>;
  readonly newest: Change | undefined;
};

/** `isRewound`: the newest change of the earlier read is missing, as after a failover to a lagging replica. */
type ChangesRow = { now: string; changes: Record<string, string> | null; newest: Change | null; isRewound: boolean };

/** The last use of a key (Unix ms; 0 if only rejected), the foreign page's origin, and the first time in a URL. */
export type KeyUse = { id: number; at: number; origin: string | undefined; exposedAt?: number | undefined };

/** @param query runs the statements that calls wait for; it may bypass Prisma for speed */
export function createKeyHolderStore(
  prisma: PrismaClient,
  query = <Row>(sql: Prisma.Sql): Promise<Row[]> => prisma.$queryRaw<Row[]>(sql),
) {
  return {
    async findByHashes(hashes: readonly string[]): Promise<KeyHolder[]> {
      const rows = await query<UserRow & HolderRow>(Prisma.sql`
        SELECT ${USER_COLUMNS}, k.hash, k.id, k.replaced_at AS "replacedAt", k.revoked_at AS "revokedAt",
          ${Prisma.raw(TERM_COLUMNS)}
        FROM unnest(${arrayOf('text', hashes)}) AS asked(hex) JOIN api_key k ON k.hash = decode(asked.hex, 'hex')
          JOIN "user" u ON u.key = k.user_key`);
      return rows.map((row) => toHolder(toUser(row), row));
    },

    /**
     * Returns the keys of users that changed since an earlier read. May repeat changes made during that read. Some ended
     * keys of `crowded` users may have been deleted.
     * @param listed called before the keys of the changed users are read
     */
    async changedSince(earlier: UserCursor | undefined, listed: () => void) {
      const { key, createdAt, changedAt } = earlier?.newest ?? { key: null, createdAt: null, changedAt: null };
      const [row] = await prisma.$queryRaw<[ChangesRow]>`
        SELECT clock_timestamp()::text AS now, (SELECT json_object_agg(key, changed_at::text) FROM "user"
            WHERE changed_at >= coalesce(${earlier?.asOf ?? null}::timestamptz, clock_timestamp())
              - make_interval(secs => ${COMMIT_LAG_SECONDS}::float8)) AS changes,
          (SELECT json_build_object('key', key, 'createdAt', created_at::text, 'changedAt', changed_at::text)
            FROM "user" ORDER BY changed_at DESC LIMIT 1) AS newest,
          ${key}::int IS NOT NULL AND NOT EXISTS (SELECT FROM "user" WHERE key = ${key}::int
            AND created_at = ${createdAt}::timestamptz AND changed_at >= ${changedAt}::timestamptz) AS "isRewound"`;
      listed();
      const seen = new Map(Object.entries(row.changes ?? {}));
      const fresh = [...seen].filter(([key, at]) => earlier?.seen.get(key) !== at).map(([key]) => Number(key));
      const users =
        fresh.length === 0
          ? []
          : await prisma.user.findMany({ where: { key: { in: fresh } }, include: { apiKeys: true } });
      const holders = users.flatMap((row) => {
        const user = toUser(row);
        return row.apiKeys.map((apiKey) => toHolder(user, apiKey));
      });
      const crowded = users.filter(({ apiKeys }) => apiKeys.length > MAX_DEAD_KEYS_PER_USER).map(({ key }) => key);
      const cursor: UserCursor = { asOf: row.now, seen, newest: row.newest ?? undefined };
      return { holders, users: new Set(fresh), crowded: new Set(crowded), isRewound: row.isRewound, cursor };
    },

    /**
     * Does not mark the user as changed. Skips locked rows, and returns their IDs for a retry. A key is read again
     * after its row has been locked, so no origin is written to a key that an erasure has just revoked.
     */
    async recordUse(uses: readonly KeyUse[]): Promise<number[]> {
      const ids = uses.map(({ id }) => id);
      const instants = uses.map(({ at }) => at);
      const origins = uses.map(({ origin }) => origin ?? '');
      const exposures = uses.map(({ exposedAt }) => exposedAt ?? 0);
      const rows = await query<{ id: number }>(Prisma.sql`
        WITH used AS MATERIALIZED (
          SELECT id, to_timestamp(nullif(at, 0) / 1000.0) AS at, nullif(origin, '') AS origin,
            to_timestamp(nullif(exposed, 0) / 1000.0) AS exposed
          FROM unnest(
              ${arrayOf('int', ids)}, ${arrayOf('bigint', instants)},
              (SELECT ${origins}::text[]), ${arrayOf('bigint', exposures)}) AS u(id, at, origin, exposed)),
        late AS MATERIALIZED (
          SELECT u.* FROM used u JOIN api_key k USING (id)
          WHERE k.revoked_at IS NULL
            AND (coalesce(k.last_used_at < u.at, u.at IS NOT NULL) OR u.origin <> coalesce(k.seen_origin, '')
              OR (u.exposed IS NOT NULL AND k.exposed_at IS NULL))),
        free AS MATERIALIZED (
          SELECT id FROM api_key WHERE id IN (SELECT id FROM late) AND revoked_at IS NULL FOR NO KEY UPDATE SKIP LOCKED),
        written AS (
          UPDATE api_key k SET last_used_at = greatest(k.last_used_at, l.at),
            seen_origin = coalesce(l.origin, k.seen_origin), exposed_at = coalesce(k.exposed_at, l.exposed)
          FROM late l JOIN free USING (id) WHERE k.id = l.id
          RETURNING k.id)
        SELECT id FROM late EXCEPT SELECT id FROM written`);
      return rows.map(({ id }) => id);
    },
  };
}

export type KeyHolderStore = ReturnType<typeof createKeyHolderStore>;
