import { z } from 'zod';
import type { Allowance } from '#accounts/gate/allowance';
import { OWNER_SCOPES } from '#accounts/keys/api-key';
import type { UsageRecord } from '#accounts/records';
import type { Account, AccountReport } from '#accounts/users/account-report';
import { type Clock, iso, isoOrNull } from '#core/clock';
import { readCursor, writeCursor } from '../parameters.ts';
import type { OperatorUser, OperatorUserDetail } from '../records.ts';
import type { Activity } from './activity.ts';
import { USER_SORTS, type UserFilter, type UserSearchStore, type UserSort } from './search-store.ts';

type Notices = OperatorUserDetail['notices'];
type Query = UserFilter & { sort: UserSort; cursor?: string | undefined; limit: number };

type Dependencies = {
  store: UserSearchStore;
  accounts: AccountReport<Notices>;
  activity: Pick<Activity, 'lastHours'>;
  usageOf: Allowance['usage'];
  clock: Clock;
};

const place = z.tuple([z.enum(USER_SORTS), z.int32(), z.int32()]);

function toRecord(account: Account, lastHour: number): OperatorUser {
  const { suspension, next, period } = account;
  return {
    key: account.key,
    name: account.name,
    email: account.email,
    state: account.state,
    suspension: suspension ? { since: iso(suspension.since), reason: suspension.reason } : null,
    plan: account.plan,
    nextPlan: next ? { plan: next.plan, limit: next.limit, from: iso(next.from) } : null,
    limit: account.limit,
    credits: account.credits,
    periodLimit: account.periodLimit,
    used: account.used,
    lastHour,
    periodStart: iso(period.start),
    resetsAt: iso(period.end),
    keys: account.keys,
    lastUsedAt: isoOrNull(account.lastUsedAt),
    createdAt: iso(account.createdAt),
    validUntil: iso(account.validUntil),
    updatedAt: iso(account.updatedAt),
  };
}

/** Finds users for the operator. */
export function createUserDirectory({ store, accounts, activity, usageOf, clock }: Dependencies) {
  async function recordsOf(keys: readonly number[]): Promise<OperatorUser[]> {
    const [found, lastHours] = await Promise.all([accounts.of(keys), activity.lastHours(keys)]);
    return found.map((account) => toRecord(account, lastHours.get(account.key) ?? 0));
  }

  return {
    /** Returns a page. Throws `invalid_request` for a cursor of another order. */
    async search({ sort, cursor, limit, ...filter }: Query) {
      const [, value = 0, key = 0] =
        readCursor(
          cursor,
          place.refine(([order]) => order === sort),
        ) ?? [];
      const after = cursor === undefined ? undefined : { value, key };
      const found = await store.search(filter, sort, after, limit + 1, clock.now());
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        items: await recordsOf(page.map((one) => one.key)),
        nextCursor: found.length > limit && last ? writeCursor([sort, last.value, last.key]) : null,
      };
    },

    /** Throws `not_found`. */
    async one(key: number): Promise<OperatorUser> {
      const [account, lastHours] = await Promise.all([accounts.one(key), activity.lastHours([key])]);
      return toRecord(account, lastHours.get(key) ?? 0);
    },

    /** The same as the user reads with the owner key. Throws `not_found`. */
    async usage(key: number, by?: 'key' | 'path'): Promise<UsageRecord> {
      return usageOf({ user: await accounts.one(key), scopes: OWNER_SCOPES }, by);
    },

    /** Throws `not_found`. */
    async show(key: number): Promise<OperatorUserDetail> {
      const [{ account, keys, grants, daily, notices }, lastHours] = await Promise.all([
        accounts.show(key),
        activity.lastHours([key]),
      ]);
      const { email, webhookUrl, thresholds } = notices;
      return {
        ...toRecord(account, lastHours.get(key) ?? 0),
        isVerified: account.isVerified,
        apiKeys: keys.map(({ id, label, scopes, start, state, seenOrigin, ...at }) => ({
          ...{ id, label, scopes: [...scopes], start, state, seenOrigin },
          createdAt: iso(at.createdAt),
          lastUsedAt: isoOrNull(at.lastUsedAt),
          replacedAt: isoOrNull(at.replacedAt),
          expiresAt: isoOrNull(at.expiresAt),
          revokedAt: isoOrNull(at.revokedAt),
        })),
        grants: grants.map(({ calls, reason, periodStart, createdAt }) => ({
          ...{ calls, reason },
          periodStart: iso(periodStart),
          createdAt: iso(createdAt),
        })),
        daily,
        notices: { email, webhookUrl, thresholds },
      };
    },
  };
}

export type UserDirectory = ReturnType<typeof createUserDirectory>;
