import type { Caller, KeyCache } from '#accounts/keys/key-cache';
import { createLeases, type LeaseOptions } from '#accounts/ledger/leases';
import { periodAt } from '#accounts/ledger/plan';
import type { UsageRecord } from '#accounts/records';
import { HOUR, iso, isoDate, SECOND } from '#core/clock';
import { every } from '#core/every';
import { withinDeadline } from '#database/deadline';

const USAGE_DATES = 31;
const TIDY_EVERY = HOUR;

type Dependencies = LeaseOptions & { keyCache: KeyCache };

export function createAllowance({ keyCache, ...options }: Dependencies) {
  const { ledger, clock, failures, tickMs = SECOND } = options;
  const leases = createLeases(options);
  let tidyAt = clock.elapsed();

  /** Combines the ledger's counts with the calls that this process has charged but not yet settled. */
  async function countsOf(userKey: number, periodStart: number) {
    const asked = new Map(leases.of(userKey).map((lease) => [lease, lease.settled]));
    const ids = [...asked.keys()].map(({ id }) => id);
    const { used, days, spent } = await withinDeadline(ledger.counts(userKey, periodStart, ids, USAGE_DATES));
    const counts = { used, daily: new Map(days.map(({ date, calls }) => [date, calls])) };
    for (const lease of new Set([...asked.keys(), ...leases.of(userKey)])) {
      // A lease without a row was opened after the counts were read, or its row has already been deleted.
      const calls = lease.spent - (spent[lease.id] ?? asked.get(lease) ?? 0);
      const date = isoDate(lease.date);
      if (lease.period.start === periodStart) counts.used += calls;
      counts.daily.set(date, (counts.daily.get(date) ?? 0) + calls);
    }
    return counts;
  }

  /** Reads changed keys. Returns leased calls of idle users whose calls another process needs. */
  async function sync(): Promise<void> {
    const changed = await keyCache.sync();
    leases.review(changed.map(({ user }) => user));
  }

  async function poll(): Promise<void> {
    await sync();
    if (clock.elapsed() < tidyAt) return;
    tidyAt = clock.elapsed() + TIDY_EVERY;
    await Promise.all([withinDeadline(ledger.tidy()), keyCache.tidy()]);
  }
  // Polls never overlap: while the database does not respond, each poll would hold another connection.
  const polling = every(tickMs, poll, {
    onError(error) {
      leases.databaseFailed();
      failures.failed('key poll', error);
    },
  });
  // Separate from the poll, so that the poll learns of ended keys without waiting for this write.
  const writing = every(tickMs, keyCache.writeUse, { onError: (error) => failures.failed('key use record', error) });

  /** Writes recorded uses until all are written, a write fails, or `withinMs` has passed. */
  async function writeAllUse(withinMs: number): Promise<void> {
    const deadline = clock.elapsed() + withinMs;
    await writing.close();
    try {
      while (!(await keyCache.writeUse()) && clock.elapsed() < deadline);
    } catch (error) {
      failures.failed('key use record', error, { isStopping: true });
    }
  }

  return {
    // The gate calls these functions directly, because wrappers would slow down every call.
    holderOf: keyCache.holderOf,
    holderAtOnce: keyCache.holderAtOnce,
    /** Records the use of a key. The database is updated within 2 s. */
    noteUse: keyCache.noteUse,
    spendAtOnce: leases.spendAtOnce,
    spend: leases.spend,
    keep: leases.keep,
    refund: leases.refund,

    async usage({ user }: Caller): Promise<UsageRecord> {
      const now = clock.now();
      const period = periodAt(user.plan, user.anchor, now);
      const { used, daily } = await countsOf(user.key, period.start);
      return {
        limit: user.limit,
        used,
        remaining: Math.max(0, user.limit - used),
        periodStart: iso(period.start),
        resetsAt: iso(period.end),
        validUntil: iso(user.validUntil),
        daily: [...daily]
          .map(([date, calls]) => ({ date, calls }))
          .filter(({ calls }) => calls > 0)
          .sort((a, b) => (a.date < b.date ? 1 : -1))
          .slice(0, USAGE_DATES),
      };
    },

    reading: leases.reading,
    /** Also called after each change that this process makes, so that the change takes effect immediately. */
    sync,
    settle: leases.settle,
    leasesOf: leases.of,
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
