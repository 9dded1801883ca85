import type { UserStore } from '#accounts/users/user-store';
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

/**
 * The keys of a user, who is named by the record number. A key that asks for something (`presented`) has to be a living
 * owner key at that moment, whatever this process knows of it: else `api_key_revoked`.
 */
export function createUserKeys({ store, clock, changed }: Dependencies) {
  /** The problem for what was refused. */
  function refusal(outcome: 'ended' | 'too_many'): Problem {
    if (outcome === 'ended')
      return new Problem('api_key_revoked', 'The user was erased, or the key is no longer the living one.');
    const detail =
      `The user has ${MAX_KEYS_PER_USER} keys already, those in the grace of a rotation included: ` +
      'delete one that is not needed.';
    return new Problem('too_many_keys', detail);
  }

  const ofAsking = (presented: string | undefined) => ({
    now: clock.now(),
    ...(presented !== undefined && { presented: hashApiKey(presented) }),
  });

  return {
    /** A new owner key, in the place of the one that asks for it or of all; gives its text. Throws `too_many_keys`. */
    async replace(userKey: number, graceMs: number, presented?: string): Promise<string> {
      const apiKey = mintApiKey();
      const asked = ofAsking(presented);
      const outcome = await store.replaceKeys(userKey, storedForm(apiKey), {
        ...asked,
        graceEnds: asked.now + graceMs,
      });
      await changed();
      if (outcome !== 'replaced') throw refusal(outcome);
      return apiKey;
    },

    /**
     * A new owner key in the place of all, which are dead at once; undefined for a user without a living one.
     * @param token the hash of one that was mailed, which is used: undefined where it was used meanwhile
     */
    async recover(userKey: number, token?: string): Promise<string | undefined> {
      const apiKey = mintApiKey();
      const now = clock.now();
      const outcome = await store.replaceKeys(userKey, storedForm(apiKey), {
        now,
        graceEnds: now,
        isRecovery: true,
        ...(token !== undefined && { token }),
      });
      await changed();
      if (outcome === 'ended') return undefined;
      if (outcome === 'too_many') throw refusal(outcome);
      return apiKey;
    },

    /** A key of these terms, which must not have `account`. Throws `too_many_keys`. */
    async create(userKey: number, terms: KeyTerms, presented?: string): Promise<CreatedKey> {
      const apiKey = mintApiKey();
      const key = storedForm(apiKey);
      const asked = ofAsking(presented);
      const id = await store.createKey(userKey, key, terms, asked);
      await changed();
      if (typeof id !== 'number') throw refusal(id);
      return { id, ...terms, apiKey, start: key.start, createdAt: asked.now };
    },

    /** The living keys, the newest first. */
    list: (userKey: number): Promise<StoredKey[]> => store.listKeys(userKey, clock.now()),

    /** Ends a key at once; one that has ended already is left as it is. Throws `not_found` and `last_owner_key`. */
    async delete(userKey: number, id: number, presented?: string): Promise<void> {
      const outcome = await store.deleteKey(userKey, id, ofAsking(presented));
      await changed();
      if (outcome === 'ended') throw refusal(outcome);
      if (outcome === 'unknown') throw new Problem('not_found', 'The user has no key with this id.');
      if (outcome === 'last_owner') {
        const detail =
          'The last owner key cannot be deleted: replace it (POST /v1/user/rotate), or erase the user (DELETE /v1/user).';
        throw new Problem('last_owner_key', detail);
      }
    },
  };
}
