import { z } from 'zod';
import { type Clock, iso, isoOrNull } from '#core/clock';
import type { Allowance } from '#gate/allowance';
import { OWNER_SCOPES } from '#keys/api-key';
import type { ListedKey } from '#keys/keys';
import { type AccountReport, accountRecord } from '#users/administration/account-report';
import type { UsageRecord } from '#users/users-records';
import type { OperatorUser, OperatorUserDetail } from '../operator-records.ts';
import { cutPage, type PageQuery, readCursor } from '../parameters.ts';
import type { Activity } from './activity.ts';
import { USER_SORTS, type UserFilter, type UserSearchStore, type UserSort } from './search-store.ts';

type Dependencies = {
  store: UserSearchStore;
  accounts: AccountReport<ListedKey[], OperatorUserDetail['notices']>;
  activity: Pick<Activity, 'lastHours'>;
  usageOf: Allowance['usage'];
  clock: Clock;
};

const userCursor = z.tuple([z.enum(USER_SORTS), z.int32(), z.int32()]);

export const keyRecord = ({ id, label, scopes, start, state, seenOrigin, ...at }: ListedKey) => ({
  id,
  label,
  scopes: [...scopes],
  start,
  state,
  seenOrigin,
  createdAt: iso(at.createdAt),
  lastUsedAt: isoOrNull(at.lastUsedAt),
  replacedAt: isoOrNull(at.replacedAt),
  expiresAt: isoOrNull(at.expiresAt),
  revokedAt: isoOrNull(at.revokedAt),
});

export function createUserDirectory({ store, accounts, activity, usageOf, clock }: Dependencies) {
  async function recordsOf(keys: readonly number[]): Promise<OperatorUser[]> {
    const [found, lastHours] = await Promise.all([accounts.of(keys), activity.lastHours(keys)]);
    return found.map((account) => ({ ...accountRecord(account), lastHour: lastHours.get(account.key) ?? 0 }));
  }

  return {
    /** Returns a page. Throws `invalid_request` for a cursor of another order. */
    async search({ sort, cursor, limit, ...filter }: UserFilter & PageQuery & { sort: UserSort }) {
      const ofSort = userCursor.refine(([order]) => order === sort).transform(([, value, key]) => ({ value, key }));
      const found = await store.search(filter, sort, readCursor(cursor, ofSort), limit + 1, clock.now());
      const { page, nextCursor } = cutPage(found, limit, ({ value, key }) => [sort, value, key]);
      return { items: await recordsOf(page.map(({ key }) => key)), nextCursor };
    },

    /** Throws `not_found`. */
    async find(key: number): Promise<OperatorUser> {
      const [account, lastHours] = await Promise.all([accounts.find(key), activity.lastHours([key])]);
      return { ...accountRecord(account), lastHour: lastHours.get(key) ?? 0 };
    },

    /** The same as the user reads with the owner key. Throws `not_found`. */
    async usage(key: number, by?: 'key' | 'path'): Promise<UsageRecord> {
      return usageOf({ user: await accounts.find(key), scopes: OWNER_SCOPES }, by);
    },

    /** Throws `not_found`. */
    async show(key: number): Promise<OperatorUserDetail> {
      const [shown, lastHours] = await Promise.all([accounts.show(key), activity.lastHours([key])]);
      const { account, keys, grants, daily, notices } = shown;
      return {
        ...accountRecord(account),
        lastHour: lastHours.get(key) ?? 0,
        isVerified: account.isVerified,
        apiKeys: keys.map(keyRecord),
        grants: grants.map(({ periodStart, createdAt, ...grant }) => ({
          ...grant,
          periodStart: iso(periodStart),
          createdAt: iso(createdAt),
        })),
        daily,
        notices,
      };
    },
  };
}

export type UserDirectory = ReturnType<typeof createUserDirectory>;
