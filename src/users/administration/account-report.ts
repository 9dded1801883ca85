import { type Clock, iso, isoOrNull } from '#core/clock';
import { userNotFound } from '../authority.ts';
import { periodAt } from '../plan.ts';
import type { User } from '../user.ts';
import type { AccountFacts, AccountStore } from './account-store.ts';

export type Account = ReturnType<typeof accountOf>;

export const accountRecord = ({ key, name, email, plan, next, limit, period, ...account }: Account) => ({
  key,
  name,
  email,
  plan,
  nextPlan: next ? { ...next, from: iso(next.from) } : null,
  limit,
  credits: account.credits,
  periodLimit: account.periodLimit,
  state: account.state,
  suspension: account.suspension ? { ...account.suspension, since: iso(account.suspension.since) } : null,
  keys: account.keys,
  used: account.used,
  periodStart: iso(period.start),
  resetsAt: iso(period.end),
  lastUsedAt: isoOrNull(account.lastUsedAt),
  createdAt: iso(account.createdAt),
  validUntil: iso(account.validUntil),
  updatedAt: iso(account.updatedAt),
});

type Dependencies<Keys, Notices> = {
  accounts: AccountStore;
  keysOf: (userKey: number) => Promise<Keys>;
  noticesOf: (userKey: number) => Promise<Notices | undefined>;
  clock: Clock;
};

/** A user is `revoked` if no active key is left, and `expired` from the end of the plan until a renewal. */
export const USER_STATES = ['active', 'suspended', 'expired', 'revoked', 'erased'] as const;
export type UserState = (typeof USER_STATES)[number];

function stateOf({ suspension, validUntil }: User, { isErased, liveKeys }: AccountFacts, now: number): UserState {
  if (isErased) return 'erased';
  if (suspension) return 'suspended';
  if (liveKeys === 0) return 'revoked';
  return now >= validUntil ? 'expired' : 'active';
}

const NEWEST_CREDITS = 100;
const NEWEST_DATES = 31;

/** A user as the operator sees it; instants in Unix ms. `used` may lack the calls of the last few seconds. */
function accountOf(user: User, stored: AccountFacts, now: number) {
  const period = periodAt(user.plan, user.anchor, now);
  const { isVerified, liveKeys, lastUsedAt } = stored;
  // If there are no calls in the current period, the newest row belongs to an earlier period.
  const isCurrent = stored.periodStart === period.start;
  const credits = isCurrent ? stored.credits : 0;
  return {
    ...user,
    state: stateOf(user, stored, now),
    keys: liveKeys,
    used: isCurrent ? stored.used : 0,
    credits,
    periodLimit: ((isCurrent ? stored.ownLimit : null) ?? user.limit) + credits,
    period,
    lastUsedAt,
    isVerified,
  };
}

export function createAccountReport<Keys, Notices>({
  accounts,
  keysOf,
  noticesOf,
  clock,
}: Dependencies<Keys, Notices>) {
  /** The accounts of users, in the given order. Unknown users are omitted. */
  async function of(userKeys: readonly number[]): Promise<Account[]> {
    const now = clock.now();
    const [users, rows] = await Promise.all([accounts.find(userKeys), accounts.facts(now, userKeys)]);
    const userOf = new Map(users.map((user) => [user.key, user]));
    const factsOf = new Map(rows.map((row) => [row.userKey, row]));
    return userKeys.flatMap((key) => {
      const user = userOf.get(key);
      const stored = factsOf.get(key);
      return user && stored ? [accountOf(user, stored, now)] : [];
    });
  }

  async function find(key: number): Promise<Account> {
    const [account] = await of([key]);
    if (!account) throw userNotFound(key);
    return account;
  }

  return {
    of,
    /** Throws `not_found`. */
    find,

    /** Throws `not_found`. */
    async show(key: number) {
      const account = await find(key);
      const [keys, grants, daily, notices] = await Promise.all([
        keysOf(key),
        accounts.credits(key, NEWEST_CREDITS),
        accounts.daily(key, NEWEST_DATES),
        noticesOf(key),
      ]);
      if (!notices) throw userNotFound(key);
      return { account, keys, grants, daily, notices };
    },
  };
}

export type AccountReport<Keys, Notices> = ReturnType<typeof createAccountReport<Keys, Notices>>;
