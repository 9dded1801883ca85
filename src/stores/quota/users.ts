import { iso } from '#domain/clock';
import { MAX_DEAD_KEYS_PER_USER, MAX_KEYS_PER_USER } from '#domain/quota/api-key';
import type { Plan } from '#domain/quota/plan';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { ApiKeyModel, UserModel } from '#generated/prisma/models';
import { arrayOf } from './arrays.ts';

/** A user as stored; instants in Unix ms. `name` and `email` are null once the user was erased. */
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

/** A key as stored, and whose it is; instants in Unix ms. */
export type KeyHolder = {
  hash: string;
  user: User;
  /** Since when it only reads, because another key took its place. */
  replacedAt: number | undefined;
  /** When its grace ends. */
  expiresAt: number | undefined;
  revokedAt: number | undefined;
};

type NewUser = Omit<User, 'key' | 'updatedAt'>;

function toUser(row: UserModel): User {
  const { key, name, email, plan, limit } = row;
  return {
    key,
    name,
    email,
    plan,
    limit,
    anchor: row.anchor.getTime(),
    createdAt: row.createdAt.getTime(),
    validUntil: row.validUntil.getTime(),
    updatedAt: row.updatedAt.getTime(),
  };
}

const toHolder = (user: User, { hash, replacedAt, expiresAt, revokedAt }: ApiKeyModel): KeyHolder => ({
  hash,
  user,
  replacedAt: replacedAt?.getTime(),
  expiresAt: expiresAt?.getTime(),
  revokedAt: revokedAt?.getTime(),
});

/** The outcome of a rotation: `ended` when the key presented, or its user, is no longer alive. */
type Replacement = 'replaced' | 'ended' | 'too_many';

/** A change is dated before its transaction commits, so changes this close together may become visible in any order. */
const COMMIT_LAG_SECONDS = 15;

/** How far changes were read: the database's time then, and the changes that the next read would see again. */
export type UserCursor = { readonly asOf: string; readonly seen: ReadonlyMap<string, string> };

type Changes = {
  holders: KeyHolder[];
  /** The users that changed, and those of them with so many keys that dead ones may have been deleted. */
  users: ReadonlySet<number>;
  crowded: ReadonlySet<number>;
  cursor: UserCursor;
};

/**
 * The rows of `User` and `ApiKey`. Every change dates the user by the database's clock, for `changedSince`.
 * @param query gives the rows of a statement for which callers wait: past Prisma, where there is a shorter way
 */
export function createUserStore(
  prisma: PrismaClient,
  query = <Row>(sql: Prisma.Sql): Promise<Row[]> => prisma.$queryRaw<Row[]>(sql),
) {
  /** Dates a change, and locks the user until it is done. */
  const touch = (key: number, now: number, change: Prisma.Sql = Prisma.empty) => prisma.$executeRaw`
    UPDATE "user" SET updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp() ${change}
    WHERE key = ${key}`;

  const revoke = (key: number, now: number) =>
    prisma.apiKey.updateMany({
      where: { userKey: key, revokedAt: null },
      data: { revokedAt: new Date(now) },
    });

  return {
    /** A user and the first key, or neither. */
    async create({ anchor, createdAt, validUntil, ...rest }: NewUser, hash: string): Promise<User> {
      const row = await prisma.user.create({
        data: {
          ...rest,
          anchor: new Date(anchor),
          createdAt: new Date(createdAt),
          updatedAt: new Date(createdAt),
          validUntil: new Date(validUntil),
          apiKeys: { create: { hash, createdAt: new Date(createdAt) } },
        },
      });
      return toUser(row);
    },

    /** In one statement, since callers wait for it. */
    async findByHashes(hashes: readonly string[]): Promise<KeyHolder[]> {
      const rows = await query<UserModel & ApiKeyModel>(Prisma.sql`
        SELECT u.key, u.name, u.email, u.plan::text, u."limit", u.anchor, u.created_at AS "createdAt",
          u.valid_until AS "validUntil", u.updated_at AS "updatedAt", k.hash, k.replaced_at AS "replacedAt",
          k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
        FROM unnest(${arrayOf('bpchar', hashes)}) AS asked(hash) JOIN api_key k USING (hash)
          JOIN "user" u ON u.key = k.user_key`);
      return rows.map((row) => toHolder(toUser(row), row));
    },

    async find(key: number): Promise<User | undefined> {
      const row = await prisma.user.findUnique({ where: { key } });
      return row ? toUser(row) : undefined;
    },

    /** Every user, by record number. */
    async list(): Promise<User[]> {
      const rows = await prisma.user.findMany({ orderBy: { key: 'asc' } });
      return rows.map(toUser);
    },

    async setLimit(key: number, limit: number, now: number): Promise<void> {
      await touch(key, now, Prisma.sql`, "limit" = ${limit}::int`);
    },

    /** Sets a new term, unless the one that it was computed from has changed meanwhile; tells whether it was set. */
    async renew(user: User, term: { anchor: number; validUntil: number }, now: number): Promise<boolean> {
      const count = await prisma.$executeRaw`
        UPDATE "user" SET anchor = ${iso(term.anchor)}::timestamptz, valid_until = ${iso(term.validUntil)}::timestamptz,
          updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp()
        WHERE key = ${user.key} AND valid_until = ${iso(user.validUntil)}::timestamptz`;
      return count > 0;
    },

    /**
     * Adds a key. The keys that it replaces go on, for reading only, until `graceEnds`. With `presented`, the hash of the
     * key that asked for it, only that key is replaced, and only while it is alive. Nothing changes when the user has too
     * many keys. Of the dead keys the newest stay, so that nobody fills the table.
     * Race: the user is locked before the one statement that decides, as for a revocation, so of two at once the second
     * sees what the first has done.
     */
    async replaceKeys(
      key: number,
      hash: string,
      { now, graceEnds, presented = null }: { now: number; graceEnds: number; presented?: string | null },
    ): Promise<Replacement> {
      const [, [row]] = await prisma.$transaction([
        prisma.$queryRaw`SELECT key FROM "user" WHERE key = ${key} FOR NO KEY UPDATE`,
        prisma.$queryRaw<[{ is_living: boolean; has_room: boolean }]>`
        WITH mine AS (
          SELECT hash, least(revoked_at, expires_at) AS dead_at,
            replaced_at IS NULL AND revoked_at IS NULL AND hash = coalesce(${presented}::text, hash) AS gives_way
          FROM api_key WHERE user_key = ${key}),
        live AS (
          SELECT hash FROM mine WHERE coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz
            AND NOT (gives_way AND ${iso(graceEnds)}::timestamptz <= ${iso(now)}::timestamptz)),
        verdict AS (
          SELECT EXISTS (SELECT 1 FROM "user" WHERE key = ${key} AND erased_at IS NULL)
              AND (${presented}::text IS NULL OR EXISTS (SELECT 1 FROM mine WHERE gives_way)) AS is_living,
            (SELECT count(*) FROM live) < ${MAX_KEYS_PER_USER}::int AS has_room),
        changed AS (
          UPDATE "user" SET updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp()
          FROM verdict WHERE key = ${key} AND is_living AND has_room RETURNING key),
        replaced AS (
          UPDATE api_key SET replaced_at = ${iso(now)}::timestamptz, expires_at = ${iso(graceEnds)}::timestamptz
          FROM changed WHERE hash IN (SELECT hash FROM mine WHERE gives_way)),
        deleted AS (
          DELETE FROM api_key USING changed WHERE hash IN (
            SELECT hash FROM mine WHERE dead_at <= ${iso(now)}::timestamptz ORDER BY dead_at DESC OFFSET ${MAX_DEAD_KEYS_PER_USER}::int)),
        added AS (
          INSERT INTO api_key (hash, user_key, created_at)
          SELECT ${hash}, key, ${iso(now)}::timestamptz FROM changed)
        SELECT is_living, has_room FROM verdict`,
      ]);
      if (!row.is_living) return 'ended';
      return row.has_room ? 'replaced' : 'too_many';
    },

    /** Keys that died before an instant are no more. */
    async deleteDeadKeys(before: number): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM api_key WHERE least(revoked_at, expires_at) < ${iso(before)}::timestamptz`;
    },

    /** Every key of a user is dead from now on; gives how many there were. */
    async revokeKeys(key: number, now: number): Promise<number> {
      const [, { count }] = await prisma.$transaction([touch(key, now), revoke(key, now)]);
      return count;
    },

    /** As `revokeKeys`, and the name and the e-mail are gone. */
    async erase(key: number, now: number): Promise<void> {
      const erased = Prisma.sql`, name = NULL, email = NULL, erased_at = ${iso(now)}::timestamptz`;
      await prisma.$transaction([touch(key, now, erased), revoke(key, now)]);
    },

    /**
     * The keys of the users that changed since an earlier read, and the cursor for the next. A change that was made while
     * it was read may come twice.
     */
    async changedSince(earlier: UserCursor | undefined): Promise<Changes> {
      const [row] = await prisma.$queryRaw<[{ now: string; changes: Record<string, string> | null }]>`
        SELECT clock_timestamp()::text AS now, (SELECT json_object_agg(key, changed_at::text) FROM "user"
          WHERE changed_at >= coalesce(${earlier?.asOf ?? null}::timestamptz, clock_timestamp())
            - make_interval(secs => ${COMMIT_LAG_SECONDS}::float8)) AS changes`;
      const seen = new Map(Object.entries(row.changes ?? {}));
      const fresh = [...seen]
        .filter(([key, at]) => earlier?.seen.get(key) !== at)
        .map(([key]) => Number(key));
      const users =
        fresh.length === 0
          ? []
          : await prisma.user.findMany({ where: { key: { in: fresh } }, include: { apiKeys: true } });
      const holders = users.flatMap((user) => user.apiKeys.map((apiKey) => toHolder(toUser(user), apiKey)));
      const crowded = users
        .filter(({ apiKeys }) => apiKeys.length > MAX_DEAD_KEYS_PER_USER)
        .map(({ key }) => key);
      return { holders, users: new Set(fresh), crowded: new Set(crowded), cursor: { asOf: row.now, seen } };
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
