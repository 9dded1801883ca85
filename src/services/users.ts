import { hashApiKey, isApiKey, mintApiKey } from '../domain/api-key.ts';
import type { Clock } from '../domain/clock.ts';
import { firstTerm, PLANS, type Plan, renewedTerm } from '../domain/plan.ts';
import type { UserRecord } from '../domain/records.ts';
import { Problem } from '../problems.ts';
import type { User, UserStore } from '../stores/users.ts';

/** How long a rotated key goes on for reading, in seconds: unless told otherwise, and at the most. */
export const GRACE_SECONDS = { default: 300, max: 604_800 } as const;

export type Registration = { name: string; email: string; plan: Plan };

const iso = (at: number) => new Date(at).toISOString();

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

export const unknownKey = () =>
  new Problem('api_key_invalid', 'No user has this API key: check it for a slip, or register for one.');

/** The life of a user and of the keys. */
export function createUsers({ store, clock }: { store: UserStore; clock: Clock }) {
  async function existing(key: number): Promise<User> {
    const user = await store.find(key);
    if (!user) throw new Problem('not_found', `No user has the record number ${key}.`);
    return user;
  }

  return {
    /** Registers a user; the record carries the key, which is not to be had again. */
    async create(
      { name, email, plan }: Registration,
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

    /** The user of a key, expired or not. Throws `api_key_invalid` when there is none. */
    async findByApiKey(apiKey: string): Promise<UserRecord> {
      const holder = isApiKey(apiKey) ? await store.findByHash(hashApiKey(apiKey)) : undefined;
      if (!holder) throw unknownKey();
      if (holder.revokedAt !== undefined) throw new Problem('api_key_revoked', 'This API key was revoked.');
      return toRecord(holder.user, apiKey);
    },

    list: (): Promise<User[]> => store.list(),

    /** Sets how many calls a user may make in a period. */
    async limit(key: number, limit: number): Promise<User> {
      await existing(key);
      return store.update(key, { limit }, clock.now());
    },

    /** A new key; the old ones go on for reading, for so many seconds. */
    async rotate(key: number, graceSeconds: number = GRACE_SECONDS.default): Promise<UserRecord> {
      await existing(key);
      const apiKey = mintApiKey();
      const now = clock.now();
      await store.replaceKeys(key, hashApiKey(apiKey), now, now + graceSeconds * 1000);
      return toRecord(await existing(key), apiKey);
    },

    /** One period more, or a fresh start after a lapse. Throws `renew_too_early`. */
    async renew(key: number): Promise<User> {
      const user = await existing(key);
      const term = renewedTerm(user, clock.now());
      if (!term) {
        const detail = `The key is valid until ${iso(user.validUntil)}: it can be renewed in the last period before.`;
        throw new Problem('renew_too_early', detail);
      }
      return store.update(key, { anchor: term.anchor, validUntil: term.validUntil }, clock.now());
    },

    /** Ends every key of a user; gives how many there were. */
    async revoke(key: number): Promise<number> {
      await existing(key);
      return store.revokeKeys(key, clock.now());
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
