import { type InMs, inMs, iso } from '#core/clock';
import { Problem } from '#core/problems';
import { jsonOf } from '#database/audit';
import { arrayOf, toBytes, toInstant } from '#database/values';
import { Prisma, type PrismaClient } from '#generated/prisma/client';
import type { ApiKeyModel } from '#generated/prisma/models';
import type { Authority } from '#users/authority';
import type { OwnerKey } from '#users/user';
import { changeUser, updateUser } from '#users/user-changes';
import { MAX_DEAD_KEYS_PER_USER, MAX_KEYS_PER_USER } from './api-key.ts';
import { assertChangeable, assertComplete, type TermValues, termsOfRow, termsToRow } from './terms/terms.ts';

type Tx = Prisma.TransactionClient;
type NewKey = Pick<OwnerKey, 'hash' | 'start'>;
export type KeyTerms = TermValues & { label: string };
/** An undefined member is not changed. */
export type KeyChanges = { [Term in keyof KeyTerms]?: KeyTerms[Term] | undefined };

type Hidden = 'hash' | 'userKey' | 'nodeDate' | 'nodeRequests';
/** Instants in Unix ms. */
export type StoredKey = Omit<InMs<ApiKeyModel>, Hidden | keyof TermValues> & TermValues;

const toStoredKey = ({ hash: _, userKey: __, nodeDate: ___, nodeRequests: ____, ...row }: ApiKeyModel): StoredKey => ({
  ...inMs(row),
  ...termsOfRow(row),
});

/** A key with the state that determines whether it may make changes. `owns`: an owner key that may change the user. */
type Ownership = { id: number; hash: string; isOwner: boolean; owns: boolean; endsAt: number };

async function keyStates(tx: Tx, userKey: number): Promise<Ownership[]> {
  const rows = await tx.apiKey.findMany({ where: { userKey }, orderBy: { id: 'asc' } });
  return rows.map(({ id, hash, scopes, replacedAt, revokedAt, expiresAt }) => {
    const isOwner = scopes.includes('account');
    const owns = isOwner && replacedAt === null && revokedAt === null;
    const endsAt = Math.min(revokedAt?.getTime() ?? Infinity, expiresAt?.getTime() ?? Infinity);
    return { id, hash: Buffer.from(hash).toString('hex'), isOwner, owns, endsAt };
  });
}

function assertRoom(live: readonly Ownership[]): void {
  if (live.length < MAX_KEYS_PER_USER) return;
  const detail =
    `The user already has ${MAX_KEYS_PER_USER} active keys. Replaced keys count until their grace period ` +
    'ends. Delete an unused key.';
  throw new Problem('too_many_keys', detail);
}

/** Deletes all ended keys except the newest, so that no user can fill the table. */
async function deleteSurplus(tx: Tx, states: readonly Ownership[], now: number): Promise<void> {
  const ended = states.filter(({ endsAt }) => endsAt <= now).sort((one, other) => other.endsAt - one.endsAt);
  const surplus = ended.slice(MAX_DEAD_KEYS_PER_USER).map(({ id }) => id);
  if (surplus.length > 0) await tx.apiKey.deleteMany({ where: { id: { in: surplus } } });
}

const activeAt = (at: Date) => ({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] });

/** Instants in Unix ms. The replaced keys remain valid until `graceEnds`. */
type Replacement = { now: number; graceEnds: number };

/** Adds an owner key that replaces other owner keys. The replaced keys remain valid for reading until `graceEnds`. */
async function replace(
  tx: Tx,
  authority: Authority,
  { hash, start, scopes }: Omit<OwnerKey, 'apiKey'>,
  { now, graceEnds }: Replacement,
  { states, replaced, set }: { states: Ownership[]; replaced: Ownership[]; set?: Prisma.Sql },
): Promise<void> {
  assertRoom(states.filter((key) => key.endsAt > now && !(replaced.includes(key) && graceEnds <= now)));
  const ids = replaced.map(({ id }) => id);
  const at = toInstant(now);
  await updateUser(tx, authority, {
    updatedAt: now,
    ...(set && { set }),
    event: {
      action: 'user.rotate',
      before: jsonOf({ ownerKeys: ids.length > 0 ? ids : null }),
      after: jsonOf({ start, oldKeysEnd: iso(graceEnds) }),
    },
    more: Prisma.sql`
      replaced AS (
        UPDATE api_key SET replaced_at = coalesce(replaced_at, ${at}), expires_at = ${toInstant(graceEnds)}
        FROM changed WHERE id = ANY(${ids}::int[])),
      added AS (
        INSERT INTO api_key (hash, user_key, scopes, start, created_at)
        SELECT ${toBytes(hash)}, key, ${arrayOf('scope', scopes)}, ${start}, ${at} FROM changed),`,
  });
  await deleteSurplus(tx, states, now);
}

/** Race: each change locks the user's row, so the state of the keys cannot change between the read and the change. */
export function createKeyStore(prisma: PrismaClient) {
  const list = async (where: Prisma.ApiKeyWhereInput): Promise<StoredKey[]> =>
    (await prisma.apiKey.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }] })).map(toStoredKey);

  return {
    replaceKeys: (authority: Authority, key: Omit<OwnerKey, 'apiKey'>, replacement: Replacement): Promise<void> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey, ownerKeyHash } = authority;
        const states = await keyStates(tx, userKey);
        const replaced = states.filter(({ owns, hash }) => owns && hash === (ownerKeyHash ?? hash));
        await replace(tx, authority, key, replacement, { states, replaced });
      }),

    /**
     * Ends every owner key immediately, and adds a new owner key. Deletes all one-time codes of the user, and verifies
     * the user's address. The authority has ended if the code is not usable, or if the user has no active owner key.
     */
    recoverKeys: (authority: Authority, key: Omit<OwnerKey, 'apiKey'>, now: number, codeHash: string): Promise<void> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey } = authority;
        const isUsable = { hash: Buffer.from(codeHash, 'hex'), userKey, expiresAt: { gt: new Date(now) } };
        const states = await keyStates(tx, userKey);
        if ((await tx.oneTimeCode.count({ where: isUsable })) === 0 || !states.some(({ owns }) => owns))
          throw authority.ended();
        await tx.oneTimeCode.deleteMany({ where: { userKey } });
        const replaced = states.filter(({ owns, isOwner, endsAt }) => owns || (isOwner && endsAt > now));
        const set = Prisma.sql`, verified_at = ${toInstant(now)}`;
        await replace(tx, authority, key, { now, graceEnds: now }, { states, replaced, set });
      }),

    /** Returns the new key's ID. Throws `too_many_keys`. */
    createKey: (authority: Authority, { hash, start }: NewKey, terms: KeyTerms, now: number): Promise<number> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey } = authority;
        const states = await keyStates(tx, userKey);
        assertRoom(states.filter(({ endsAt }) => endsAt > now));
        await updateUser(tx, authority);
        await deleteSurplus(tx, states, now);
        const key = { hash: Buffer.from(hash, 'hex'), start, userKey, createdAt: new Date(now) };
        const data = { ...key, label: terms.label, ...termsToRow(terms) };
        const { id } = await tx.apiKey.create({ data, select: { id: true } });
        return id;
      }),

    listKeys: (userKey: number, now: number) => list({ userKey, ...activeAt(new Date(now)) }),

    allKeys: (userKey: number) => list({ userKey }),

    updateKey: (authority: Authority, id: number, changes: KeyChanges, now: number): Promise<StoredKey> =>
      changeUser(prisma, authority, async (tx) => {
        const where = { id, userKey: authority.userKey, replacedAt: null, ...activeAt(new Date(now)) };
        const key = await tx.apiKey.findFirst({ where });
        if (!key) throw new Problem('not_found', 'The user has no active key with this ID.');
        assertChangeable(changes, key.scopes.includes('account'));
        const data = { ...(changes.label !== undefined && { label: changes.label }), ...termsToRow(changes) };
        // `update` reads the changed row with SQL casts, and a cluster rejects these casts.
        await tx.apiKey.updateMany({ where: { id }, data });
        const changed = await tx.apiKey.findUniqueOrThrow({ where: { id } });
        assertComplete(termsOfRow(changed), 'body');
        await updateUser(tx, authority);
        return toStoredKey(changed);
      }),

    /** Throws `not_found`, and `last_owner_key` for an active owner key. An ended key does not change. */
    deleteKey: (authority: Authority, id: number, now: number): Promise<void> =>
      changeUser(prisma, authority, async (tx) => {
        const key = (await keyStates(tx, authority.userKey)).find((one) => one.id === id);
        if (!key) throw new Problem('not_found', 'The user has no key with this ID.');
        if (key.owns) {
          const detail =
            'The last owner key cannot be deleted. Replace the key (POST /v1/user/rotate), or delete the user (DELETE /v1/user).';
          throw new Problem('last_owner_key', detail);
        }
        if (key.endsAt <= now) return;
        await updateUser(tx, authority, {
          event: {
            action: 'key.revoke',
            target: `key:${id}`,
            before: Prisma.sql`(SELECT jsonb_build_object('state', 'active', 'scopes', scopes, 'start', start)
              FROM api_key WHERE id = ${id})`,
            after: jsonOf({ state: 'revoked' }),
          },
        });
        await tx.apiKey.updateMany({ where: { id }, data: { revokedAt: new Date(now) } });
      }),

    revokeKeys: (authority: Authority, now: number): Promise<number> =>
      changeUser(prisma, authority, async (tx) => {
        const { userKey } = authority;
        const live = await tx.apiKey.findMany({ where: { userKey, revokedAt: null }, select: { id: true } });
        const before = jsonOf({ keys: live.map(({ id }) => id) });
        const event = { action: 'user.revoke' as const, before, after: jsonOf({ keys: [] }) };
        await updateUser(tx, authority, { updatedAt: now, ...(live.length > 0 && { event }) });
        await tx.apiKey.updateMany({ where: { userKey, revokedAt: null }, data: { revokedAt: new Date(now) } });
        return live.length;
      }),
  };
}

export type KeyStore = ReturnType<typeof createKeyStore>;
