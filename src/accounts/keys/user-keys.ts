import type { Authority } from '#accounts/keys/authority';
import { notActive } from '#accounts/keys/key-problems';
import type { UserStore } from '#accounts/keys/user-store';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import { hashApiKey, mintApiKey, startOfApiKey } from './api-key.ts';
import { MAX_KEYS_PER_USER } from './key-limits.ts';
import type { KeyTerms, NewKey, StoredKey } from './key-store.ts';

/** What is stored of a key's text. */
export const storedForm = (apiKey: string): NewKey => ({
  hash: hashApiKey(apiKey),
  start: startOfApiKey(apiKey),
});

type Dependencies = { store: UserStore; clock: Clock; changed: () => Promise<unknown> };

/** A key that was just made: its text is not to be had again. Instants in Unix ms. */
export type CreatedKey = Pick<StoredKey, 'id' | 'createdAt'> & KeyTerms & { apiKey: string; start: string };

/** Waits for a change, and has this process act on it. Throws `api_key_revoked` and `too_many_keys` for their outcomes. */
export async function decided<Outcome>(
  change: Promise<Outcome>,
  changed: () => Promise<unknown>,
): Promise<Exclude<Outcome, 'ended' | 'too_many'>> {
  const outcome = await change;
  await changed();
  if (outcome === 'ended') throw notActive();
  if (outcome === 'too_many') {
    const detail =
      `The user has ${MAX_KEYS_PER_USER} keys already, including those in the grace period of a rotation. ` +
      'Delete a key that is not needed.';
    throw new Problem('too_many_keys', detail);
  }
  return outcome as Exclude<Outcome, 'ended' | 'too_many'>;
}

/**
 * The keys of a user. Every change names its authority and throws `api_key_revoked` when the owner key that asks for it is
 * no longer active in the database.
 */
export function createUserKeys({ store, clock, changed }: Dependencies) {
  return {
    /**
     * Creates an owner key in place of the one that asks for it or, for the operator, of every owner key. Returns its
     * text. Throws `too_many_keys`.
     */
    async replace(authority: Authority, graceMs: number): Promise<string> {
      const apiKey = mintApiKey();
      const now = clock.now();
      const replacement = { now, graceEnds: now + graceMs };
      await decided(store.replaceKeys(authority, storedForm(apiKey), replacement), changed);
      return apiKey;
    },

    /**
     * Creates an owner key in place of all, which end at once. Returns undefined for a user without an active one.
     * @param token the hash of a one-time code that was mailed and is used up; undefined is returned if it was used before
     */
    async recover(userKey: number, token?: string): Promise<string | undefined> {
      const apiKey = mintApiKey();
      const recovered = store.recoverKeys(userKey, storedForm(apiKey), clock.now(), token);
      const outcome = await decided(
        recovered.then((one) => (one === 'ended' ? undefined : one)),
        changed,
      );
      return outcome && apiKey;
    },

    /** Creates a key with these terms, which must not include `account`. Throws `too_many_keys`. */
    async create(authority: Authority, terms: KeyTerms): Promise<CreatedKey> {
      const apiKey = mintApiKey();
      const key = storedForm(apiKey);
      const createdAt = clock.now();
      const id = await decided(store.createKey(authority, key, terms, createdAt), changed);
      return { id, ...terms, apiKey, start: key.start, createdAt };
    },

    /** The active keys, newest first. */
    list: (userKey: number): Promise<StoredKey[]> => store.listKeys(userKey, clock.now()),

    /** Revokes a key; one that has ended already is left as it is. Throws `not_found` and `last_owner_key`. */
    async delete(authority: Authority, id: number): Promise<void> {
      const outcome = await decided(store.deleteKey(authority, id, clock.now()), changed);
      if (outcome === 'unknown') throw new Problem('not_found', 'The user has no key with this id.');
      if (outcome === 'last_owner') {
        const detail =
          'The last owner key cannot be deleted: replace it (POST /v1/user/rotate), or erase the user (DELETE /v1/user).';
        throw new Problem('last_owner_key', detail);
      }
    },
  };
}
