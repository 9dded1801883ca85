import { type Clock, type Instant, instantOf, SECOND } from '#domain/clock';
import { extend, isRunningOut, type Lease, restWanted, suspend, wanted } from '#domain/quota/lease';
import { Problem } from '#problems';
import { reach } from '#services/deadline';
import type { LeaseReport, LeaseState, LeaseStates, LedgerStore } from '#stores/quota/ledger';
import { end, IDLE, isIdle, type QuotaState, type QuotaStates } from './quota-state.ts';
import type { Statement } from './scheduler.ts';

/** An open lease is reported at least so often (ms), spent from or not, so that it stays alive. */
const EXTEND = 10 * SECOND;
/** Whoever has nothing left is not asked about again before this, nor is a database that failed; in ms. */
const EXHAUSTED_FOR = SECOND / 2;
const FAILED = SECOND;
/** Leases in one statement at most: it takes some 30 ms, and so nobody who comes meanwhile waits for long. */
const SETTLED_AT_ONCE = 500;
const HEARTBEATS_AT_ONCE = 2_500;

/** A lease that goes into a statement, and how many calls it should hold in all; 0 asks for none. */
type Item = { quota: QuotaState; lease: Lease; want: number };

/** What of a report its answer is held against. */
type Sent = Pick<LeaseReport, 'spent' | 'want' | 'seq' | 'rest'>;

type Dependencies = {
  quotas: QuotaStates;
  ledger: LedgerStore;
  clock: Clock;
  /** How many calls a first grant holds at least, where there is plenty. */
  page: number;
};

const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

/** Which leases are reported to the ledger, and what its answer teaches: items → report → send → learn. */
export function createSettling({ quotas, ledger, clock, page }: Dependencies) {
  const asking = new Set<QuotaState>();
  let settledCalls = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;

  function itemsOfAsking(): Item[] {
    const items: Item[] = [];
    for (const quota of asking) {
      if (items.length >= SETTLED_AT_ONCE) break;
      asking.delete(quota);
      const { lease, waiting } = quota;
      // What came since the last tick may be more than was known of its rate then.
      const rate = Math.max(quota.rate, quota.calls);
      if (lease && waiting > 0) items.push({ quota, lease, want: wanted(lease, rate, waiting, page) });
      // What it holds no more is counted before the grant: it may be all that is left.
      for (const ended of quota.ended) if (!ended.closed) items.push({ quota, lease: ended, want: 0 });
    }
    return items;
  }

  /** What is due of all accounts: those that want more, those of which nothing is wanted, those that give back. */
  function itemsOfTick(now: number): Record<'more' | 'same' | 'less', Item[]> {
    const items = { more: [] as Item[], same: [] as Item[], less: [] as Item[] };
    for (const quota of quotas.all()) {
      const { lease, rate, waiting } = quota;
      if (lease && lease.granted > 0) {
        const isAtRest = isIdle(quota, now);
        if (isAtRest && restWanted(lease) > 0) items.less.push({ quota, lease, want: 0 });
        else if (!isAtRest && isRunningOut(lease, rate))
          items.more.push({ quota, lease, want: wanted(lease, rate, waiting, page) });
        else if (lease.spent !== lease.settled || now - quota.reportedAt >= EXTEND)
          items.same.push({ quota, lease, want: 0 });
      }
      for (const ended of quota.ended)
        if (!ended.closed || ended.spent !== ended.settled) items.less.push({ quota, lease: ended, want: 0 });
    }
    return items;
  }

  function reportOf({ quota, lease, want }: Item): LeaseReport {
    lease.seq += 1;
    const { id, userKey, period, date, spent, settled, seq, closing } = lease;
    const rest = !closing && isIdle(quota, clock.elapsed()) ? restWanted(lease) : 0;
    // Until the answer is there nobody knows how many it still holds.
    if (rest > 0) suspend(lease);
    return {
      id,
      userKey,
      periodStart: period.start,
      date,
      spent,
      settled,
      want: closing ? 0 : want,
      seq,
      close: closing || rest > 0,
      rest,
    };
  }

  /** What is told of thousands each second, so no more than is needed. */
  function heartbeatOf({ lease }: Item) {
    lease.seq += 1;
    const { id, spent, seq } = lease;
    return { id, spent, seq, want: 0, rest: 0 };
  }

  /** Tells of leases and learns what comes of it; gives those of which the ledger says nothing. */
  async function send<Told extends Sent>(
    items: readonly Item[],
    toldOf: (item: Item) => Told,
    statement: (told: readonly Told[]) => Promise<LeaseStates>,
  ): Promise<Item[]> {
    const asked = instantOf(clock);
    const told = items.map(toldOf);
    const states = await reach(statement(told)).catch((error) => {
      failedUntil = clock.elapsed() + FAILED;
      throw error;
    });
    failedUntil = Number.NEGATIVE_INFINITY;
    return items.filter((item, i) => {
      const state = states[i];
      if (state) learn(item, told[i] as Told, state, asked);
      return state === undefined;
    });
  }

  /** What is told of a lease of which nothing was told before. */
  function openingOf({ lease, want }: Item) {
    lease.seq += 1;
    const { id, userKey, period, date, spent, seq } = lease;
    return { id, userKey, periodStart: period.start, date, spent, want, seq, rest: 0 };
  }

  /** Most first grants are for a key with plenty left, which costs a fourth; the others are settled. */
  async function settleNew(items: readonly Item[]): Promise<void> {
    const isNew = ({ quota, lease }: Item) => lease.seq === 0 && quota.ended.length === 0;
    const [fresh, known] = [items.filter(isNew), items.filter((item) => !isNew(item))];
    const left = fresh.length > 0 ? await send(fresh, openingOf, ledger.open) : [];
    if (known.length + left.length > 0) await settle([...known, ...left]);
  }

  async function settle(items: readonly Item[]): Promise<void> {
    await send(items, reportOf, ledger.settle);
  }

  /** Most leases are only noted, which costs a third; those that the ledger does not know as open are settled. */
  async function heartbeat(items: readonly Item[]): Promise<void> {
    const unknown = await send(items, heartbeatOf, ledger.heartbeat);
    for (const piece of inPieces(unknown, SETTLED_AT_ONCE)) await settle(piece);
  }

  function learn({ quota, lease }: Item, sent: Sent, state: LeaseState, asked: Instant): void {
    if (sent.seq !== lease.seq) return;
    settledCalls += Math.max(0, sent.spent - lease.settled);
    lease.settled = sent.spent;
    lease.granted = state.granted;
    if (sent.rest > 0) lease.resting = state.granted - sent.spent;
    else if (sent.want > 0) lease.resting = 0;
    lease.left = state.left;
    lease.limit = state.limit;
    lease.closed = state.closed;
    if (!state.closed) extend(lease, asked);
    if (quota.lease === lease && (state.closed || (state.granted > 0 && state.left < 0))) end(quota);
    if (quota.lease !== lease) return;
    quota.reportedAt = asked.elapsed;
    quota.exhausted = undefined;
    if (sent.want === 0 || state.closed || state.granted > sent.spent) return;
    const { reclaimableIn } = state;
    const comesBackIn =
      reclaimableIn === null ? undefined : Math.max(1, Math.min(IDLE / SECOND, reclaimableIn));
    quota.exhausted = { until: clock.elapsed() + EXHAUSTED_FOR, comesBackIn };
  }

  return {
    /** The account's leases go into the next statement for those who wait. */
    ask: (quota: QuotaState): void => {
      asking.add(quota);
    },

    /** Settles the leases that ask. Throws `database_unavailable`. */
    async settleAsking(): Promise<void> {
      refuseFailed();
      const items = itemsOfAsking();
      await settleNew(items);
    },

    /** Begins a tick: all that is due, in statements of bounded size that throw `database_unavailable`. */
    begin(): { inUse: number; statements: Statement[] } {
      const now = instantOf(clock);
      const inUse = quotas.review(now);
      const { more, same, less } = itemsOfTick(now.elapsed);
      const statements = [
        ...inPieces(more, SETTLED_AT_ONCE).map((piece) => () => settle(piece)),
        ...inPieces(same, HEARTBEATS_AT_ONCE).map((piece) => () => heartbeat(piece)),
        ...inPieces(less, SETTLED_AT_ONCE).map((piece) => () => settle(piece)),
      ];
      return { inUse, statements };
    },

    refuseFailed,

    /** Calls that the ledger has; one that is given back later is not taken off. */
    settled: (): number => settledCalls,
  };

  /** A database that could not be reached just now is not waited for: throws `database_unavailable`. */
  function refuseFailed(): void {
    if (clock.elapsed() >= failedUntil) return;
    throw new Problem('database_unavailable', 'The database cannot be reached.', { retryAfter: 2 });
  }
}
