import type { User, UserStore } from '#accounts/keys/user-store';
import { type Period, periodAt } from '#accounts/ledger/plan';
import type { Clock } from '#core/clock';
import { Problem } from '#core/problems';
import type { AccountFacts, AccountKey, AccountStore } from './account-store.ts';

/** A user as the operator sees it; instants in Unix ms. */
export type Account = User & {
  state: UserState;
  keys: number;
  /** Calls made in the current period. The count may lack the calls of the last few seconds. */
  used: number;
  period: Period;
  lastUsedAt: number | null;
};

type Shown<Notices> = { account: Account; keys: (AccountKey & { state: KeyState })[]; notices: Notices };

type Dependencies<Notices> = {
  users: UserStore;
  accounts: AccountStore;
  noticesOf: (userKey: number) => Promise<Notices | undefined>;
  clock: Clock;
};

export function createAccountReport<Notices>({ users, accounts, noticesOf, clock }: Dependencies<Notices>) {
  function accountOf(user: User, facts: AccountFacts, now: number): Account {
    const period = periodAt(user.plan, user.anchor, now);
    return {
      ...user,
      state: stateOfUser({ ...facts, validUntil: user.validUntil }, now),
      keys: facts.liveKeys,
      used: facts.periodStart === period.start ? facts.used : 0,
      period,
      lastUsedAt: facts.lastUsedAt,
    };
  }

  return {
    async list(): Promise<Account[]> {
      const now = clock.now();
      const facts = new Map((await accounts.facts(now)).map((one) => [one.userKey, one]));
      const all = await users.list();
      // Skips a user who registered between the two queries. The next list includes this user.
      return all.flatMap((user) => {
        const known = facts.get(user.key);
        return known ? [accountOf(user, known, now)] : [];
      });
    },

    async show(key: number): Promise<Shown<Notices>> {
      const now = clock.now();
      const [user, [facts], keys, settings] = await Promise.all([
        users.find(key),
        accounts.facts(now, key),
        accounts.keys(key),
        noticesOf(key),
      ]);
      if (!user || !facts || !settings) throw new Problem('not_found', `No user has the record number ${key}.`);
      return {
        account: accountOf(user, facts, now),
        notices: settings,
        keys: keys.map((one) => ({ ...one, state: stateOfKey(one, now) })),
      };
    },
  };
}

/** `revoked` if no live key is left; `expired` until a renewal. */
type UserState = 'active' | 'expired' | 'revoked' | 'erased';
/** A `replaced` key may only read, until its grace period ends. */
type KeyState = 'active' | 'replaced' | 'expired' | 'revoked';
type UserFacts = { isErased: boolean; liveKeys: number; validUntil: number };

function stateOfUser({ isErased, liveKeys, validUntil }: UserFacts, now: number): UserState {
  if (isErased) return 'erased';
  if (liveKeys === 0) return 'revoked';
  return now >= validUntil ? 'expired' : 'active';
}

type KeyFacts = { revokedAt: number | null; expiresAt: number | null; replacedAt: number | null };

function stateOfKey({ revokedAt, expiresAt, replacedAt }: KeyFacts, now: number): KeyState {
  if (revokedAt !== null && revokedAt <= now) return 'revoked';
  if (expiresAt !== null && expiresAt <= now) return 'expired';
  return replacedAt === null ? 'active' : 'replaced';
}
