import { iso } from '#core/clock';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { ApiKeyModel } from '#generated/prisma/models';
import { MAX_DEAD_KEYS_PER_USER, MAX_KEYS_PER_USER } from './key-limits.ts';
import { OWNER_SCOPES, type Scope, sharedScopes } from './scopes.ts';

/** What is stored of the text of a new key. */
export type NewKey = { hash: string; start: string };

/** What its owner says of a new key; `expiresAt` in Unix ms. */
export type KeyTerms = { label: string; scopes: readonly Scope[]; expiresAt: number | null };

/** A key as its owner sees it; instants in Unix ms. */
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
};

type KeyRow = Omit<ApiKeyModel, 'hash' | 'userKey'>;

const orNull = (date: Date | null) => date?.getTime() ?? null;

export const toStoredKey = ({ id, label, scopes, start, seenOrigin, ...at }: KeyRow): StoredKey => ({
  ...{ id, label, scopes: sharedScopes(scopes), start, seenOrigin },
  createdAt: at.createdAt.getTime(),
  lastUsedAt: orNull(at.lastUsedAt),
  expiresAt: orNull(at.expiresAt),
  replacedAt: orNull(at.replacedAt),
});

/** When a change is made, and the hash of the owner key that asks for it, if a key does. */
type Asked = { now: number; presented?: string | null };

/**
 * The outcome of a change that a key asks for: `ended` when that key is no living owner key any more, or its user is
 * erased.
 */
type Refused = 'ended' | 'too_many';
type Verdict = { is_living: boolean; has_room: boolean };

const outcomeOf = ({ is_living, has_room }: Verdict): Refused | undefined => {
  if (!is_living) return 'ended';
  return has_room ? undefined : 'too_many';
};

/** Scopes as the database has them. */
export const scopeList = (scopes: readonly Scope[]) => Prisma.sql`${`{${scopes.join()}}`}::scope[]`;

/** Every key of a user, when it died or will, and whether it is an owner key that may change something. */
const keysOf = (userKey: number) => Prisma.sql`mine AS (
  SELECT id, hash, replaced_at, least(revoked_at, expires_at) AS dead_at, 'account' = ANY(scopes) AS is_owner,
    'account' = ANY(scopes) AND replaced_at IS NULL AND revoked_at IS NULL AS owns
  FROM api_key WHERE user_key = ${userKey})`;

/** Whether the user is there, with the living owner key that asks, if one does. */
const isLiving = (userKey: number, presented: string | null) => Prisma.sql`
  EXISTS (SELECT 1 FROM "user" WHERE key = ${userKey} AND erased_at IS NULL)
    AND (${presented}::text IS NULL OR EXISTS (SELECT 1 FROM mine WHERE owns AND hash = ${presented}))`;

/** Whether a token that was mailed to a user can be used. */
const isUsable = (userKey: number, token: string | null, now: number) => Prisma.sql`
  EXISTS (SELECT 1 FROM mail_token
    WHERE hash = ${token}::text AND user_key = ${userKey} AND expires_at > ${iso(now)}::timestamptz)`;

/** Of the dead keys the newest stay, so that nobody fills the table. */
const deleteSurplus = (now: number) => Prisma.sql`
  DELETE FROM api_key USING changed WHERE hash IN (
    SELECT hash FROM mine WHERE dead_at <= ${iso(now)}::timestamptz
    ORDER BY dead_at DESC OFFSET ${MAX_DEAD_KEYS_PER_USER}::int)`;

/** The statements that decide about the keys of a user. Each dates the user as changed. */
export function createKeyStatements(prisma: PrismaClient) {
  /**
   * The row of a statement that decides about a user's keys.
   * Race: the user is locked before it, as for a revocation, so of two at once the second sees what the first has done.
   */
  async function decide<Row>(userKey: number, statement: Prisma.Sql): Promise<Row> {
    const [, [row]] = await prisma.$transaction([
      prisma.$queryRaw`SELECT key FROM "user" WHERE key = ${userKey} FOR NO KEY UPDATE`,
      prisma.$queryRaw<[Row]>(statement),
    ]);
    return row;
  }

  return {
    /**
     * Adds an owner key. The owner keys that it replaces go on, for reading only, until `graceEnds`; keys of other
     * scopes are left alone. With `presented` only that key is replaced, and only while it is alive; with `isRecovery`
     * those that were replaced before end as well, and there must be a living one. With `token`, the hash of one that was
     * mailed, it must be there to be used: then all that the user was mailed are no more, and the address is the user's.
     * Nothing changes when the user has too many keys.
     */
    async replaceKeys(
      userKey: number,
      { hash, start }: NewKey,
      {
        now,
        graceEnds,
        presented = null,
        isRecovery = false,
        token = null,
      }: Asked & { graceEnds: number; isRecovery?: boolean; token?: string | null },
    ): Promise<Refused | 'replaced'> {
      const verdict = await decide<Verdict>(
        userKey,
        Prisma.sql`
        WITH ${keysOf(userKey)},
        giving AS (
          SELECT hash FROM mine WHERE hash = coalesce(${presented}::text, hash)
            AND (owns OR ${isRecovery} AND is_owner AND dead_at > ${iso(graceEnds)}::timestamptz)),
        live AS (
          SELECT hash FROM mine WHERE coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz
            AND NOT (hash IN (SELECT hash FROM giving) AND ${iso(graceEnds)}::timestamptz <= ${iso(now)}::timestamptz)),
        verdict AS (
          SELECT ${isLiving(userKey, presented)} AND (NOT ${isRecovery} OR EXISTS (SELECT 1 FROM mine WHERE owns))
              AND (${token}::text IS NULL OR ${isUsable(userKey, token, now)}) AS is_living,
            (SELECT count(*) FROM live) < ${MAX_KEYS_PER_USER}::int AS has_room),
        changed AS (
          UPDATE "user" SET updated_at = ${iso(now)}::timestamptz, changed_at = clock_timestamp(),
            verified_at = CASE WHEN ${token}::text IS NULL THEN verified_at ELSE ${iso(now)}::timestamptz END
          FROM verdict WHERE key = ${userKey} AND is_living AND has_room RETURNING key),
        used AS (DELETE FROM mail_token USING changed WHERE user_key = key AND ${token}::text IS NOT NULL),
        replaced AS (
          UPDATE api_key SET replaced_at = coalesce(replaced_at, ${iso(now)}::timestamptz),
            expires_at = ${iso(graceEnds)}::timestamptz
          FROM changed WHERE hash IN (SELECT hash FROM giving)),
        deleted AS (${deleteSurplus(now)}),
        added AS (
          INSERT INTO api_key (hash, user_key, scopes, start, created_at)
          SELECT ${hash}, key, ${scopeList(OWNER_SCOPES)}, ${start}, ${iso(now)}::timestamptz FROM changed)
        SELECT is_living, has_room FROM verdict`,
      );
      return outcomeOf(verdict) ?? 'replaced';
    },

    /** Adds a key of its owner's terms, and gives its id. Nothing changes when the user has too many keys. */
    async createKey(
      userKey: number,
      { hash, start }: NewKey,
      { label, scopes, expiresAt }: KeyTerms,
      { now, presented = null }: Asked,
    ): Promise<Refused | number> {
      const ends = expiresAt === null ? null : iso(expiresAt);
      const verdict = await decide<Verdict & { id: number | null }>(
        userKey,
        Prisma.sql`
        WITH ${keysOf(userKey)},
        verdict AS (
          SELECT ${isLiving(userKey, presented)} AS is_living,
            (SELECT count(*) FROM mine WHERE coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz)
              < ${MAX_KEYS_PER_USER}::int AS has_room),
        changed AS (
          UPDATE "user" SET changed_at = clock_timestamp()
          FROM verdict WHERE key = ${userKey} AND is_living AND has_room RETURNING key),
        deleted AS (${deleteSurplus(now)}),
        added AS (
          INSERT INTO api_key (hash, user_key, label, scopes, start, created_at, expires_at)
          SELECT ${hash}, key, ${label}, ${scopeList(scopes)}, ${start}, ${iso(now)}::timestamptz, ${ends}::timestamptz
          FROM changed RETURNING id)
        SELECT is_living, has_room, (SELECT id FROM added) AS id FROM verdict`,
      );
      return outcomeOf(verdict) ?? (verdict.id as number);
    },

    /**
     * Ends a key of a user at once, unless it is the owner key, of which there is one that was not replaced. A key that
     * has ended already stays as it is.
     */
    async deleteKey(
      userKey: number,
      id: number,
      { now, presented = null }: Asked,
    ): Promise<'deleted' | 'ended' | 'unknown' | 'last_owner'> {
      const verdict = await decide<{ is_living: boolean; is_known: boolean; is_owner: boolean }>(
        userKey,
        Prisma.sql`
        WITH ${keysOf(userKey)},
        verdict AS (
          SELECT ${isLiving(userKey, presented)} AS is_living,
            EXISTS (SELECT 1 FROM mine WHERE id = ${id}) AS is_known,
            EXISTS (SELECT 1 FROM mine WHERE id = ${id} AND owns) AS is_owner),
        changed AS (
          UPDATE "user" SET changed_at = clock_timestamp()
          FROM verdict WHERE key = ${userKey} AND is_living AND is_known AND NOT is_owner RETURNING key),
        revoked AS (
          UPDATE api_key SET revoked_at = ${iso(now)}::timestamptz FROM changed
          WHERE id IN (SELECT id FROM mine
            WHERE id = ${id} AND coalesce(dead_at, 'infinity') > ${iso(now)}::timestamptz))
        SELECT is_living, is_known, is_owner FROM verdict`,
      );
      if (!verdict.is_living) return 'ended';
      if (!verdict.is_known) return 'unknown';
      return verdict.is_owner ? 'last_owner' : 'deleted';
    },

    /** The living keys of a user, the newest first. */
    async listKeys(userKey: number, now: number): Promise<StoredKey[]> {
      const rows = await prisma.apiKey.findMany({
        where: { userKey, revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: new Date(now) } }] },
        orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      });
      return rows.map(toStoredKey);
    },

    /** Keys that died before an instant are no more. */
    async deleteDeadKeys(before: number): Promise<void> {
      await prisma.$executeRaw`
        DELETE FROM api_key WHERE least(revoked_at, expires_at) < ${iso(before)}::timestamptz`;
    },
  };
}
