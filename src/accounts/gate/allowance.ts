import type { Caller, KeyCache } from '#accounts/keys/key-cache';
import { endOf, refuseEnded } from '#accounts/keys/key-problems';
import { createLeases, type LeaseOptions, type Receipt } from '#accounts/ledger/leases';
import { periodAt } from '#accounts/ledger/plan';
import type { UsageRecord } from '#accounts/records';
import { HOUR, type Instant, isoDate, SECOND } from '#core/clock';
import { withinDeadline } from '#database/deadline';

export type { Caller } from '#accounts/keys/key-cache';
export type { Receipt } from '#accounts/ledger/leases';

/** How many dates `usage` tells of. */
const USAGE_DATES = 31;

/** How often keys and ledger are cleaned up, in ms. */
const TIDY_EVERY = HOUR;

type Dependencies = LeaseOptions & { keyCache: KeyCache };

/** Who may call, and how often. */
export function createAllowance({ keyCache, ...options }: Dependencies) {
  const { ledger, clock, failures, tickMs = SECOND } = options;
  const leases = createLeases(options);
  let tidyAt = clock.elapsed();

  function usableHolder(holder: Caller, allowExpired: boolean): Caller {
    refuseEnded(holder, clock.now(), allowExpired);
    return holder;
  }

  /**
   * The counts of a period and of each date at one moment: what the ledger has, and of each lease of this process what
   * was spent beyond what the ledger has of that lease. So a report that is on its way, or whose answer was lost, counts
   * once.
   */
  async function countsOf(userKey: number, periodStart: number) {
    const asked = new Map(leases.of(userKey).map((lease) => [lease, lease.settled]));
    const ids = [...asked.keys()].map(({ id }) => id);
    const { used, days, spent } = await withinDeadline(ledger.counts(userKey, periodStart, ids, USAGE_DATES));
    const counts = { used, daily: new Map(days.map(({ date, calls }) => [date, calls])) };
    for (const lease of new Set([...asked.keys(), ...leases.of(userKey)])) {
      // Without a row: it was opened after the counts were read, or so long ago that the ledger has deleted it.
      const calls = lease.spent - (spent[lease.id] ?? asked.get(lease) ?? 0);
      const date = isoDate(lease.date);
      if (lease.period.start === periodStart) counts.used += calls;
      counts.daily.set(date, (counts.daily.get(date) ?? 0) + calls);
    }
    return counts;
  }

  /**
   * Reloads what changed about users and keys, and leases follow. A user whose calls are spent while another process
   * holds some of them is dated as changed by that settlement: idle leases give theirs back.
   */
  async function sync(): Promise<void> {
    const changed = await keyCache.sync();
    leases.review(changed.map(({ user }) => user));
  }

  /** Reloads what changed, and now and then cleans up keys and ledger. */
  async function poll(): Promise<void> {
    await sync();
    if (clock.elapsed() < tidyAt) return;
    tidyAt = clock.elapsed() + TIDY_EVERY;
    await Promise.all([withinDeadline(ledger.tidy()), keyCache.tidy()]);
  }
  let underWay: Promise<void> | undefined;
  let writing: Promise<void> | undefined;

  /** Beside the poll, which tells of keys that have ended and should not wait for this. */
  function writeUse(): Promise<void> {
    writing ??= keyCache
      .writeUse()
      .then(() => undefined)
      .catch((error) => failures.failed('key use record', error))
      .finally(() => {
        writing = undefined;
      });
    return writing;
  }

  /** Writes all of it, while it can be written and there is time (ms). */
  async function writeAllUse(withinMs: number): Promise<void> {
    const deadline = clock.elapsed() + withinMs;
    await writing;
    try {
      while (!(await keyCache.writeUse()) && clock.elapsed() < deadline);
    } catch (error) {
      failures.failed('key use record', error, { isStopping: true });
    }
  }

  const polling = setInterval(() => {
    void writeUse();
    // One at a time: while the database does not answer, each question holds a connection.
    underWay ??= poll()
      .catch((error) => {
        leases.databaseFailed();
        failures.failed('key poll', error);
      })
      .finally(() => {
        underWay = undefined;
      });
  }, tickMs);

  return {
    /** The holder of a key that may be used. Throws one of the `api_key_…` problems. */
    authenticate(apiKey: string, { allowExpired = false } = {}): Caller | Promise<Caller> {
      const holder = keyCache.holderOf(apiKey);
      return holder instanceof Promise
        ? holder.then((found) => usableHolder(found, allowExpired))
        : usableHolder(holder, allowExpired);
    },

    /** The holder of a key that may be used now, where that is known at once. */
    holderAtOnce(apiKey: string, now: Instant): Caller | undefined {
      const holder = keyCache.holderAtOnce(apiKey, now.elapsed);
      return holder && endOf(holder, now.wall) === undefined ? holder : undefined;
    },

    /** Notes that a caller's key is used, for its owner to see; written within a second or two. */
    noteUse: keyCache.noteUse,

    /** Pays for a call that is made now and costs so many, where that can be done at once; else nothing has happened. */
    spendAtOnce: ({ user }: Caller, now: Instant, cost: number): Receipt | undefined =>
      leases.spendAtOnce(user, now, cost),

    /**
     * Pays for a call all that it costs, or nothing: throws `quota_exceeded` when less is left of the period's allowance.
     * @param waited how long the call has waited for the look-up of its key, in ms
     */
    spend: ({ user }: Caller, waited = 0, cost = 1) => leases.spend(user, waited, cost),
    keep: leases.keep,
    refund: leases.refund,

    /** What was used of the running period, and by date. */
    async usage({ user }: Caller): Promise<UsageRecord> {
      const now = clock.now();
      const period = periodAt(user.plan, user.anchor, now);
      const { used, daily } = await countsOf(user.key, period.start);
      return {
        limit: user.limit,
        used,
        remaining: Math.max(0, user.limit - used),
        periodStart: new Date(period.start).toISOString(),
        resetsAt: new Date(period.end).toISOString(),
        validUntil: new Date(user.validUntil).toISOString(),
        daily: [...daily]
          .map(([date, calls]) => ({ date, calls }))
          .filter(({ calls }) => calls > 0)
          .sort((a, b) => (a.date < b.date ? 1 : -1))
          .slice(0, USAGE_DATES),
      };
    },

    /** What this process holds for all users together. */
    reading: leases.reading,

    /** Reloads what changed about users and keys: at once when called after a change of this process. */
    sync,

    settle: leases.settle,
    leasesOf: leases.of,
    poll,
    writeUse,

    /** Stops without a word to the ledger, as a crash would. */
    abandon(): void {
      clearInterval(polling);
      leases.abandon();
    },

    /** Settles everything, within so many ms. */
    async close(withinMs: number): Promise<void> {
      clearInterval(polling);
      await Promise.all([underWay, leases.close(withinMs), writeAllUse(withinMs)]);
    },
  };
}

export type Allowance = ReturnType<typeof createAllowance>;
