import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { extend, IDLE_AFTER, type Lease, restWanted, suspend } from './lease.ts';
import type { LeaseReport, LeaseState, LedgerStore } from './ledger-store.ts';
import type { Outages } from './quota-state.ts';
import { endLease, isIdle, type QuotaState, type QuotaStates } from './quota-state.ts';
import type { Statement } from './scheduler.ts';
import { type DueLease, dueInTick, dueOfAsking } from './scheduler.ts';

/** Pauses before the ledger is asked again, in ms: for a user who has nothing left, and after it failed. */
export const EXHAUSTED_FOR = SECOND / 2;
const RETRY_AFTER_FAILURE = SECOND;
/** Leases in one statement at most: it takes some 30 ms, so whoever asks meanwhile does not wait long. */
const SETTLED_AT_ONCE = 500;
const HEARTBEATS_AT_ONCE = 2_500;

type Settle = LedgerStore['settle'];

type Dependencies = {
  quotas: QuotaStates;
  ledger: LedgerStore;
  clock: Clock;
  outages: Outages;
  /** How many calls a first grant holds at least, where there is plenty. */
  firstGrant: number;
};

const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

/** Which leases are reported to the ledger, and what is learnt from its answer: items → report → send → apply. */
export function createSettling({ quotas, ledger, clock, outages, firstGrant }: Dependencies) {
  const asking = new Set<QuotaState>();
  const askingFirst = new Set<QuotaState>();
  /** Leases whose first grant is under way: no other statement has them. */
  const opening = new Set<Lease>();
  let settledCalls = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;

  /** The leases of users whose calls wait, but for those whose first grant is under way. */
  const itemsOfAsking = (users: Set<QuotaState>): DueLease[] =>
    dueOfAsking(users, opening, SETTLED_AT_ONCE, firstGrant);

  /** Whether it is for a first grant that a user's calls wait: nothing else is to be settled with it. */
  const isNew = ({ lease, ended }: QuotaState) => lease?.seq === 0 && ended.length === 0;

  /** @param mayGiveBack whether what an idle or recalled user holds goes back, but for the calls that may rest */
  function reportOf({ quota, lease, want, need = 1, recalled }: DueLease, mayGiveBack: boolean): LeaseReport {
    lease.seq += 1;
    const { id, userKey, period, date, spent, settled, seq, closing } = lease;
    const isAtRest = isIdle(quota, clock.elapsed()) || (recalled && quota.waiting.length === 0);
    const rest = mayGiveBack && !closing && isAtRest ? restWanted(lease) : 0;
    // How many it still holds is not known before the answer.
    if (rest > 0) suspend(lease);
    return {
      id,
      userKey,
      periodStart: period.start,
      date,
      spent,
      settled,
      want: closing || want === 0 ? 0 : Math.max(want, spent + need),
      need,
      seq,
      close: closing || rest > 0,
      rest,
    };
  }

  /** What the ledger answers; after a failure it is left alone for a moment. */
  async function answerTo<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const answer = await withinDeadline(asking).catch((error) => {
      failedUntil = clock.elapsed() + RETRY_AFTER_FAILURE;
      outages.failed();
      throw error;
    });
    failedUntil = Number.NEGATIVE_INFINITY;
    return answer;
  }

  /** Reports leases and learns from the answer. */
  async function send(items: readonly DueLease[], statement: Settle): Promise<void> {
    const asked = instantOf(clock);
    const reports = items.map((item) => reportOf(item, true));
    const states = await answerTo(statement(reports, outages.mayReclaim()));
    items.forEach((item, i) => {
      const state = states[i];
      if (state) applyAnswer(item, reports[i] as LeaseReport, state, asked);
    });
  }

  const settle = (items: readonly DueLease[]): Promise<void> => send(items, ledger.settle);

  async function settleAsking(): Promise<void> {
    refuseFailed();
    const items = itemsOfAsking(asking);
    if (items.length > 0) await settle(items);
  }

  /**
   * A first grant of a user with plenty left has a statement of its own, which costs a fourth; whoever is left out asks
   * again, and is settled.
   */
  async function grantFirst(): Promise<void> {
    refuseFailed();
    // Since they asked they may have been settled, with a lease that ended meanwhile.
    const items = itemsOfAsking(askingFirst).filter(({ lease }) => lease.seq === 0);
    if (items.length === 0) return;
    for (const { lease } of items) opening.add(lease);
    await send(items, ledger.grantFirst).finally(() => {
      for (const { lease } of items) opening.delete(lease);
    });
  }

  /** A heartbeat costs a third of a settlement; a lease that the ledger does not know as open is settled after it. */
  async function heartbeat(items: readonly DueLease[]): Promise<void> {
    const asked = instantOf(clock);
    const reports = items.map((item) => reportOf(item, false));
    const open = await answerTo(ledger.heartbeat(reports));
    const unknown = items.filter((item, i) => {
      if (open.has(i) && acknowledge(item, reports[i] as LeaseReport)) {
        extend(item.lease, asked);
        item.quota.reportedAt = asked.elapsed;
      }
      return !open.has(i);
    });
    for (const piece of inPieces(unknown, SETTLED_AT_ONCE)) await settle(piece);
  }

  /** What a report told of is settled, unless a later report was sent meanwhile. */
  function acknowledge({ lease }: DueLease, sent: LeaseReport): boolean {
    if (sent.seq !== lease.seq) return false;
    settledCalls += Math.max(0, sent.spent - lease.settled);
    lease.settled = sent.spent;
    return true;
  }

  function applyAnswer(item: DueLease, sent: LeaseReport, state: LeaseState, asked: Instant): void {
    const { quota, lease } = item;
    if (!acknowledge(item, sent)) return;
    lease.granted = state.granted;
    if (sent.rest > 0) lease.resting = state.granted - sent.spent;
    else if (sent.want > 0) lease.resting = 0;
    lease.left = state.left;
    lease.limit = state.limit;
    lease.closed = state.closed;
    if (!state.closed) extend(lease, asked);
    if (quota.lease === lease && (state.closed || (state.granted > 0 && state.left < 0))) endLease(quota);
    if (quota.lease !== lease) return;
    quota.reportedAt = asked.elapsed;
    quota.exhausted = undefined;
    if (sent.want === 0 || state.closed || state.granted - sent.spent >= sent.need) return;
    const { reclaimableIn } = state;
    const comesBackIn = reclaimableIn === null ? undefined : Math.max(1, Math.min(IDLE_AFTER / SECOND, reclaimableIn));
    quota.exhausted = { cost: sent.need, until: clock.elapsed() + EXHAUSTED_FOR, comesBackIn };
  }

  return {
    /** The user's leases go into the next statement for those who wait; tells whether that is the one of first grants. */
    ask(quota: QuotaState): boolean {
      const isFirst = isNew(quota);
      (isFirst ? askingFirst : asking).add(quota);
      return isFirst;
    },

    /** Settles the leases that ask. Throws `database_unavailable`. */
    settleAsking,

    /** Asks for the first grants. Throws `database_unavailable`. */
    grantFirst,

    /** Begins a tick: all that is due, in statements of bounded size that throw `database_unavailable`. */
    begin(): { activeUsers: number; statements: Statement[] } {
      const now = instantOf(clock);
      const activeUsers = quotas.review(now);
      const { wanting, reporting, returning } = dueInTick(quotas.all(), opening, now.elapsed, firstGrant);
      const statements = [
        ...inPieces(wanting, SETTLED_AT_ONCE).map((piece) => () => settle(piece)),
        ...inPieces(reporting, HEARTBEATS_AT_ONCE).map((piece) => () => heartbeat(piece)),
        ...inPieces(returning, SETTLED_AT_ONCE).map((piece) => () => settle(piece)),
      ];
      return { activeUsers, statements };
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
