import { iso } from '#domain/clock';
import type { Plan } from '#domain/quota/plan';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { ApiKeyModel, UserModel } from '#generated/prisma/models';

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

export type NewUser = Omit<User, 'key' | 'updatedAt'>;

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

/** How many keys of a user are stored: those that can still be used, and of the dead the newest. */
export const KEYS = { live: 20, dead: 30 } as const;

/** What became of a key that was to be replaced. */
export type Replacement = 'replaced' | 'ended' | 'too_many';

/** Transactions are short: what the database dates within this of one another may become visible in any order. */
const COMMIT_LAG_SECONDS = 15;

/** Where a look for changes ended: by the database's time, with the changes that another look at them would see again. */
export type Look = { readonly asOf: string; readonly seen: ReadonlyMap<string, string> };

type Changes = { holders: KeyHolder[]; crowded: ReadonlySet<number>; look: Look };

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
        FROM api_key k JOIN "user" u ON u.key = k.user_key WHERE k.hash = ANY(${`{${hashes.join()}}`}::bpchar[])`);
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

    /** Gives a term its place only if the one it was reckoned from still stands; tells whether it did. */
    async renew(user: User, term: { anchor: number; validUntil: number }, now: number): Promise<boolean> {
      const count = await prisma.$executeRaw`
        UPDATE "user" SET anchor = ${iso(term.anchor)}::timestamptz, valid_until = ${iso(term.validUntil)}::timestamptz,
          updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp()
        WHERE key = ${user.key} AND valid_until = ${iso(user.validUntil)}::timestamptz`;
      return count > 0;
    },

    /**
     * Adds a key; the ones in whose place it comes go on, for reading only, until `graceEnds`. With the hash of the
     * key that was presented for it, only if that one is still the living one; and only while the user has few enough
     * keys. Of those that are dead the newest stay, so that nobody fills the table. The user is locked before the one
     * statement that decides, as for a revocation: of two that meet, the second sees what the first has done.
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
            (SELECT count(*) FROM live) < ${KEYS.live}::int AS has_room),
        changed AS (
          UPDATE "user" SET updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp()
          FROM verdict WHERE key = ${key} AND is_living AND has_room RETURNING key),
        replaced AS (
          UPDATE api_key SET replaced_at = ${iso(now)}::timestamptz, expires_at = ${iso(graceEnds)}::timestamptz
          FROM changed WHERE hash IN (SELECT hash FROM mine WHERE gives_way)),
        deleted AS (
          DELETE FROM api_key USING changed WHERE hash IN (
            SELECT hash FROM mine WHERE dead_at <= ${iso(now)}::timestamptz ORDER BY dead_at DESC OFFSET ${KEYS.dead}::int)),
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
     * The keys of users that changed since an earlier look, and where this look ended. A change may be told twice if it
     * was made while it was read. `crowded` are those of the users of whom dead keys may have been deleted.
     */
    async changedSince(earlier: Look | undefined): Promise<Changes> {
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
      const crowded = users.filter(({ apiKeys }) => apiKeys.length > KEYS.dead).map(({ key }) => key);
      return { holders, crowded: new Set(crowded), look: { asOf: row.now, seen } };
    },
  };
}

export type UserStore = ReturnType<typeof createUserStore>;
