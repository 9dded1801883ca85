import {
  type Authority,
  byService,
  MAX_DEAD_KEYS_PER_USER,
  MAX_KEYS_PER_USER,
  OWNER_SCOPES,
  type Scope,
  sharedScopes,
} from '#accounts/keys/api-key';
import { changeUser, IS_ACTIVE_OWNER } from '#accounts/keys/change-user-store';
import { iso } from '#core/clock';
import { audit, jsonOf } from '#database/audit';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { ApiKeyModel } from '#generated/prisma/models';

export type NewKey = { hash: string; start: string };
/** `expiresAt` in Unix ms; `dailyLimit` in calls per UTC date; `allowedOrigins` as browsers send them. */
export type KeyTerms = {
  label: string;
  scopes: readonly Scope[];
  expiresAt: number | null;
  dailyLimit: number | null;
  allowedOrigins: readonly string[] | null;
};
/** An undefined member stays as it is. */
export type KeyChanges = { [Term in keyof KeyTerms]?: KeyTerms[Term] | undefined };

/** Instants in Unix ms. */
export type StoredKey = {
  id: number;
  label: string | null;
  scopes: readonly Scope[];
  start: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  seenOrigin: string | null;
  expiresAt: number | null;
  replacedAt: number | null;
  dailyLimit: number | null;
  allowedOrigins: readonly string[] | null;
};

type KeyRow = Omit<ApiKeyModel, 'hash' | 'userKey'>;

export const orNull = (date: Date | null) => date?.getTime() ?? null;

export const toStoredKey = ({
  id,
  label,
  scopes,
  start,
  seenOrigin,
  dailyLimit,
  allowedOrigins,
  ...at
}: KeyRow): StoredKey => ({
  id,
  label,
  scopes: sharedScopes(scopes),
  start,
  seenOrigin,
  dailyLimit,
  allowedOrigins: allowedOrigins.length > 0 ? allowedOrigins : null,
  createdAt: at.createdAt.getTime(),
  lastUsedAt: orNull(at.lastUsedAt),
  expiresAt: orNull(at.expiresAt),
  replacedAt: orNull(at.replacedAt),
});

const scopeList = (scopes: readonly Scope[]) => Prisma.sql`${`{${scopes.join()}}`}::scope[]`;

/**
 * SQL fragment that selects all keys of a user. `dead_at` may lie in the future; `owns` marks owner keys that may
 * change the user.
 */
export const keysOf = (userKey: number) => Prisma.sql`mine AS (
  SELECT id, hash, replaced_at, least(revoked_at, expires_at) AS dead_at, 'account' = ANY(scopes) AS is_owner,
    ${IS_ACTIVE_OWNER} AS owns
  FROM api_key WHERE user_key = ${userKey})`;

const isUsable = (userKey: number, token: string, now: number) => Prisma.sql`
  EXISTS (SELECT 1 FROM mail_token
    WHERE hash = ${token} AND user_key = ${userKey} AND expires_at > ${iso(now)}::timestamptz)`;

/** SQL fragment that deletes all but the newest ended keys, so that no user can fill the table. */
const deleteSurplus = (now: number) => Prisma.sql`
  DELETE FROM api_key USING changed WHERE hash IN (
    SELECT hash FROM mine WHERE dead_at <= ${iso(now)}::timestamptz
    ORDER BY dead_at DESC OFFSET ${MAX_DEAD_KEYS_PER_USER}::int)`;

type Terms = { isGiven: Prisma.Sql; isAllowed?: Prisma.Sql; isVerified?: Prisma.Sql; used?: Prisma.Sql };
/** Instants in Unix ms. The replaced keys remain valid until `graceEnds`. */
type Replacement = { now: number; graceEnds: number };

export function createKeyStatements(prisma: PrismaClient) {
  const decide = <Row>(authority: Authority, statement: Prisma.Sql): Promise<Row | 'ended'> =>
    changeUser(prisma, authority, async (tx) => {
      const [row] = await tx.$queryRaw<[Row]>(statement);
      return row;
    });

  /**
   * Adds an owner key that replaces the keys selected by `isGiven` from `mine`. The replaced keys remain valid for
   * reading until `graceEnds`. Nothing changes if `isAllowed` is false (`ended`) or the user has too many keys.
   * @param used further statements of the form `name AS (…),` that run together with the change
   */
  async function replace(
    authority: Authority,
    { hash, start }: NewKey,
    { now, graceEnds }: Replacement,
    { isGiven, isAllowed = Prisma.sql`true`, isVerified = Prisma.sql`false`, used = Prisma.empty }: Terms,
  ): Promise<'replaced' | 'ended' | 'too_many'> {
    const { userKey, operator } = authority;
    const verdict = await decide<{ is_allowed: boolean; has_room: boolean }>(
      authority,
      Prisma.sql`
      WITH ${keysOf(userKey)},
      giving AS (SELECT hash FROM mine WHERE ${isGiven}),
      live AS (
        SELECT hash FROM mine WHERE coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz
          AND NOT (hash IN (SELECT hash FROM giving) AND ${iso(graceEnds)}::timestamptz <= ${iso(now)}::timestamptz)),
      verdict AS (
        SELECT ${isAllowed} AS is_allowed, (SELECT count(*) FROM live) < ${MAX_KEYS_PER_USER}::int AS has_room),
      changed AS (
        UPDATE "user" SET updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp(),
          verified_at = CASE WHEN ${isVerified} THEN ${iso(now)}::timestamptz ELSE verified_at END
        FROM verdict WHERE key = ${userKey} AND is_allowed AND has_room RETURNING key),
      ${used}
      ${audit(operator, {
        action: 'user.rotate',
        target: `user:${userKey}`,
        userKey,
        before: Prisma.sql`jsonb_build_object('ownerKeys', (SELECT json_agg(id) FROM mine WHERE ${isGiven}))`,
        after: jsonOf({ start, oldKeysEnd: iso(graceEnds) }),
      })}
      replaced AS (
        UPDATE api_key SET replaced_at = coalesce(replaced_at, ${iso(now)}::timestamptz),
          expires_at = ${iso(graceEnds)}::timestamptz
        FROM changed WHERE hash IN (SELECT hash FROM giving)),
      deleted AS (${deleteSurplus(now)}),
      added AS (
        INSERT INTO api_key (hash, user_key, scopes, start, created_at)
        SELECT ${hash}, key, ${scopeList(OWNER_SCOPES)}, ${start}, ${iso(now)}::timestamptz FROM changed)
      SELECT is_allowed, has_room FROM verdict`,
    );
    if (verdict === 'ended' || !verdict.is_allowed) return 'ended';
    return verdict.has_room ? 'replaced' : 'too_many';
  }

  return {
    /** Replaces the requesting owner key or, for the operator, every owner key. */
    replaceKeys: (authority: Authority, key: NewKey, replacement: Replacement) =>
      replace(authority, key, replacement, {
        isGiven: Prisma.sql`owns AND hash = coalesce(${authority.ownerKeyHash}::text, hash)`,
      }),

    /**
     * Ends every owner key immediately, including those in a grace period, and adds a new one. Returns `ended` for a
     * user without an active owner key.
     * @param token the hash of a one-time code, which must be usable. All codes of the user are then deleted, and the
     * user's address becomes verified.
     */
    recoverKeys(userKey: number, key: NewKey, now: number, token?: string) {
      const isGiven = Prisma.sql`owns OR is_owner AND dead_at > ${iso(now)}::timestamptz`;
      const hasOwner = Prisma.sql`EXISTS (SELECT 1 FROM mine WHERE owns)`;
      return replace(
        byService(userKey),
        key,
        { now, graceEnds: now },
        token === undefined
          ? { isGiven, isAllowed: hasOwner }
          : {
              isGiven,
              isAllowed: Prisma.sql`${hasOwner} AND ${isUsable(userKey, token, now)}`,
              isVerified: Prisma.sql`true`,
              used: Prisma.sql`used AS (DELETE FROM mail_token USING changed WHERE user_key = key),`,
            },
      );
    },

    /** Returns the new key's ID. Nothing changes if the user has too many keys. */
    async createKey(
      authority: Authority,
      { hash, start }: NewKey,
      { label, scopes, expiresAt, dailyLimit, allowedOrigins }: KeyTerms,
      now: number,
    ): Promise<number | 'ended' | 'too_many'> {
      const { userKey } = authority;
      const ends = expiresAt === null ? null : iso(expiresAt);
      const added = await decide<{ id: number | null }>(
        authority,
        Prisma.sql`
        WITH ${keysOf(userKey)},
        changed AS (
          UPDATE "user" SET changed_at = clock_timestamp()
          WHERE key = ${userKey}
            AND (SELECT count(*) FROM mine WHERE coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz)
              < ${MAX_KEYS_PER_USER}::int
          RETURNING key),
        deleted AS (${deleteSurplus(now)}),
        added AS (
          INSERT INTO api_key (
            hash, user_key, label, scopes, start, created_at, expires_at, daily_limit, allowed_origins)
          SELECT ${hash}, key, ${label}, ${scopeList(scopes)}, ${start}, ${iso(now)}::timestamptz, ${ends}::timestamptz,
            ${dailyLimit}::int, ${allowedOrigins && [...allowedOrigins]}::text[]
          FROM changed RETURNING id)
        SELECT (SELECT id FROM added) AS id`,
      );
      return added === 'ended' ? 'ended' : (added.id ?? 'too_many');
    },

    async listKeys(userKey: number, now: number): Promise<StoredKey[]> {
      const rows = await prisma.apiKey.findMany({
        where: { userKey, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }] },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      return rows.map(toStoredKey);
    },

    async deleteDeadKeys(before: number): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM api_key WHERE least(revoked_at, expires_at) < ${iso(before)}::timestamptz`;
    },
  };
}
