import { type Authority, GRACE_SECONDS, MAX_KEYS_PER_USER, mintApiKey, storedForm } from '#accounts/keys/api-key';
import { notActive, userErased } from '#accounts/keys/key-problems';
import type { KeyChanges, KeyTerms, StoredKey } from '#accounts/keys/key-store';
import type { KeyHolder, User, UserStore } from '#accounts/keys/user-store';
import { firstTerm, PLANS, renewedTerm } from '#accounts/ledger/plan';
import type { UserOfKey, UserRecord } from '#accounts/records';
import { type Clock, iso, SECOND } from '#core/clock';
import type { Operator } from '#core/operator';
import { invalidRequest, Problem } from '#core/problems';
import type { RegistrationForm } from './registration.ts';

function toRecord(user: User, apiKey: string): UserRecord {
  return {
    key: user.key,
    name: user.name ?? '',
    email: user.email ?? '',
    apiKey,
    plan: user.plan,
    limit: user.limit,
    createdAt: iso(user.createdAt),
    validUntil: iso(user.validUntil),
    updatedAt: iso(user.updatedAt),
  };
}

/** A new key, whose text is not stored. Instants in Unix ms. */
type CreatedKey = Pick<StoredKey, 'id' | 'createdAt'> & KeyTerms & { apiKey: string; start: string };

type Dependencies = {
  store: UserStore;
  clock: Clock;
  /** Called after each change to a user or key, so that this process applies the change immediately. */
  changed?: () => Promise<unknown>;
};

/** Changes by an owner key throw `api_key_revoked` if that key is no longer active in the database. */
export function createUsers({ store, clock, changed = async () => undefined }: Dependencies) {
  async function existing(key: number): Promise<User> {
    const user = await store.find(key);
    if (!user) throw new Problem('not_found', `No user has the record number ${key}.`);
    return user;
  }

  /**
   * Applies a change in this process. For the outcome `ended`, throws `api_key_revoked` or, to the operator,
   * `user_erased`. Throws `too_many_keys`.
   */
  async function decided<Outcome>(
    { operator }: Pick<Authority, 'operator'>,
    change: Promise<Outcome>,
  ): Promise<Exclude<Outcome, 'ended' | 'too_many'>> {
    const outcome = await change;
    await changed();
    if (outcome === 'ended') throw operator ? userErased() : notActive();
    if (outcome === 'too_many') {
      const detail =
        `The user already has ${MAX_KEYS_PER_USER} active keys. Replaced keys count until their grace period ` +
        'ends. Delete an unused key.';
      throw new Problem('too_many_keys', detail);
    }
    return outcome as Exclude<Outcome, 'ended' | 'too_many'>;
  }

  return {
    /** The record contains the key, which cannot be read again. */
    async create(
      { name, email, plan }: RegistrationForm,
      limit: number = PLANS[plan].limit,
      operator?: Operator,
    ): Promise<UserRecord> {
      const now = clock.now();
      const apiKey = mintApiKey();
      const user = await store.create(
        { name, email, limit, createdAt: now, ...firstTerm(plan, now) },
        storedForm(apiKey),
        operator,
      );
      return toRecord(user, apiKey);
    },

    /** Returns the record that the key may read: the name and email address require the scope `account`. */
    recordFor(holder: KeyHolder, apiKey: string): UserOfKey {
      const { suspension } = holder.user;
      const record = { ...toRecord(holder.user, apiKey), ...(suspension && { suspended: suspension.reason }) };
      return holder.scopes.includes('account') ? record : { ...record, name: null, email: null };
    },

    record: toRecord,
    recordOf: async (key: number, apiKey: string): Promise<UserRecord> => toRecord(await existing(key), apiKey),

    /**
     * Replaces the requesting owner key or, for the operator, every owner key. The replaced keys remain valid for
     * reading for `graceSeconds`. Throws `api_key_revoked` and `too_many_keys`.
     */
    async rotate(authority: Authority, graceSeconds: number = GRACE_SECONDS.default): Promise<UserRecord> {
      await existing(authority.userKey);
      const [apiKey, now] = [mintApiKey(), clock.now()];
      const replacement = { now, graceEnds: now + graceSeconds * SECOND };
      await decided(authority, store.replaceKeys(authority, storedForm(apiKey), replacement));
      return toRecord(await existing(authority.userKey), apiKey);
    },

    /** Replaces lost owner keys immediately. Returns undefined for an erased user, revoked keys or an invalid code. */
    async recover(key: number, token?: string): Promise<UserRecord | undefined> {
      const apiKey = mintApiKey();
      const recovered = store.recoverKeys(key, storedForm(apiKey), clock.now(), token);
      const outcome = await decided(
        {},
        recovered.then((one) => (one === 'ended' ? undefined : one)),
      );
      return outcome && toRecord(await existing(key), apiKey);
    },

    usersOf: store.usersOf,
    change: store.change,

    /** The terms must not include `account`. Throws `api_key_revoked` and `too_many_keys`. */
    async createKey(authority: Authority, terms: KeyTerms): Promise<CreatedKey> {
      const [apiKey, createdAt] = [mintApiKey(), clock.now()];
      const key = storedForm(apiKey);
      const id = await decided(authority, store.createKey(authority, key, terms, createdAt));
      return { id, ...terms, apiKey, start: key.start, createdAt };
    },

    listKeys: (key: number): Promise<StoredKey[]> => store.listKeys(key, clock.now()),

    /** Throws `api_key_revoked`, `not_found`, and `invalid_request` for scopes, an expiry or origins of an owner key. */
    async updateKey(authority: Authority, id: number, changes: KeyChanges): Promise<StoredKey> {
      await existing(authority.userKey);
      const outcome = await decided(authority, store.updateKey(authority, id, changes, clock.now()));
      if (outcome === 'unknown') throw new Problem('not_found', 'The user has no active key with this ID.');
      if (outcome !== 'owner') return outcome;
      const given = (['scopes', 'expiresAt', 'allowedOrigins'] as const).filter((name) => changes[name] !== undefined);
      throw invalidRequest(
        ...given.map((name) => ({
          location: `body.${name}`,
          message: 'cannot be changed for an owner key',
          fix: 'leave it out, or change a key with other scopes',
        })),
      );
    },

    /** Does not change an expired or revoked key. Throws `api_key_revoked`, `not_found` and `last_owner_key`. */
    async deleteKey(authority: Authority, id: number): Promise<void> {
      await existing(authority.userKey);
      const outcome = await decided(authority, store.deleteKey(authority, id, clock.now()));
      if (outcome === 'unknown') throw new Problem('not_found', 'The user has no key with this ID.');
      if (outcome === 'last_owner') {
        const detail =
          'The last owner key cannot be deleted. Replace the key (POST /v1/user/rotate), or delete the user (DELETE /v1/user).';
        throw new Problem('last_owner_key', detail);
      }
    },

    /** Adds a period, or restarts an expired term. Throws `renew_too_early` and `api_key_revoked`. */
    async renew(authority: Authority): Promise<User> {
      const { validUntil } = await existing(authority.userKey);
      const now = clock.now();
      // After a lapse, a double click sends two simultaneous requests. The second request must not renew again.
      const renewed = (user: User) => (user.validUntil === validUntil ? renewedTerm(user, now) : undefined);
      const outcome = await decided(authority, store.renew(authority, renewed, now));
      const user = await existing(authority.userKey);
      if (outcome === 'renewed') return user;
      const detail = `The plan is valid until ${iso(user.validUntil)}. You can renew it when at most one period is left.`;
      throw new Problem('renew_too_early', detail);
    },

    /** Returns everything that is stored about a user, as JSON text without secrets. Throws `not_found`. */
    async exportJson(key: number): Promise<string> {
      const json = await store.exportJson(key, clock.now());
      if (json === undefined) throw new Problem('not_found', `No user has the record number ${key}.`);
      return json;
    },

    /** Revokes every key. Returns the number of revoked keys. */
    async revoke(authority: Authority): Promise<number> {
      await existing(authority.userKey);
      return decided(authority, store.revokeKeys(authority, clock.now()));
    },

    /** Revokes every key, and erases the name and the email address. The record number and the counts remain. */
    async erase(authority: Authority): Promise<void> {
      await existing(authority.userKey);
      await decided(authority, store.erase(authority, clock.now()));
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
