import type { Operator } from '#core/actor';
import { type Clock, iso } from '#core/clock';
import { Problem } from '#core/problems';
import type { Scope } from '#server/gate';
import { type Authority, userNotFound } from './authority.ts';
import { firstTerm, PLANS, renewedTerm, type Term } from './plan.ts';
import type { RegistrationForm } from './registration.ts';
import type { OwnerKey, User } from './user.ts';
import type { UserStore } from './user-store.ts';
import type { UserOfKey, UserRecord } from './users-records.ts';

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

function renewTooEarly({ validUntil }: User): Problem {
  const detail = `The plan is valid until ${iso(validUntil)}. You can renew it when at most one period is left.`;
  return new Problem('renew_too_early', detail);
}

type Dependencies = {
  store: UserStore;
  clock: Clock;
  mintOwnerKey: () => OwnerKey;
  /** Called after each change to a user, so that this process applies the change immediately. */
  changed?: () => Promise<unknown>;
};

/** If the authority has ended, each change throws the authority's problem. */
export function createUsers({ store, clock, mintOwnerKey, changed = async () => undefined }: Dependencies) {
  async function find(key: number): Promise<User> {
    const user = await store.find(key);
    if (!user) throw userNotFound(key);
    return user;
  }

  return {
    mintOwnerKey,

    /** The returned record contains the key, which cannot be read again later. */
    async create(
      { name, email, plan }: RegistrationForm,
      limit: number = PLANS[plan].limit,
      operator?: Operator,
    ): Promise<UserRecord> {
      const now = clock.now();
      const ownerKey = mintOwnerKey();
      const user = { name, email, limit, createdAt: now, ...firstTerm(plan, now) };
      return toRecord(await store.create(user, ownerKey, operator), ownerKey.apiKey);
    },

    /** Throws `not_found`. */
    find,

    /** Returns the record that the key may read: the name and email address require the scope `account`. */
    recordFor({ user, scopes }: { user: User; scopes: readonly Scope[] }, apiKey: string): UserOfKey {
      const { suspension } = user;
      const record = { ...toRecord(user, apiKey), ...(suspension && { suspended: suspension.reason }) };
      return scopes.includes('account') ? record : { ...record, name: null, email: null };
    },

    record: toRecord,
    recordOf: async (key: number, apiKey: string): Promise<UserRecord> => toRecord(await find(key), apiKey),
    usersOf: store.usersOf,

    /** Adds a period, or restarts an expired term. Throws `renew_too_early`. */
    async renew(authority: Authority): Promise<User> {
      const { validUntil } = await find(authority.userKey);
      const now = clock.now();
      const renewed = (user: User): Term => {
        // If the plan has lapsed, the second request of a double click must not renew the plan again.
        const term = user.validUntil === validUntil ? renewedTerm(user, now) : undefined;
        if (!term) throw renewTooEarly(user);
        return term;
      };
      await store.renew(authority, renewed, now);
      await changed();
      return find(authority.userKey);
    },

    /** Returns everything that is stored about a user, as JSON text without secrets. Throws `not_found`. */
    async exportJson(key: number): Promise<string> {
      const json = await store.exportJson(key, clock.now());
      if (json === undefined) throw userNotFound(key);
      return json;
    },

    /** Revokes every key, and erases the name and the email address. The record number and the counts remain. */
    async erase(authority: Authority): Promise<void> {
      await store.erase(authority, clock.now());
      await changed();
    },
  };
}

export type Users = ReturnType<typeof createUsers>;
