import { randomBytes } from 'node:crypto';
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts';
import { isPast, type Lease, newLease, unspent } from '../domain/lease.ts';
import type { Term } from '../domain/plan.ts';

/** A key that was not used for so long gives back what it holds; an account without a lease is forgotten; in ms. */
export const IDLE = 5 * SECOND;
const FORGOTTEN = MINUTE;

/** Who spends: whose, how many, and in which periods. */
export type Spender = Term & { key: number; limit: number };

/** What this process holds for a user, and knows of how it is spent. */
export type Account = {
  lease: Lease | undefined;
  /** Leases no longer spent from, until their last call is settled. */
  ended: Lease[];
  /** The period whose row the ledger is known to have. */
  openedPeriod: number | undefined;
  /** Calls a second of late, and calls since the last tick. */
  rate: number;
  calls: number;
  usedAt: number;
  reportedAt: number;
  /** Calls that wait for the ledger to grant something. */
  waiting: number;
  /** Set when the ledger had nothing to grant: when to ask again, and when something may come back (seconds). */
  spentOut: { until: number; comesBackIn: number | undefined } | undefined;
};

/** What the accounts of this process hold together: leases that are open, and calls. */
export type Held = {
  leases: number;
  granted: number;
  unspent: number;
  /** Spent, and not known to be in the ledger. */
  unsettled: number;
};

/** As long as a UUID and as random, and one flat string: Node puts UUIDs together of twenty pieces that it keeps. */
const newId = () => randomBytes(16).toString('hex');

/** Nothing more is spent from the account's lease; what it holds goes back with the next settlement. */
export function end(account: Account): void {
  const { lease } = account;
  if (!lease) return;
  lease.closing = true;
  account.lease = undefined;
  // That there was nothing to grant was said of this lease's period, and of a limit that may have changed.
  account.spentOut = undefined;
  if (lease.seq > 0) account.ended.push(lease);
}

/** Nothing more will be said of it, by either side. */
const isDone = ({ closed, spent, settled, inFlight }: Lease) => closed && spent === settled && inFlight === 0;

/** The accounts of this process, in memory alone. */
export function createAccounts(clock: Clock) {
  const accounts = new Map<number, Account>();
  let measuredAt = clock.elapsed();

  return {
    /** The account of a user who spends: the one there is, or a new one. */
    of(key: number): Account {
      const known = accounts.get(key);
      if (known) return known;
      const fresh: Account = {
        lease: undefined,
        ended: [],
        openedPeriod: undefined,
        rate: 0,
        calls: 0,
        usedAt: clock.elapsed(),
        reportedAt: Number.NEGATIVE_INFINITY,
        waiting: 0,
        spentOut: undefined,
      };
      accounts.set(key, fresh);
      return fresh;
    },

    /** The leases of a user whose calls may not all be settled. */
    leasesOf(key: number): Lease[] {
      const account = accounts.get(key);
      return account ? [...account.ended, ...(account.lease ? [account.lease] : [])] : [];
    },

    /** The lease of the period and date that now are: the one there is, or a new one that nothing was granted to. */
    currentLease(account: Account, spender: Spender): Lease {
      const now = clock.now();
      if (account.lease && (account.lease.closing || isPast(account.lease, spender, now))) end(account);
      account.lease ??= newLease(newId(), spender.key, spender, spender.limit, now);
      return account.lease;
    },

    all: (): Iterable<Account> => accounts.values(),

    /** Once a tick: measures how fast each key spends, and ends the leases of those that are idle. */
    measure(now: number): void {
      const seconds = Math.max(SECOND, now - measuredAt) / SECOND;
      measuredAt = now;
      for (const account of accounts.values()) {
        const recent = account.calls / seconds;
        account.rate = Math.max(recent, (account.rate + recent) / 2);
        account.calls = 0;
        if (account.lease && now - account.usedAt >= IDLE) end(account);
      }
    },

    /** Once a tick: forgets the ended leases of which all is settled, and the accounts that nobody uses. */
    forget(now: number): void {
      for (const [key, account] of accounts) {
        if (account.ended.some(isDone)) account.ended = account.ended.filter((lease) => !isDone(lease));
        if (!account.lease && account.ended.length === 0 && now - account.usedAt >= FORGOTTEN)
          accounts.delete(key);
      }
    },

    /** Whether nothing is held any more, and all that was is settled. */
    areSettled: (): boolean =>
      [...accounts.values()].every(({ lease, ended }) => !lease && ended.length === 0),

    held(): Held {
      const held = { leases: 0, granted: 0, unspent: 0, unsettled: 0 };
      const count = (lease: Lease) => {
        held.unsettled += Math.max(0, lease.spent - lease.settled);
        if (lease.closed || lease.granted === 0) return;
        held.leases += 1;
        held.granted += lease.granted;
        held.unspent += unspent(lease);
      };
      for (const { lease, ended } of accounts.values()) {
        if (lease) count(lease);
        ended.forEach(count);
      }
      return held;
    },

    clear: (): void => accounts.clear(),
  };
}

export type Accounts = ReturnType<typeof createAccounts>;
