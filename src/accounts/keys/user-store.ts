import { type Authority, MAX_DEAD_KEYS_PER_USER, OWNER_SCOPES } from '#accounts/keys/api-key';
import { changeUser, createUsersOfAddressStatement } from '#accounts/keys/change-user-store';
import {
  type HolderRow,
  type KeyHolder,
  toHolder,
  toUser,
  USER_COLUMNS,
  type User,
} from '#accounts/keys/key-holder-store';
import { createKeyStatements, type NewKey } from '#accounts/keys/key-store';
import { createKeyUseStatement } from '#accounts/keys/key-use-store';
import { createUpdateKeyStatement } from '#accounts/keys/update-key-store';
import { createUserDataStatement, eraseUserData } from '#accounts/keys/user-data-store';
import { startDuePlans } from '#accounts/ledger/next-plan-store';
import type { Term } from '#accounts/ledger/plan';
import { iso } from '#core/clock';
import type { AuditAction, Operator } from '#core/operator';
import { audit, jsonOf } from '#database/audit';
import { arrayOf, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { UserModel } from '#generated/prisma/models';

export type { KeyHolder, User } from './key-holder-store.ts';

type NewUser = Omit<User, 'key' | 'updatedAt' | 'next' | 'suspension'>;

/** A change is dated before it commits. Two changes within this time may become visible in either order. */
const COMMIT_LAG_SECONDS = 15;

/** Two users may have the same record number: after a failover, the database may reuse the number of a lost user. */
type Change = { key: number; createdAt: string; changedAt: string };
/** The database's time at a read, the changes that the next read will find again, and the newest change. */
export type UserCursor = {
  readonly asOf: string;
  readonly seen: ReadonlyMap<string, string>;
  readonly newest: Change | undefined;
};

type ChangesRow = { now: string; changes: Record<string, string> | null; newest: Change | null; isRewound: boolean };
type Changes = {
  holders: KeyHolder[];
  users: ReadonlySet<number>;
  /** Changed users with many keys. Some of their ended keys may have been deleted. */
  crowded: ReadonlySet<number>;
  /** Whether the newest known change is missing, as after a failover to a lagging replica. */
  isRewound: boolean;
  cursor: UserCursor;
};

/**
 * Every change sets a time in the user's row, by the database's clock, for `changedSince`.
 * @param query runs the statements that calls wait for; it may bypass Prisma for speed
 */
export function createUserStore(
  prisma: PrismaClient,
  query = <Row>(sql: Prisma.Sql): Promise<Row[]> => prisma.$queryRaw<Row[]>(sql),
) {
  /** Marks a user as changed, and locks the row until the transaction ends. */
  async function touch(
    db: Prisma.TransactionClient,
    { userKey, operator }: Authority,
    now: number,
    event: { action: AuditAction; before?: Prisma.Sql; after?: Prisma.Sql; from?: Prisma.Sql },
    change: Prisma.Sql = Prisma.empty,
  ): Promise<void> {
    await db.$queryRaw`
      WITH changed AS (
        UPDATE "user" SET updated_at = ${toInstant(now)}, changed_at = clock_timestamp() ${change}
        WHERE key = ${userKey} RETURNING key),
      ${audit(operator, { ...event, target: `user:${userKey}`, userKey })}
      done AS (SELECT key FROM changed)
      SELECT key FROM done`;
  }

  const revoke = (db: Prisma.TransactionClient, key: number, now: number) =>
    db.apiKey.updateMany({ where: { userKey: key, revokedAt: null }, data: { revokedAt: new Date(now) } });

  return {
    ...createKeyStatements(prisma),
    ...createUpdateKeyStatement(prisma),
    ...createKeyUseStatement(query),
    ...createUsersOfAddressStatement(prisma),
    ...createUserDataStatement(prisma),

    change: <Result>(
      authority: Authority,
      work: (tx: Prisma.TransactionClient) => Promise<Result>,
    ): Promise<Result | 'ended'> => changeUser(prisma, authority, work),

    /** One statement adds the user, the owner key and, for the operator, the audit event. */
    async create(user: NewUser, { hash, start }: NewKey, operator?: Operator): Promise<User> {
      const { name, email, plan, limit, anchor, createdAt, validUntil } = user;
      const at = toInstant(createdAt);
      const values = { plan, limit, validUntil: iso(validUntil) };
      const [row] = await prisma.$queryRaw<[{ key: number }]>`
        WITH changed AS (
          INSERT INTO "user" (name, email, plan, "limit", anchor, created_at, valid_until, updated_at)
          VALUES (${name}, ${email}, ${plan}::plan, ${limit}::int, ${toInstant(anchor)}, ${at}, ${toInstant(validUntil)},
            ${at})
          RETURNING key),
        ${audit(operator, {
          action: 'user.create',
          target: Prisma.sql`'user:' || key`,
          userKey: Prisma.sql`key`,
          after: jsonOf(values),
        })}
        owned AS (
          INSERT INTO api_key (hash, user_key, scopes, start, created_at)
          SELECT ${hash}, key, ${arrayOf('scope', OWNER_SCOPES)}, ${start}, ${at} FROM changed)
        SELECT key FROM changed`;
      return { ...user, key: row.key, updatedAt: createdAt, next: undefined, suspension: undefined };
    },

    /** Uses a single statement, because calls wait for the result. */
    async findByHashes(hashes: readonly string[]): Promise<KeyHolder[]> {
      const rows = await query<UserModel & HolderRow>(Prisma.sql`
        SELECT ${USER_COLUMNS}, k.hash, k.id, k.scopes::text[] AS scopes,
          k.replaced_at AS "replacedAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
          k.daily_limit AS "dailyLimit", k.allowed_origins AS "allowedOrigins"
        FROM unnest(${arrayOf('bpchar', hashes)}) AS asked(hash) JOIN api_key k USING (hash)
          JOIN "user" u ON u.key = k.user_key`);
      return rows.map((row) => toHolder(toUser(row), row));
    },

    async find(key: number): Promise<User | undefined> {
      const row = await prisma.user.findUnique({ where: { key } });
      return row ? toUser(row) : undefined;
    },

    async list(): Promise<User[]> {
      return (await prisma.user.findMany({ orderBy: { key: 'asc' } })).map(toUser);
    },

    /** Sets the term that `renewed` derives from the stored one, or returns `too_early` if there is none. */
    renew: (authority: Authority, renewed: (user: User) => Term | undefined, now: number) =>
      changeUser(prisma, authority, async (tx) => {
        const key = authority.userKey;
        await tx.$executeRaw(startDuePlans(now, key));
        const user = toUser(await tx.user.findUniqueOrThrow({ where: { key } }));
        const term = renewed(user);
        if (!term) return 'too_early';
        const { anchor, validUntil } = term;
        const event = {
          action: 'user.renew' as const,
          before: jsonOf({ validUntil: iso(user.validUntil) }),
          after: jsonOf({ validUntil: iso(validUntil) }),
        };
        const change = Prisma.sql`, anchor = ${toInstant(anchor)}, valid_until = ${toInstant(validUntil)}`;
        await touch(tx, authority, now, event, change);
        return 'renewed';
      }),

    /** Revokes every key of a user. Returns the number of revoked keys. */
    revokeKeys: (authority: Authority, now: number): Promise<number | 'ended'> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey } = authority;
        const live = Prisma.sql`FROM api_key WHERE user_key = ${userKey} AND revoked_at IS NULL`;
        const event = {
          action: 'user.revoke' as const,
          before: Prisma.sql`jsonb_build_object('keys', (SELECT json_agg(id) ${live}))`,
          after: jsonOf({ keys: [] }),
          from: Prisma.sql`changed WHERE EXISTS (SELECT ${live})`,
        };
        await touch(tx, authority, now, event);
        const { count } = await revoke(tx, userKey, now);
        return count;
      }),

    /** Revokes every key, and erases all data of the user except the record number and the counts. */
    erase: (authority: Authority, now: number): Promise<'erased' | 'ended'> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey } = authority;
        const event = { action: 'user.erase' as const, after: jsonOf({ erased: true }) };
        await touch(tx, authority, now, event, Prisma.sql`, erased_at = ${toInstant(now)}`);
        await revoke(tx, userKey, now);
        await eraseUserData(tx, userKey);
        return 'erased' as const;
      }),

    /**
     * Returns the keys of users that changed since an earlier read. May repeat changes made during that read.
     * @param listed called when the changed users are known, before their keys are read
     */
    async changedSince(earlier: UserCursor | undefined, listed: () => void): Promise<Changes> {
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
      const cursor = { asOf: row.now, seen, newest: row.newest ?? undefined };
      return { holders, users: new Set(fresh), crowded: new Set(crowded), isRewound: row.isRewound, cursor };
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
