import { type Authority, MAX_DEAD_KEYS_PER_USER, OWNER_SCOPES, type Scope, sharedScopes } from '#accounts/keys/api-key';
import { changeUser, createUsersOfAddressStatement } from '#accounts/keys/change-user-store';
import { createKeyStatements, type NewKey } from '#accounts/keys/key-store';
import { createKeyUseStatement } from '#accounts/keys/key-use-store';
import { createUpdateKeyStatement } from '#accounts/keys/update-key-store';
import { createUserDataStatement, eraseUserData } from '#accounts/keys/user-data-store';
import type { Plan, Term } from '#accounts/ledger/plan';
import { iso } from '#core/clock';
import { arrayOf } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { ApiKeyModel, UserModel } from '#generated/prisma/models';

/** Instants in Unix ms. `name` and `email` are null once the user is erased. */
export type User = {
  key: number;
  name: string | null;
  email: string | null;
  plan: Plan;
  limit: number;
  anchor: number;
  createdAt: number;
  validUntil: number;
  updatedAt: number;
};

/** A key and its user; instants in Unix ms. */
export type KeyHolder = {
  hash: string;
  id: number;
  user: User;
  scopes: readonly Scope[];
  /** From this time on, the key is valid for reading only. */
  replacedAt: number | undefined;
  expiresAt: number | undefined;
  revokedAt: number | undefined;
  /** Calls allowed per UTC date. */
  dailyLimit: number | undefined;
};

type NewUser = Omit<User, 'key' | 'updatedAt'>;

const toUser = ({ key, name, email, plan, limit, ...at }: UserModel): User => ({
  key,
  name,
  email,
  plan,
  limit,
  anchor: at.anchor.getTime(),
  createdAt: at.createdAt.getTime(),
  validUntil: at.validUntil.getTime(),
  updatedAt: at.updatedAt.getTime(),
});

type HolderRow = Pick<ApiKeyModel, 'hash' | 'id' | 'scopes' | 'replacedAt' | 'expiresAt' | 'revokedAt' | 'dailyLimit'>;

const toHolder = (user: User, { hash, id, scopes, dailyLimit, ...at }: HolderRow): KeyHolder => ({
  hash,
  id,
  user,
  scopes: sharedScopes(scopes),
  replacedAt: at.replacedAt?.getTime(),
  expiresAt: at.expiresAt?.getTime(),
  revokedAt: at.revokedAt?.getTime(),
  dailyLimit: dailyLimit ?? undefined,
});

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
  const touch = (
    db: Prisma.TransactionClient,
    key: number,
    now: number,
    change: Prisma.Sql = Prisma.empty,
  ) => db.$executeRaw`
    UPDATE "user" SET updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp() ${change}
    WHERE key = ${key}`;

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

    async create({ anchor, createdAt, validUntil, ...rest }: NewUser, key: NewKey): Promise<User> {
      const row = await prisma.user.create({
        data: {
          ...rest,
          anchor: new Date(anchor),
          createdAt: new Date(createdAt),
          updatedAt: new Date(createdAt),
          validUntil: new Date(validUntil),
          apiKeys: { create: { ...key, scopes: [...OWNER_SCOPES], createdAt: new Date(createdAt) } },
        },
      });
      return toUser(row);
    },

    /** Uses a single statement, because calls wait for the result. */
    async findByHashes(hashes: readonly string[]): Promise<KeyHolder[]> {
      const rows = await query<UserModel & HolderRow>(Prisma.sql`
        SELECT u.key, u.name, u.email, u.plan::text, u."limit", u.anchor, u.created_at AS "createdAt",
          u.valid_until AS "validUntil", u.updated_at AS "updatedAt", k.hash, k.id, k.scopes::text[] AS scopes,
          k.replaced_at AS "replacedAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt",
          k.daily_limit AS "dailyLimit"
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

    async setLimit(key: number, limit: number, now: number): Promise<void> {
      await touch(prisma, key, now, Prisma.sql`, "limit" = ${limit}::int`);
    },

    /** Sets the term that `renewed` derives from the stored term. Returns `too_early` if the result is undefined. */
    renew: (authority: Authority, renewed: (user: User) => Term | undefined, now: number) =>
      changeUser(prisma, authority, async (tx) => {
        const key = authority.userKey;
        const term = renewed(toUser(await tx.user.findUniqueOrThrow({ where: { key } })));
        if (!term) return 'too_early';
        const [anchor, end] = [iso(term.anchor), iso(term.validUntil)];
        await touch(tx, key, now, Prisma.sql`, anchor = ${anchor}::timestamptz, valid_until = ${end}::timestamptz`);
        return 'renewed';
      }),

    async revokeKeys(key: number, now: number): Promise<number> {
      const [, { count }] = await prisma.$transaction([touch(prisma, key, now), revoke(prisma, key, now)]);
      return count;
    },

    /** Revokes every key, and erases all data of the user except the record number and the counts. */
    erase: (authority: Authority, now: number): Promise<'erased' | 'ended'> =>
      changeUser(prisma, authority, async (tx) => {
        await touch(tx, authority.userKey, now, Prisma.sql`, erased_at = ${iso(now)}::timestamptz`);
        await revoke(tx, authority.userKey, now);
        await eraseUserData(tx, authority.userKey);
        return 'erased' as const;
      }),

    /** Returns the keys of users that changed since an earlier read. May repeat changes made during that read. */
    async changedSince(earlier: UserCursor | undefined): Promise<Changes> {
      const { key, createdAt, changedAt } = earlier?.newest ?? { key: null, createdAt: null, changedAt: null };
      const [row] = await prisma.$queryRaw<[ChangesRow]>`
        SELECT clock_timestamp()::text AS now, (SELECT json_object_agg(key, changed_at::text) FROM "user"
            WHERE changed_at >= coalesce(${earlier?.asOf ?? null}::timestamptz, clock_timestamp())
              - make_interval(secs => ${COMMIT_LAG_SECONDS}::float8)) AS changes,
          (SELECT json_build_object('key', key, 'createdAt', created_at::text, 'changedAt', changed_at::text)
            FROM "user" ORDER BY changed_at DESC LIMIT 1) AS newest,
          ${key}::int IS NOT NULL AND NOT EXISTS (SELECT FROM "user" WHERE key = ${key}::int
            AND created_at = ${createdAt}::timestamptz AND changed_at >= ${changedAt}::timestamptz) AS "isRewound"`;
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
