import { type Clock, DAY, type Instant, isoDate, SECOND } from '#domain/clock';
import type { Log } from '#domain/log';
import { periodAt } from '#domain/quota/plan';
import type { UsageRecord } from '#domain/records';
import { reach } from '#services/deadline';
import type { LedgerStore } from '#stores/quota/ledger';
import type { KeyHolder } from '#stores/quota/users';
import type { KeyCache } from './key-cache.ts';
import { isGood, refuseEnded, refuseExpired } from './key-problems.ts';
import { createLeases, type Pace, type Receipt } from './leases.ts';

export type { Receipt } from './leases.ts';

/** Who makes a call, and with which of the user's keys. */
export type Caller = KeyHolder;

/** How many dates `usage` tells of. */
const DAILY = 31;

type Dependencies = {
  keyCache: KeyCache;
  ledger: LedgerStore;
  clock: Clock;
  log: Log;
  pace?: Pace;
  /** How many calls a key that comes for the first time may make at once, where there is plenty. */
  page?: number | undefined;
};

/** Who may call, and how often. */
export function createAllowance({ keyCache, ledger, clock, log, pace, page }: Dependencies) {
  const leases = createLeases({ ledger, clock, log, pace, page });
  let forgetAt = clock.elapsed();

  function toCaller(holder: KeyHolder, allowExpired: boolean): Caller {
    const now = clock.now();
    refuseEnded(holder, now);
    if (!allowExpired) refuseExpired(holder, now);
    return holder;
  }

  /**
   * The counts of a period and of each date, of one moment: what the ledger has, and of each lease of this process what
   * was spent beyond what the ledger had of it. So it counts once what is on its way to the ledger, or was lost on the
   * way back.
   */
  async function countsOf(userKey: number, periodStart: number) {
    const asked = new Map(leases.of(userKey).map((lease) => [lease, lease.settled]));
    const ids = [...asked.keys()].map(({ id }) => id);
    const { used, days, spent } = await reach(ledger.counts(userKey, periodStart, ids, DAILY));
    const counts = { used, daily: new Map(days.map(({ date, calls }) => [date, calls])) };
    for (const lease of new Set([...asked.keys(), ...leases.of(userKey)])) {
      // One that the ledger has no row of was opened since, or it was so long ago that it has forgotten it.
      const calls = lease.spent - (spent[lease.id] ?? asked.get(lease) ?? 0);
      const date = isoDate(lease.date);
      if (lease.period.start === periodStart) counts.used += calls;
      counts.daily.set(date, (counts.daily.get(date) ?? 0) + calls);
    }
    return counts;
  }

  /** What changed about users and keys. One whose allowance was found spent counts as changed, so what rests goes back. */
  async function sync(): Promise<void> {
    const changed = await keyCache.sync();
    leases.recall(new Set(changed.map(({ user }) => user.key)));
  }

  /** What changed, and now and then the clean-up of keys and ledger. */
  async function watch(): Promise<void> {
    await sync();
    if (clock.elapsed() < forgetAt) return;
    forgetAt = clock.elapsed() + DAY / 24;
    await Promise.all([reach(ledger.tidy()), keyCache.tidy()]);
  }
  let underWay: Promise<void> | undefined;
  const watching = setInterval(() => {
    // A database that does not answer is not asked again and again: each question holds a connection.
    underWay ??= watch()
      .catch((err) => log.warn({ err }, 'changes to users and keys could not be read'))
      .finally(() => {
        underWay = undefined;
      });
  }, pace?.tick ?? SECOND);

  return {
    /** The holder of a key that may be used. Throws one of the `api_key_…` problems. */
    authenticate(apiKey: string, { allowExpired = false } = {}): Caller | Promise<Caller> {
      const holder = keyCache.holderOf(apiKey);
      return holder instanceof Promise
        ? holder.then((found) => toCaller(found, allowExpired))
        : toCaller(holder, allowExpired);
    },

    /** The holder of a key that may be used now, where that is known at once. */
    holderAtOnce(apiKey: string, now: Instant): Caller | undefined {
      const holder = keyCache.holderAtOnce(apiKey, now.elapsed);
      return holder && isGood(holder, now.wall) ? holder : undefined;
    },

    /** Pays for one call that is made now, where that can be done at once; else nothing has happened. */
    spendAtOnce: ({ user }: Caller, now: Instant): Receipt | undefined => leases.spendAtOnce(user, now),

    /**
     * Pays for one call, that has waited for the look-up of its key for so many ms. Throws `quota_exceeded` when the
     * period's allowance is spent.
     */
    spend: ({ user }: Caller, waited = 0) => leases.spend(user, waited),
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
          .slice(0, DAILY),
      };
    },

    /** What this process holds for all users together. */
    reading: leases.reading,

    /** Takes over what changed about users and keys: at once when called after a change of this process. */
    sync,

    settle: leases.settle,
    leasesOf: leases.of,
    watch,

    /** Stops without a word to the ledger, as a crash would. */
    abandon(): void {
      clearInterval(watching);
      leases.abandon();
    },

    /** Settles everything, within so many ms. */
    async close(withinMs: number): Promise<void> {
      clearInterval(watching);
      await Promise.all([underWay, leases.close(withinMs)]);
    },
  };
}

export type Allowance = ReturnType<typeof createAllowance>;
