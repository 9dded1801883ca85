import { type Clock, type Instant, instantOf, SECOND } from '../domain/clock.ts';
import { isRunningOut, type Lease, usableUntil, wanted } from '../domain/lease.ts';
import type { LeaseReport, LeaseState, LedgerStore } from '../stores/ledger.ts';
import { type Account, type Accounts, end, IDLE } from './accounts.ts';
import { reach } from './deadline.ts';
import type { Turn } from './pace.ts';

/** An open lease is reported at least so often (ms), spent from or not, so that it stays alive. */
const EXTEND = 4 * SECOND;
/** Whoever has nothing left, or no database, is not asked about again before this; in ms. */
const PAUSE = SECOND;

/** A lease that goes into the next statement, and how many calls it should hold in all; 0 asks for none. */
type Item = { account: Account; lease: Lease; want: number };

type Parts = { accounts: Accounts; ledger: LedgerStore; clock: Clock };

/** Which leases are reported to the ledger, and what its answer teaches: items → report → learn. */
export function createSettling({ accounts, ledger, clock }: Parts) {
  const asking = new Set<Account>();
  /** Rises when a settlement begins and when it ends. */
  let statements = 0;
  let booked = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;

  function itemsOfAsking(): Item[] {
    const items: Item[] = [];
    for (const account of asking) {
      const { lease } = account;
      if (!lease) continue;
      // What came since the last tick may be more than was known of its rate then.
      const rate = Math.max(account.rate, account.calls);
      items.push({ account, lease, want: wanted(lease, rate, account.waiting) });
      // What it holds no more is counted before the grant: it may be all that is left.
      for (const ended of account.ended) if (!ended.closed) items.push({ account, lease: ended, want: 0 });
    }
    asking.clear();
    return items;
  }

  function itemsOfTick(already: ReadonlySet<Lease>): Item[] {
    const items: Item[] = [];
    const now = clock.elapsed();
    accounts.measure(now);
    for (const account of accounts.all()) {
      const { lease } = account;
      if (lease && !already.has(lease)) {
        const want = isRunningOut(lease, account.rate) ? wanted(lease, account.rate, account.waiting) : 0;
        const isDue = lease.spent !== lease.settled || want > 0 || now - account.reportedAt >= EXTEND;
        if (isDue && lease.granted > 0) items.push({ account, lease, want });
      }
      for (const ended of account.ended) {
        if (already.has(ended)) continue;
        if (!ended.closed || ended.spent !== ended.settled) items.push({ account, lease: ended, want: 0 });
      }
    }
    accounts.forget(now);
    return items;
  }

  async function openPeriods(items: readonly Item[], oneMore: () => void): Promise<void> {
    const fresh = items.filter(({ account, lease }) => account.openedPeriod !== lease.period.start);
    if (fresh.length === 0) return;
    oneMore();
    await ledger.open(
      fresh.map(({ lease }) => ({ userKey: lease.userKey, periodStart: lease.period.start })),
    );
    for (const { account, lease } of fresh) account.openedPeriod = lease.period.start;
  }

  function reportOf({ lease, want }: Item): LeaseReport {
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
  }

  async function report(items: readonly Item[], oneMore: () => void): Promise<void> {
    const asked = instantOf(clock);
    await openPeriods(items, oneMore);
    const reports = items.map(reportOf);
    statements += 1;
    const states = await ledger.settle(reports);
    statements += 1;
    items.forEach((item, i) => {
      const state = states[i];
      const sent = reports[i];
      if (state && sent) learn(item, sent, state, asked);
    });
  }

  function learn({ account, lease }: Item, sent: LeaseReport, state: LeaseState, asked: Instant): void {
    if (sent.seq !== lease.seq) return;
    booked += Math.max(0, sent.spent - lease.settled);
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

  return {
    /** The account's lease goes into the next statement, tick or not. */
    ask: (account: Account): void => {
      asking.add(account);
    },

    /** Settles the leases that ask, and all that are due if it is a tick. Throws `database_unavailable`. */
    async settle({ isTick, oneMore }: Turn): Promise<void> {
      const items = itemsOfAsking();
      if (isTick) items.push(...itemsOfTick(new Set(items.map(({ lease }) => lease))));
      if (items.length === 0) return;
      try {
        await reach(report(items, oneMore));
        failedUntil = Number.NEGATIVE_INFINITY;
      } catch (error) {
        failedUntil = clock.elapsed() + PAUSE;
        throw error;
      }
    },

    /** Whether the database could not be reached so lately that it is not asked again yet. */
    hasJustFailed: (): boolean => clock.elapsed() < failedUntil,

    /** Calls that the ledger has booked; one that is given back later is not taken off. */
    booked: (): number => booked,

    /** Differs from what it was when a settlement began or ended in between. */
    asOf: (): number => statements,
  };
}
