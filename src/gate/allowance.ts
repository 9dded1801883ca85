import { type Instant, instantOf, iso, isoDate, SECOND } from '#core/clock';
import { every } from '#core/every';
import { withinDeadline } from '#database/deadline';
import type { Caller, KeyCache } from '#keys/key-cache';
import type { KeyHolder } from '#keys/key-validity';
import { remaining } from '#ledger/lease';
import { createLeases, type LeaseOptions, type Receipt } from '#ledger/leases';
import { breakDown, byCalls, newestOf } from '#ledger/usage/breakdown';
import { rowKey, totalsOf, type Unreported, type UsageBy } from '#ledger/usage/call-details';
import { createKeyLimits } from '#ledger/usage/key-limits';
import { pathOf } from '#ledger/usage/usage-paths';
import { periodAt } from '#users/plan';
import type { UsageRecord } from '#users/users-records';

const USAGE_DATES = 31;

type Dependencies = LeaseOptions & { keyCache: KeyCache };
type LimitedKey = KeyHolder & { dailyLimit: number };

type KeyName = { id: number; label: string | null; start: string | null };

function nameOfKey(id: number | null, names: readonly KeyName[]) {
  const { label = null, start = null } = names.find((name) => name.id === id) ?? {};
  return { id, label, start };
}

const isLimited = (key: KeyHolder): key is LimitedKey => key.dailyLimit !== undefined;

export function createAllowance({ keyCache, ...options }: Dependencies) {
  const { ledger, clock, failures, tickMs = SECOND } = options;
  const leases = createLeases(options);
  const keyLimits = createKeyLimits({ store: ledger, leasesOf: leases.of, clock });

  /** Combines the ledger's counts with the calls that this process has charged but not yet reported. */
  async function countsOf(userKey: number, periodStart: number, by?: UsageBy) {
    const asked = new Map(leases.of(userKey).map((lease) => [lease, lease.settled]));
    const read = await withinDeadline(ledger.counts(userKey, periodStart, USAGE_DATES, by));
    const leasesByKey = new Map(read.leases.map((lease) => [lease.key, lease]));
    const daily = new Map(read.days.map(({ date, calls }) => [date, calls]));
    const counts = { used: read.used, daily, read, own: [] as (Unreported & { date: string })[] };
    for (const lease of new Set([...asked.keys(), ...leases.of(userKey)])) {
      // A lease that has no row was opened after the counts were read, or has been closed.
      const reported = leasesByKey.get(rowKey(lease.process, lease.period.start, lease.date));
      const calls = lease.spent - (reported?.spent ?? asked.get(lease) ?? 0);
      const date = isoDate(lease.date);
      counts.own.push({ date, totals: totalsOf(lease), reported });
      if (lease.period.start === periodStart) counts.used += calls;
      counts.daily.set(date, (counts.daily.get(date) ?? 0) + calls);
    }
    return counts;
  }

  /** Reads changed keys. Releases the calls of idle leases if another process needs them. */
  async function sync(): Promise<void> {
    const changed = await keyCache.sync();
    for (const key of changed) if (!isLimited(key)) keyLimits.forget(key.id);
    leases.review(changed.map(({ user }) => user));
  }

  async function poll(): Promise<void> {
    await sync();
    await keyLimits.refresh();
  }
  // Polls never overlap. Otherwise, each poll would hold another connection while the database does not respond.
  const polling = every(tickMs, poll, {
    onError(error) {
      leases.databaseFailed();
      failures.failed('key poll', error);
    },
  });
  // This is separate from the poll, so that the poll learns of ended keys without waiting for this write.
  const writing = every(tickMs, keyCache.writeUse, { onError: (error) => failures.failed('key use record', error) });

  /** Most keys have no daily limit, and are charged without further checks. */
  function spendAtOnce(key: KeyHolder, path: number, at: Instant, cost: number): Receipt | undefined {
    const call = { keyId: key.id, path, cost };
    if (!isLimited(key)) return leases.spendAtOnce(key.user, call, at);
    const counter = keyLimits.admitAtOnce(key, at, cost);
    const receipt = counter && leases.spendAtOnce(key.user, call, at);
    if (counter === undefined || receipt === undefined) return undefined;
    counter.used += cost;
    receipt.counter = counter;
    return receipt;
  }

  async function spendLimited(key: LimitedKey, path: number, waited: number, cost: number): Promise<Receipt> {
    const since = clock.elapsed();
    const counter = await keyLimits.admit(key, cost);
    try {
      const call = { keyId: key.id, path, cost };
      const receipt = await leases.spend(key.user, call, waited + clock.elapsed() - since);
      counter.used += cost;
      receipt.counter = counter;
      return receipt;
    } finally {
      counter.pending -= cost;
    }
  }

  /**
   * Charges the whole cost. Otherwise, throws `quota_exceeded` or `key_limit_exceeded`, and charges nothing. `waited`:
   * how long the call has already waited for the database, in ms.
   */
  function spend(key: KeyHolder, path: number, waited = 0, cost = 1): Receipt | Promise<Receipt> {
    if (!isLimited(key)) return leases.spend(key.user, { keyId: key.id, path, cost }, waited);
    return spendAtOnce(key, path, instantOf(clock), cost) ?? spendLimited(key, path, waited, cost);
  }

  /** Counts a request to the node toward the daily limit of a URL key. Throws `key_limit_exceeded`. */
  function countNodeRequest(key: KeyHolder): Promise<void> | undefined {
    if (!key.url || !isLimited(key)) return undefined;
    const counter = keyLimits.admitAtOnce(key, instantOf(clock), 1);
    if (counter) {
      keyLimits.countFree(counter);
      return undefined;
    }
    return keyLimits.admit(key, 1).then((admitted) => {
      admitted.pending -= 1;
      keyLimits.countFree(admitted);
    });
  }

  /** Writes recorded uses until all are written, a write fails, or `withinMs` has passed. */
  async function writeAllUse(withinMs: number): Promise<void> {
    const deadline = clock.elapsed() + withinMs;
    await writing.close();
    try {
      await keyLimits.write();
      while (!(await keyCache.writeUse()) && clock.elapsed() < deadline);
    } catch (error) {
      failures.failed('key use record', error, { isStopping: true });
    }
  }

  /** `by` breaks down the dates. Labels of keys require the scope `account`. */
  async function usage({ user, scopes }: Pick<Caller, 'user' | 'scopes'>, by?: UsageBy): Promise<UsageRecord> {
    const now = clock.now();
    const period = periodAt(user.plan, user.anchor, now);
    const { used, daily, read, own } = await countsOf(user.key, period.start, by);
    const newest = newestOf(daily, USAGE_DATES);
    const parts = by && breakDown(by, read, own, new Map(newest.map(({ date, calls }) => [date, calls])));
    const names = by === 'key' && scopes.includes('account') ? await withinDeadline(ledger.keyNames(user.key)) : [];
    // A period without a row has no credits and no separate limit.
    const allowed = read.limit ?? user.limit;
    return {
      limit: allowed,
      used,
      remaining: Math.max(0, allowed - used),
      periodStart: iso(period.start),
      resetsAt: iso(period.end),
      validUntil: iso(user.validUntil),
      daily: newest,
      ...(by === 'key' && { keys: parts && byCalls(parts, (id) => nameOfKey(id, names)) }),
      ...(by === 'path' && {
        paths: parts && byCalls(parts, (path) => ({ path: path === null ? null : pathOf(path) })),
      }),
      ...(user.suspension && { suspended: user.suspension.reason }),
    };
  }

  return {
    // The gate calls these functions directly, because wrappers would slow down every call.
    holderOf: keyCache.holderOf,
    holderAtOnce: keyCache.holderAtOnce,
    holderOfHash: keyCache.holderOfHash,
    /** Records the use of a key. The database is updated within 2 s. */
    noteUse: keyCache.noteUse,
    noteExposure: keyCache.noteExposure,
    spendAtOnce,
    spend,
    countNodeRequest,
    keep: leases.keep,
    refund: leases.refund,
    limitOf: leases.limitOf,

    usage,

    /** The remaining calls according to this process or, if it holds no lease of the user, according to the ledger. */
    remaining(caller: Caller): number | Promise<number> {
      const lease = leases.of(caller.user.key).find(leases.isUsable);
      return lease ? remaining(lease) : usage(caller).then((counts) => counts.remaining);
    },

    reading: leases.reading,
    /** Also call this after each change that this process makes, so that the change takes effect immediately. */
    sync,
    settle: leases.settle,
    databaseFailed: leases.databaseFailed,
    leasesOf: leases.of,
    processId: leases.processId,
    announce: leases.announce,
    poll,
    writeUse: writing.run,

    /** Stops without reporting to the ledger, as a crash would. */
    abandon(): void {
      void polling.close();
      void writing.close();
      leases.abandon();
    },

    async close(withinMs: number): Promise<void> {
      await Promise.all([polling.close(), leases.close(withinMs), writeAllUse(withinMs)]);
    },
  };
}

export type Allowance = ReturnType<typeof createAllowance>;
