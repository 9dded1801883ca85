import { iso } from '#core/clock';
import { withinDeadline } from '#database/deadline';
import type { Caller } from '#keys/key-cache';
import type { Lease } from '#ledger/lease';
import type { LedgerOptions } from '#ledger/ledger-state';
import { breakDown, byCalls, newestOf } from '#ledger/usage/breakdown';
import type { UsageBy } from '#ledger/usage/call-details';
import { unreportedCalls } from '#ledger/usage/unreported-calls';
import { pathOf } from '#ledger/usage/usage-paths';
import { periodAt } from '#users/plan';
import type { UsageRecord } from '#users/users-records';

const USAGE_DATES = 31;

/**
 * The usage of a user as of an instant (Unix ms): the ledger's counts, and the calls that this process has charged but
 * not yet reported. `by` breaks down the dates. Labels of keys require the scope `account`.
 */
export async function readUsage(
  ledger: Pick<LedgerOptions['ledger'], 'counts' | 'keyNames'>,
  leasesOf: (userKey: number) => readonly Lease[],
  { user, scopes }: Pick<Caller, 'user' | 'scopes'>,
  by: UsageBy | undefined,
  now: number,
): Promise<UsageRecord> {
  const period = periodAt(user.plan, user.anchor, now);
  const before = [...leasesOf(user.key)];
  const read = await withinDeadline(ledger.counts(user.key, period.start, USAGE_DATES, by));
  const unreported = unreportedCalls([...before, ...leasesOf(user.key)], read.leases);
  let { used } = read;
  const days = new Map(read.days.map(({ date, calls }) => [date, calls]));
  for (const { periodStart, date, calls } of unreported) {
    if (periodStart === period.start) used += calls;
    days.set(date, (days.get(date) ?? 0) + calls);
  }
  const daily = newestOf(days, USAGE_DATES);
  const parts = by && breakDown(by, read, unreported, new Map(daily.map(({ date, calls }) => [date, calls])));
  const names = by === 'key' && scopes.includes('account') ? await withinDeadline(ledger.keyNames(user.key)) : [];
  const nameOfKey = (id: number | null) => names.find((name) => name.id === id) ?? { id, label: null, start: null };
  // A period without a row has no credits and no separate limit.
  const limit = read.limit ?? user.limit;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    periodStart: iso(period.start),
    resetsAt: iso(period.end),
    validUntil: iso(user.validUntil),
    daily,
    ...(parts && by === 'key' && { keys: byCalls(parts, nameOfKey) }),
    ...(parts &&
      by === 'path' && {
        paths: byCalls(parts, (path) => ({ path: path === null ? null : pathOf(path) })),
      }),
    ...(user.suspension && { suspended: user.suspension.reason }),
  };
}
