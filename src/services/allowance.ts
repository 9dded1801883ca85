import { hashApiKey, isApiKey } from '../domain/api-key.ts';
import { type Clock, SECOND } from '../domain/clock.ts';
import { startOfDate } from '../domain/grain.ts';
import { type Period, periodAt } from '../domain/plan.ts';
import { Problem } from '../problems.ts';
import type { Charge, LedgerStore } from '../stores/ledger.ts';
import type { User, UserStore } from '../stores/users.ts';
import { unknownKey } from './users.ts';

/** Who makes a call. `reading` when the key was replaced by another and only reads until its grace ends. */
export type Caller = { user: User; reading: boolean };

/** A call that was paid for: what is left in its period, and what it takes to give it back. */
export type Receipt = { charge: Charge; remaining: number; period: Period };

type Parts = { users: UserStore; ledger: LedgerStore; clock: Clock };

/** Who may call, and how often. */
export function createAllowance({ users, ledger, clock }: Parts) {
  return {
    /** The holder of a key that may be used. Throws one of the `api_key_…` problems. */
    async authenticate(apiKey: string): Promise<Caller> {
      if (!isApiKey(apiKey)) throw unknownKey();
      const holder = await users.findByHash(hashApiKey(apiKey));
      if (!holder) throw unknownKey();
      const now = clock.now();
      const { user, revokedAt, expiresAt, replacedAt } = holder;
      if (revokedAt !== undefined) throw new Problem('api_key_revoked', 'This API key was revoked.');
      if (expiresAt !== undefined && now >= expiresAt) {
        throw new Problem('api_key_revoked', 'This API key was replaced by another, and its grace is over.');
      }
      if (now >= user.validUntil) {
        const since = new Date(user.validUntil).toISOString();
        throw new Problem('api_key_expired', `This API key expired at ${since}: renew it.`);
      }
      return { user, reading: replacedAt !== undefined };
    },

    /** Pays for one call. Throws `quota_exceeded` when the period's allowance is spent. */
    async spend({ user }: Caller): Promise<Receipt> {
      const now = clock.now();
      const period = periodAt(user.plan, user.anchor, now);
      const charge = { userKey: user.key, periodStart: period.start, date: startOfDate(now) };
      const used = await ledger.charge(charge, user.limit);
      if (used === undefined) {
        const detail = `All ${user.limit} calls of the period that ends at ${new Date(period.end).toISOString()} are spent.`;
        throw new Problem('quota_exceeded', detail, { retryAfter: (period.end - now) / SECOND });
      }
      return { charge, remaining: user.limit - used, period };
    },

    /** Gives a call back to the period in which it was spent. */
    refund: ({ charge }: Receipt): Promise<void> => ledger.refund(charge),
  };
}

export type Allowance = ReturnType<typeof createAllowance>;
