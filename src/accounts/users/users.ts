import { mintApiKey } from '#accounts/keys/api-key';
import type { Authority } from '#accounts/keys/authority';
import { GRACE_SECONDS } from '#accounts/keys/key-limits';
import { covers } from '#accounts/keys/key-problems';
import { createUserKeys, decided, storedForm } from '#accounts/keys/user-keys';
import type { KeyHolder, User, UserStore } from '#accounts/keys/user-store';
import { firstTerm, PLANS, renewedTerm } from '#accounts/ledger/plan';
import type { UserOfKey, UserRecord } from '#accounts/records';
import { type Clock, iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
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

type Dependencies = {
  store: UserStore;
  clock: Clock;
  /** Told after every change to a user or a key, so that this process acts on it at once. */
  changed?: () => Promise<unknown>;
};

/** The life of a user and of the keys; users are named by their record number. */
export function createUsers({ store, clock, changed = async () => undefined }: Dependencies) {
  const keys = createUserKeys({ store, clock, changed });

  async function existing(key: number): Promise<User> {
    const user = await store.find(key);
    if (!user) throw new Problem('not_found', `No user has the record number ${key}.`);
    return user;
  }

  return {
    /** Registers a user; the record carries the key, which is not to be had again. */
    async create(
      { name, email, plan }: RegistrationForm,
      limit: number = PLANS[plan].limit,
    ): Promise<UserRecord> {
      const now = clock.now();
      const apiKey = mintApiKey();
      const user = await store.create(
        { name, email, limit, createdAt: now, ...firstTerm(plan, now) },
        storedForm(apiKey),
      );
      return toRecord(user, apiKey);
    },

    /** The record of the user of a key, with name and email address for a key that manages the account. */
    recordFor(holder: KeyHolder, apiKey: string): UserOfKey {
      const record = toRecord(holder.user, apiKey);
      return covers(holder, 'account') ? record : { ...record, name: null, email: null };
    },

    /** The whole record of a user, for a key that manages the account. */
    record: toRecord,

    /** The record of a user who was just made, with the key. */
    recordOf: async (key: number, apiKey: string): Promise<UserRecord> =>
      toRecord(await existing(key), apiKey),

    /** Sets how many calls a user may make in a period. */
    async limit(key: number, limit: number): Promise<User> {
      await existing(key);
      await store.setLimit(key, limit, clock.now());
      await changed();
      return existing(key);
    },

    /**
     * Creates an owner key. The ones that it replaces remain valid for reading for `graceSeconds`; keys with other scopes
     * are unaffected. Throws `api_key_revoked` and `too_many_keys`.
     */
    async rotate(authority: Authority, graceSeconds: number = GRACE_SECONDS.default): Promise<UserRecord> {
      await existing(authority.userKey);
      const apiKey = await keys.replace(authority, graceSeconds * SECOND);
      return toRecord(await existing(authority.userKey), apiKey);
    },

    /**
     * For whoever has lost the owner key: a new one, and the old ones are dead at once. Undefined, and nothing is done,
     * where the user was erased, the operator has revoked the keys, or the token (its hash) was used.
     */
    async recover(key: number, token?: string): Promise<UserRecord | undefined> {
      const apiKey = await keys.recover(key, token);
      return apiKey === undefined ? undefined : toRecord(await existing(key), apiKey);
    },

    /** As the store of users has them. */
    ...{ usersOf: store.usersOf, change: store.change },

    createKey: keys.create,
    listKeys: keys.list,
    /** As `createUserKeys` has it; throws `not_found` for an unknown user too. */
    async deleteKey(authority: Authority, id: number): Promise<void> {
      await existing(authority.userKey);
      await keys.delete(authority, id);
    },

    /** One period more, or a fresh start after a lapse. Throws `renew_too_early` and `api_key_revoked`. */
    async renew(authority: Authority): Promise<User> {
      const { validUntil } = await existing(authority.userKey);
      const now = clock.now();
      // Of two requests at once, such as a double click after a lapse, the second renews nothing.
      const renewed = (user: User) => (user.validUntil === validUntil ? renewedTerm(user, now) : undefined);
      const outcome = await decided(store.renew(authority, renewed, now), changed);
      const user = await existing(authority.userKey);
      if (outcome === 'renewed') return user;
      const detail = `The key is valid until ${iso(user.validUntil)}: it can be renewed in the last period before that.`;
      throw new Problem('renew_too_early', detail);
    },

    /** Ends every key of a user; gives how many there were. */
    async revoke(key: number): Promise<number> {
      await existing(key);
      const count = await store.revokeKeys(key, clock.now());
      await changed();
      return count;
    },

    /** Ends every key of a user and erases name and e-mail; the record number and the counts stay. */
    async erase(authority: Authority): Promise<void> {
      await decided(store.erase(authority, clock.now()), changed);
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
