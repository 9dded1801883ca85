import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, MINUTE, SECOND } from '../domain/clock.ts';
import {
  giveBackCall,
  isPast,
  isRunningOut,
  isUsable,
  keepCall,
  type Lease,
  newLease,
  remaining,
  unspent,
  usableUntil,
  wanted,
} from '../domain/lease.ts';
import type { Log } from '../domain/log.ts';
import type { Term } from '../domain/plan.ts';
import { Problem } from '../problems.ts';
import type { LeaseState, LedgerStore } from '../stores/ledger.ts';
import { reach } from './deadline.ts';

/**
 * `tick`: everything is settled once in this time, and what is not pressing waits for it. `spacing`: statements lie
 * at least so far apart, eight a second, and with the tick's look at the users no more than ten. Both in ms.
 */
const PACE = { tick: SECOND, spacing: 125 };
/** A key that was not used for so long gives back what it holds; an account without a lease is forgotten; in ms. */
const IDLE = 5 * SECOND;
const FORGOTTEN = MINUTE;
/** An open lease is reported at least so often (ms), spent from or not, so that it stays alive. */
const EXTEND = 4 * SECOND;
/** Whoever has nothing left, or no database, is not asked about again before this; in ms. */
const PAUSE = SECOND;

/** Who spends: whose, how many, and in which periods. */
export type Spender = Term & { key: number; limit: number };

/** A call that was paid for. `remaining` is what this process knows to be left after it. */
export type Receipt = { lease: Lease; remaining: number };

type Account = {
  lease: Lease | undefined;
  /** Leases no longer spent from, until their last call is settled. */
  ended: Set<Lease>;
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

type Item = { account: Account; lease: Lease; want: number };

export type Pace = typeof PACE;
type Parts = { ledger: LedgerStore; clock: Clock; log: Log; pace?: Pace | undefined };

/**
 * Spending without a database on the way: a call takes one from the lease in memory; the ledger is settled behind
 * it, for all keys together. What each statement settles is told in `stores/ledger.ts` and in ARCHITECTURE.md.
 */
export function createLeases({ ledger, clock, log, pace = PACE }: Parts) {
  const accounts = new Map<number, Account>();
  const asking = new Set<Account>();
  let tickIsDue = false;
  let nextStart = Number.NEGATIVE_INFINITY;
  let lastTick = clock.elapsed();
  let scheduled: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  /** Rises when a settlement begins and when it ends. */
  let statements = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;

  function accountOf(key: number): Account {
    const known = accounts.get(key);
    if (known) return known;
    const fresh: Account = {
      lease: undefined,
      ended: new Set(),
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
  }

  function take(account: Account, lease: Lease): Receipt {
    lease.spent += 1;
    lease.inFlight += 1;
    account.calls += 1;
    account.usedAt = clock.elapsed();
    return { lease, remaining: remaining(lease) };
  }

  /** Nothing more is spent from the account's lease; what it holds goes back with the next settlement. */
  function end(account: Account): void {
    const { lease } = account;
    if (!lease) return;
    lease.closing = true;
    account.lease = undefined;
    // That there was nothing to grant was said of this lease's period, and of a limit that may have changed.
    account.spentOut = undefined;
    if (lease.seq > 0) account.ended.add(lease);
  }

  function currentLease(account: Account, spender: Spender): Lease {
    const now = clock.now();
    if (account.lease && (account.lease.closing || isPast(account.lease, spender, now))) end(account);
    account.lease ??= newLease(randomUUID(), spender.key, spender, spender.limit, now);
    return account.lease;
  }

  async function obtain(account: Account, spender: Spender): Promise<Receipt> {
    for (;;) {
      const lease = currentLease(account, spender);
      if (unspent(lease) > 0 && isUsable(lease, clock)) return take(account, lease);
      const now = clock.elapsed();
      if (account.spentOut && now < account.spentOut.until)
        throw spentOut(account.spentOut.comesBackIn, lease);
      if (now < failedUntil)
        throw new Problem('database_unavailable', 'The database cannot be reached.', { retryAfter: 2 });
      account.usedAt = now;
      asking.add(account);
      account.waiting += 1;
      await soon().finally(() => {
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

  /** The next statement: all who ask until it starts share it. */
  function soon(): Promise<void> {
    scheduled ??= (async () => {
      await running.catch(() => undefined);
      const pause = nextStart - performance.now();
      if (pause > 0) await wait(pause);
      scheduled = undefined;
      nextStart = performance.now() + pace.spacing;
      running = run();
      await running;
    })();
    return scheduled;
  }

  async function run(): Promise<void> {
    const items: Item[] = [];
    for (const account of asking) {
      const { lease } = account;
      if (!lease) continue;
      items.push({ account, lease, want: wanted(lease, account.rate, account.waiting) });
      // What it holds no more is counted before the grant: it may be all that is left.
      for (const ended of account.ended) if (!ended.closed) items.push({ account, lease: ended, want: 0 });
    }
    asking.clear();
    if (tickIsDue) items.push(...itemsOfTick(new Set(items.map(({ lease }) => lease))));
    tickIsDue = false;
    if (items.length === 0) return;
    try {
      await reach(report(items));
      failedUntil = Number.NEGATIVE_INFINITY;
    } catch (error) {
      failedUntil = clock.elapsed() + PAUSE;
      throw error;
    }
  }

  function itemsOfTick(already: ReadonlySet<Lease>): Item[] {
    const items: Item[] = [];
    const now = clock.elapsed();
    const seconds = Math.max(SECOND, now - lastTick) / SECOND;
    lastTick = now;
    for (const [key, account] of accounts) {
      const recent = account.calls / seconds;
      account.rate = Math.max(recent, (account.rate + recent) / 2);
      account.calls = 0;
      if (account.lease && now - account.usedAt >= IDLE) end(account);
      const { lease } = account;
      if (lease && !already.has(lease)) {
        const want = isRunningOut(lease, account.rate) ? wanted(lease, account.rate, account.waiting) : 0;
        const isDue = lease.spent !== lease.settled || want > 0 || now - account.reportedAt >= EXTEND;
        if (isDue && lease.granted > 0) items.push({ account, lease, want });
      }
      for (const ended of account.ended) {
        if (already.has(ended)) continue;
        if (!ended.closed || ended.spent !== ended.settled) items.push({ account, lease: ended, want: 0 });
        else if (ended.inFlight === 0) account.ended.delete(ended);
      }
      if (!account.lease && account.ended.size === 0 && now - account.usedAt >= FORGOTTEN)
        accounts.delete(key);
    }
    return items;
  }

  async function report(items: readonly Item[]): Promise<void> {
    const asked = { wall: clock.now(), elapsed: clock.elapsed() };
    const fresh = items.filter(({ account, lease }) => account.openedPeriod !== lease.period.start);
    if (fresh.length > 0) {
      nextStart += pace.spacing;
      await ledger.open(
        fresh.map(({ lease }) => ({ userKey: lease.userKey, periodStart: lease.period.start })),
      );
      for (const { account, lease } of fresh) account.openedPeriod = lease.period.start;
    }
    const reports = items.map(({ lease, want }) => {
      lease.seq += 1;
      const { id, userKey, period, date, spent, settled, seq, closing } = lease;
      return {
        id,
        userKey,
        periodStart: period.start,
        date,
        spent,
        settled,
        want: closing ? 0 : want,
        seq,
        close: closing,
      };
    });
    statements += 1;
    const states = new Map((await ledger.settle(reports)).map((state) => [state.id, state]));
    statements += 1;
    items.forEach((item, i) => {
      const state = states.get(item.lease.id);
      const sent = reports[i];
      if (state && sent) learn(item, sent, state, asked);
    });
  }

  function learn(
    { account, lease }: Item,
    sent: { spent: number; want: number; seq: number },
    state: LeaseState,
    asked: { wall: number; elapsed: number },
  ): void {
    if (sent.seq !== lease.seq) return;
    lease.settled = sent.spent;
    lease.granted = state.granted;
    lease.left = state.left;
    lease.limit = state.limit;
    lease.closed = state.closed;
    account.reportedAt = asked.elapsed;
    if (!state.closed) lease.usableUntil = usableUntil(lease, asked);
    if (account.lease === lease && (state.closed || (state.granted > 0 && state.left < 0))) end(account);
    if (account.lease !== lease) return;
    account.spentOut = undefined;
    if (sent.want === 0 || state.closed || state.granted > sent.spent) return;
    const { reclaimableIn } = state;
    const comesBackIn =
      reclaimableIn === null ? undefined : Math.max(1, Math.min(IDLE / SECOND, reclaimableIn));
    account.spentOut = { until: clock.elapsed() + PAUSE, comesBackIn };
  }

  const tick = setInterval(() => {
    tickIsDue = true;
    soon().catch((err) => log.warn({ err }, 'the ledger could not be settled'));
  }, pace.tick);

  return {
    /** Pays for one call: at once from a lease in memory, or after the ledger granted one. Throws `quota_exceeded`. */
    spend(spender: Spender): Receipt | Promise<Receipt> {
      const account = accountOf(spender.key);
      const { lease } = account;
      return lease && unspent(lease) > 0 && isUsable(lease, clock)
        ? take(account, lease)
        : obtain(account, spender);
    },

    /** The call stays paid for. */
    keep: ({ lease }: Receipt): void => keepCall(lease),

    /** Gives a call back to the lease, and so to the period and date, in which it was spent. */
    refund: ({ lease }: Receipt): void => giveBackCall(lease),

    /**
     * Calls that this process has made and not settled yet, by period and UTC date (Unix ms). What is read from the
     * ledger goes with them only if `asOf` is the same before and after: else a settlement came in between.
     */
    unsettled(userKey: number): {
      asOf: number;
      calls: { periodStart: number; date: number; calls: number }[];
    } {
      const account = accounts.get(userKey);
      const leases = account ? [...account.ended, ...(account.lease ? [account.lease] : [])] : [];
      const calls = leases.map(({ period, date, spent, settled }) => {
        return { periodStart: period.start, date, calls: spent - settled };
      });
      return { asOf: statements, calls };
    },

    /** Settles everything now. */
    async settle(): Promise<void> {
      tickIsDue = true;
      await soon();
    },

    /** Settles everything and gives back what is unspent, however often it takes within the time there is (ms). */
    async close(withinMs: number): Promise<void> {
      clearInterval(tick);
      const deadline = performance.now() + withinMs;
      const isDone = () => [...accounts.values()].every(({ lease, ended }) => !lease && ended.size === 0);
      while (!isDone() && performance.now() < deadline) {
        for (const account of accounts.values()) end(account);
        tickIsDue = true;
        await soon().catch((err) => log.warn({ err }, 'the ledger could not be settled before the stop'));
      }
    },

    /** Stops without a word to the ledger, as a crash would. */
    abandon(): void {
      clearInterval(tick);
      accounts.clear();
    },
  };
}

export type Leases = ReturnType<typeof createLeases>;
