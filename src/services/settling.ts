import { type Clock, type Instant, instantOf, SECOND } from '../domain/clock.ts';
import { extend, isRunningOut, type Lease, wanted } from '../domain/lease.ts';
import type { LeaseReport, LeaseState, LeaseStates, LedgerStore } from '../stores/ledger.ts';
import { type Account, type Accounts, end, IDLE } from './accounts.ts';
import { reach } from './deadline.ts';
import type { Turn } from './pace.ts';

/** An open lease is reported at least so often (ms), spent from or not, so that it stays alive. */
const EXTEND = 4 * SECOND;
/** Whoever has nothing left, or no database, is not asked about again before this; in ms. */
const PAUSE = SECOND;

/** A lease that goes into the next statement, and how many calls it should hold in all; 0 asks for none. */
type Item = { account: Account; lease: Lease; want: number };

/** What of a report its answer is held against. */
type Sent = Pick<LeaseReport, 'spent' | 'want' | 'seq'>;

/** One settlement. It is over once nobody waits for it any more: what is left of it then belongs to the next. */
type Round = Pick<Turn, 'oneMore'> & { isOver: () => boolean };

type Parts = { accounts: Accounts; ledger: LedgerStore; clock: Clock };

/** Which leases are reported to the ledger, and what its answer teaches: items → report → send → learn. */
export function createSettling({ accounts, ledger, clock }: Parts) {
  const asking = new Set<Account>();
  let rounds = 0;
  let settledCalls = 0;
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

  /** What is told of thousands each second, so no more than is needed. */
  function noteOf({ lease }: Item) {
    lease.seq += 1;
    const { id, spent, seq } = lease;
    return { id, spent, seq, want: 0 };
  }

  /** Tells of leases and learns what comes of it; gives those of which the ledger says nothing. */
  async function send<Told extends Sent>(
    items: readonly Item[],
    toldOf: (item: Item) => Told,
    statement: (told: readonly Told[]) => Promise<LeaseStates>,
  ): Promise<Item[]> {
    const asked = instantOf(clock);
    const told = items.map(toldOf);
    const states = await statement(told);
    return items.filter((item, i) => {
      const state = states[i];
      if (state) learn(item, told[i] as Told, state, asked);
      return state === undefined;
    });
  }

  /** Those that ask or give back first, since somebody may wait for it; most are only noted, which costs a third. */
  async function report(items: readonly Item[], { oneMore, isOver }: Round): Promise<void> {
    const settle = async (some: readonly Item[]) => {
      if (some.length === 0 || isOver()) return;
      await openPeriods(some, oneMore);
      if (!isOver()) await send(some, reportOf, ledger.settle);
    };
    const noted: Item[] = [];
    const others: Item[] = [];
    for (const item of items) (item.want > 0 || item.lease.closing ? others : noted).push(item);
    await settle(others);
    if (noted.length === 0 || isOver()) return;
    if (others.length > 0) oneMore();
    const unknown = await send(noted, noteOf, ledger.note);
    if (unknown.length > 0) oneMore();
    await settle(unknown);
  }

  function learn({ account, lease }: Item, sent: Sent, state: LeaseState, asked: Instant): void {
    if (sent.seq !== lease.seq) return;
    settledCalls += Math.max(0, sent.spent - lease.settled);
    lease.settled = sent.spent;
    lease.granted = state.granted;
    lease.left = state.left;
    lease.limit = state.limit;
    lease.closed = state.closed;
    account.reportedAt = asked.elapsed;
    if (!state.closed) extend(lease, asked);
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
      const round = ++rounds;
      try {
        await reach(report(items, { oneMore, isOver: () => round !== rounds }));
        failedUntil = Number.NEGATIVE_INFINITY;
      } catch (error) {
        rounds += 1;
        failedUntil = clock.elapsed() + PAUSE;
        throw error;
      }
    },

    /** Whether the database could not be reached so lately that it is not asked again yet. */
    hasJustFailed: (): boolean => clock.elapsed() < failedUntil,

    /** Calls that the ledger has; one that is given back later is not taken off. */
    settled: (): number => settledCalls,
  };
}
