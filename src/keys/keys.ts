import { type Clock, SECOND } from '#core/clock';
import type { Authority } from '#users/authority';
import type { Users } from '#users/users';
import type { UserRecord } from '#users/users-records';
import { GRACE_SECONDS, mintApiKey, mintOwnerKey, storedForm } from './api-key.ts';
import type { KeyChanges, KeyStore, KeyTerms, StoredKey } from './key-store.ts';
import { type KeyState, stateOfKey } from './key-validity.ts';

/** A new key, whose text is not stored. Instants in Unix ms. */
type CreatedKey = Pick<StoredKey, 'id' | 'createdAt'> & KeyTerms & { apiKey: string; start: string };
export type ListedKey = StoredKey & { state: KeyState };

type Dependencies = {
  store: KeyStore;
  users: Pick<Users, 'recordOf'>;
  clock: Clock;
  /** Called after each change to a key, so that this process applies the change immediately. */
  changed?: () => Promise<unknown>;
};

/** If the authority has ended, each change throws the authority's problem. */
export function createKeys({ store, users, clock, changed = async () => undefined }: Dependencies) {
  async function applied<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change;
    await changed();
    return result;
  }

  return {
    /** Replaces the requesting owner key or, for the operator, every owner key. Throws `too_many_keys`. */
    async rotate(authority: Authority, graceSeconds: number = GRACE_SECONDS.default): Promise<UserRecord> {
      const key = mintOwnerKey();
      const now = clock.now();
      await applied(store.replaceKeys(authority, key, { now, graceEnds: now + graceSeconds * SECOND }));
      return users.recordOf(authority.userKey, key.apiKey);
    },

    /** Replaces lost owner keys immediately. `codeHash` is the hash of a one-time code. */
    async recover(authority: Authority, codeHash: string): Promise<UserRecord> {
      const key = mintOwnerKey();
      await applied(store.recoverKeys(authority, key, clock.now(), codeHash));
      return users.recordOf(authority.userKey, key.apiKey);
    },

    /** The terms must not include the scope `account`. Throws `too_many_keys`. */
    async create(authority: Authority, terms: KeyTerms): Promise<CreatedKey> {
      const apiKey = mintApiKey(terms.url ? 'url' : 'header');
      const createdAt = clock.now();
      const key = storedForm(apiKey);
      const id = await applied(store.createKey(authority, key, terms, createdAt));
      return { id, ...terms, apiKey, start: key.start, createdAt };
    },

    /** The active keys, newest first. */
    list: (userKey: number): Promise<StoredKey[]> => store.listKeys(userKey, clock.now()),

    /** All stored keys, newest first, with their states. */
    async listAll(userKey: number): Promise<ListedKey[]> {
      const now = clock.now();
      return (await store.allKeys(userKey)).map((key) => ({ ...key, state: stateOfKey(key, now) }));
    },

    /** Throws `not_found`, and `invalid_request` for terms that an owner key cannot have. */
    update: (authority: Authority, id: number, changes: KeyChanges): Promise<StoredKey> =>
      applied(store.updateKey(authority, id, changes, clock.now())),

    /** Does not change a key that has ended. Throws `not_found` and `last_owner_key`. */
    delete: (authority: Authority, id: number): Promise<void> => applied(store.deleteKey(authority, id, clock.now())),

    /** Revokes every key. Returns the number of revoked keys. */
    revokeAll: (authority: Authority): Promise<number> => applied(store.revokeKeys(authority, clock.now())),
  };
}

export type Keys = ReturnType<typeof createKeys>;
