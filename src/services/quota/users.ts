import { type Clock, iso, SECOND } from '#domain/clock';
import { hashApiKey, MAX_KEYS_PER_USER, mintApiKey } from '#domain/quota/api-key';
import { firstTerm, PLANS, renewedTerm } from '#domain/quota/plan';
import type { RegistrationForm } from '#domain/quota/registration';
import type { UserRecord } from '#domain/records';
import { Problem } from '#problems';
import type { KeyHolder, User, UserStore } from '#stores/quota/users';

/** How long a rotated key goes on for reading, in seconds: unless told otherwise, and at the most. */
export const GRACE_SECONDS = { default: 300, max: 604_800 } as const;

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
        hashApiKey(apiKey),
      );
      return toRecord(user, apiKey);
    },

    /** The record of the user who presented a key. */
    record: ({ user }: KeyHolder, apiKey: string): UserRecord => toRecord(user, apiKey),

    list: (): Promise<User[]> => store.list(),

    /** Sets how many calls a user may make in a period. */
    async limit(key: number, limit: number): Promise<User> {
      await existing(key);
      await store.setLimit(key, limit, clock.now());
      await changed();
      return existing(key);
    },

    /**
     * A new key; the others go on for reading, for so many seconds. With the key that was presented for it, only in
     * the place of that one: throws `api_key_revoked` when it was replaced or revoked meanwhile, and `too_many_keys`.
     */
    async rotate(
      key: number,
      graceSeconds: number = GRACE_SECONDS.default,
      presented?: string,
    ): Promise<UserRecord> {
      await existing(key);
      const apiKey = mintApiKey();
      const now = clock.now();
      const graceEnds = now + graceSeconds * SECOND;
      const outcome = await store.replaceKeys(key, hashApiKey(apiKey), {
        now,
        graceEnds,
        ...(presented !== undefined && { presented: hashApiKey(presented) }),
      });
      await changed();
      if (outcome === 'too_many') {
        const detail = `The user has ${MAX_KEYS_PER_USER} keys already, those in the grace of a rotation included.`;
        throw new Problem('too_many_keys', detail);
      }
      if (outcome === 'ended')
        throw new Problem('api_key_revoked', 'The user was erased, or the key is no longer the living one.');
      return toRecord(await existing(key), apiKey);
    },

    /** One period more, or a fresh start after a lapse. Throws `renew_too_early`. */
    async renew(key: number): Promise<User> {
      const user = await existing(key);
      const term = renewedTerm(user, clock.now());
      if (!term || !(await store.renew(user, term, clock.now()))) {
        const detail = `The key is valid until ${iso(user.validUntil)}: it can be renewed in the last period before that.`;
        throw new Problem('renew_too_early', detail);
      }
      await changed();
      return existing(key);
    },

    /** Ends every key of a user; gives how many there were. */
    async revoke(key: number): Promise<number> {
      await existing(key);
      const count = await store.revokeKeys(key, clock.now());
      await changed();
      return count;
    },

    /** Ends every key of a user and erases name and e-mail; the record number and the counts stay. */
    async erase(key: number): Promise<void> {
      await store.erase(key, clock.now());
      await changed();
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
