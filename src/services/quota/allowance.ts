import { type Clock, DAY, type Instant, isoDate, SECOND } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import { periodAt } from '../domain/plan.ts';
import type { UsageRecord } from '../domain/records.ts';
import type { LedgerStore } from '../stores/ledger.ts';
import type { KeyHolder } from '../stores/users.ts';
import { reach } from './deadline.ts';
import type { Identities } from './identities.ts';
import { isGood, refuseEnded, refuseExpired } from './key-problems.ts';
import { createLeases, type Pace, type Receipt } from './leases.ts';

export type { Receipt } from './leases.ts';

/** Who makes a call, and with which of the user's keys. */
export type Caller = KeyHolder;

/** How many dates `usage` tells of. */
const DAILY = 31;

type Parts = { identities: Identities; ledger: LedgerStore; clock: Clock; log: Log; pace?: Pace };

/** Who may call, and how often. */
export function createAllowance({ identities, ledger, clock, log, pace }: Parts) {
  const leases = createLeases({ ledger, clock, log, pace });
  let forgetAt = clock.elapsed();

  function admit(holder: KeyHolder, evenExpired: boolean): Caller {
    const now = clock.now();
    refuseEnded(holder, now);
    if (!evenExpired) refuseExpired(holder, now);
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

  /** What changed about users and keys, and now and then the ledger's clean-up. */
  async function watch(): Promise<void> {
    await identities.sync();
    if (clock.elapsed() < forgetAt) return;
    forgetAt = clock.elapsed() + DAY / 24;
    await reach(ledger.tidy());
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
    authenticate(apiKey: string, { evenExpired = false } = {}): Caller | Promise<Caller> {
      const holder = identities.holderOf(apiKey);
      return holder instanceof Promise
        ? holder.then((found) => admit(found, evenExpired))
        : admit(holder, evenExpired);
    },

    /** The holder of a key that may be used now, where that is known at once. */
    holderAtOnce(apiKey: string, now: Instant): Caller | undefined {
      const holder = identities.holderAtOnce(apiKey, now.elapsed);
      return holder && isGood(holder, now.wall) ? holder : undefined;
    },

    /** Pays for one call that is made now, where that can be done at once; else nothing has happened. */
    spendAtOnce: ({ user }: Caller, now: Instant): Receipt | undefined => leases.spendAtOnce(user, now),

    /** Pays for one call. Throws `quota_exceeded` when the period's allowance is spent. */
    spend: ({ user }: Caller) => leases.spend(user),
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
