import type { User } from '#accounts/keys/user-store';
import { type Period, periodAt } from '#accounts/ledger/plan';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import { type KeyState, stateOfKey, stateOfUser, type UserState } from './account-state.ts';
import type { AccountFacts, AccountKey, AccountStore, StoredCredit } from './account-store.ts';

/** A user as the operator sees it; instants in Unix ms. */
export type Account = User & {
  state: UserState;
  keys: number;
  /** Calls made in the current period. The count may lack the calls of the last few seconds. */
  used: number;
  /** Additional calls in the current period. */
  credits: number;
  /** Calls allowed in the current period, credits included. */
  periodLimit: number;
  period: Period;
  lastUsedAt: number | null;
  isVerified: boolean;
};

export type ShownAccount<Notices> = {
  account: Account;
  keys: (AccountKey & { state: KeyState })[];
  grants: StoredCredit[];
  daily: { date: string; calls: number }[];
  notices: Notices;
};

type Dependencies<Notices> = {
  accounts: AccountStore;
  noticesOf: (userKey: number) => Promise<Notices | undefined>;
  clock: Clock;
};

const NEWEST_CREDITS = 100;
const NEWEST_DATES = 31;

function accountOf(user: User, facts: AccountFacts, now: number): Account {
  const period = periodAt(user.plan, user.anchor, now);
  const { isErased, isVerified, liveKeys, lastUsedAt } = facts;
  // Without calls in the current period, the newest row is that of an earlier period.
  const isCurrent = facts.periodStart === period.start;
  const credits = isCurrent ? facts.credits : 0;
  return {
    ...user,
    state: stateOfUser(
      { isErased, isSuspended: user.suspension !== undefined, liveKeys, validUntil: user.validUntil },
      now,
    ),
    keys: liveKeys,
    used: isCurrent ? facts.used : 0,
    credits,
    periodLimit: ((isCurrent ? facts.ownLimit : null) ?? user.limit) + credits,
    period,
    lastUsedAt,
    isVerified,
  };
}

export function createAccountReport<Notices>({ accounts, noticesOf, clock }: Dependencies<Notices>) {
  /** The accounts of users, in the given order. Unknown users are omitted. */
  async function of(userKeys: readonly number[]): Promise<Account[]> {
    const now = clock.now();
    const [users, facts] = await Promise.all([accounts.find(userKeys), accounts.facts(now, userKeys)]);
    const userOf = new Map(users.map((user) => [user.key, user]));
    const factsOf = new Map(facts.map((one) => [one.userKey, one]));
    return userKeys.flatMap((key) => {
      const [user, known] = [userOf.get(key), factsOf.get(key)];
      return user && known ? [accountOf(user, known, now)] : [];
    });
  }

  async function one(key: number): Promise<Account> {
    const [account] = await of([key]);
    if (!account) throw new Problem('not_found', `No user has the record number ${key}.`);
    return account;
  }

  return {
    of,
    /** Throws `not_found`. */
    one,

    /** Throws `not_found`. */
    async show(key: number): Promise<ShownAccount<Notices>> {
      const account = await one(key);
      const now = clock.now();
      const [keys, grants, daily, notices] = await Promise.all([
        accounts.keys(key),
        accounts.credits(key, NEWEST_CREDITS),
        accounts.daily(key, NEWEST_DATES),
        noticesOf(key),
      ]);
      if (!notices) throw new Problem('not_found', `No user has the record number ${key}.`);
      return { account, notices, grants, daily, keys: keys.map((one) => ({ ...one, state: stateOfKey(one, now) })) };
    },
  };
}

export type AccountReport<Notices> = ReturnType<typeof createAccountReport<Notices>>;
