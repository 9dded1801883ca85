import { type Clock, type Instant, instantOf, SECOND } from '../domain/clock.ts';
import { giveBackCall, isUsable, keepCall, type Lease, remaining, unspent } from '../domain/lease.ts';
import type { Log } from '../domain/log.ts';
import { Problem } from '../problems.ts';
import type { LedgerStore } from '../stores/ledger.ts';
import { type Account, createAccounts, end, type Held, type Spender } from './accounts.ts';
import { createPacing, type Pace } from './pace.ts';
import { createSettling } from './settling.ts';

export type { Spender } from './accounts.ts';
export type { Pace } from './pace.ts';

/** A call that was paid for. `remaining` is what this process knows to be left after it. */
export type Receipt = { lease: Lease; remaining: number };

/** What a process holds, and what has become of the calls it took since it started. */
export type LeasesReading = Held & { settled: number; refunded: number };

type Parts = { ledger: LedgerStore; clock: Clock; log: Log; pace?: Pace | undefined };

/**
 * Spending without a database on the way: a call takes one from the lease in memory; the ledger is settled behind
 * it, for all keys together. What each statement settles is told in `stores/settlement.ts` and in ARCHITECTURE.md.
 */
export function createLeases({ ledger, clock, log, pace }: Parts) {
  const accounts = createAccounts(clock);
  const settling = createSettling({ accounts, ledger, clock });
  const pacing = createPacing({ settle: settling.settle, log, pace });
  let refunded = 0;

  function take(account: Account, lease: Lease, { elapsed }: Instant): Receipt {
    lease.spent += 1;
    lease.inFlight += 1;
    account.calls += 1;
    account.usedAt = elapsed;
    return { lease, remaining: remaining(lease) };
  }

  function spendAtOnce(spender: Spender, at: Instant): Receipt | undefined {
    const account = accounts.of(spender.key);
    const { lease } = account;
    return lease && unspent(lease) > 0 && isUsable(lease, at) ? take(account, lease, at) : undefined;
  }

  async function obtain(account: Account, spender: Spender): Promise<Receipt> {
    for (;;) {
      const lease = accounts.currentLease(account, spender);
      const at = instantOf(clock);
      if (unspent(lease) > 0 && isUsable(lease, at)) return take(account, lease, at);
      if (account.spentOut && at.elapsed < account.spentOut.until)
        throw spentOut(account.spentOut.comesBackIn, lease);
      if (settling.hasJustFailed())
        throw new Problem('database_unavailable', 'The database cannot be reached.', { retryAfter: 2 });
      account.usedAt = at.elapsed;
      settling.ask(account);
      account.waiting += 1;
      await pacing.soon().finally(() => {
        account.waiting -= 1;
      });
    }
  }

  function spentOut(comesBackIn: number | undefined, { period, limit }: Lease): Problem {
    const retryAfter = comesBackIn ?? (period.end - clock.now()) / SECOND;
    const ends = new Date(period.end).toISOString();
    return new Problem('quota_exceeded', `All ${limit} calls of the period that ends at ${ends} are spent.`, {
      retryAfter,
    });
  }

  return {
    /** Pays for one call: at once from a lease in memory, or after the ledger granted one. Throws `quota_exceeded`. */
    spend(spender: Spender): Receipt | Promise<Receipt> {
      return spendAtOnce(spender, instantOf(clock)) ?? obtain(accounts.of(spender.key), spender);
    },

    /** Pays for one call that is made now from a lease in memory, if it can be done at once. */
    spendAtOnce,

    /** The call stays paid for. */
    keep: ({ lease }: Receipt): void => keepCall(lease),

    /** Gives a call back to the lease, and so to the period and date, in which it was spent. */
    refund({ lease }: Receipt): void {
      refunded += 1;
      giveBackCall(lease);
    },

    /** The leases of a user whose calls may not all be settled. */
    of: accounts.leasesOf,

    reading: (): LeasesReading => ({ ...accounts.held(), settled: settling.settled(), refunded }),

    /** Settles everything now. */
    settle: (): Promise<void> => pacing.tick(),

    /** Settles everything and gives back what is unspent, however often it takes within the time there is (ms). */
    async close(withinMs: number): Promise<void> {
      pacing.close();
      const deadline = performance.now() + withinMs;
      while (!accounts.areSettled() && performance.now() < deadline) {
        for (const account of accounts.all()) end(account);
        await pacing
          .tick()
          .catch((err) => log.warn({ err }, 'the ledger could not be settled before the stop'));
      }
    },

    /** Stops without a word to the ledger, as a crash would. */
    abandon(): void {
      pacing.close();
      accounts.clear();
    },
  };
}

export type Leases = ReturnType<typeof createLeases>;
