import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { extend, IDLE_AFTER, type Lease, restWanted, suspend } from './lease.ts';
import type { LeaseReport, LeaseState, LedgerStore } from './ledger-store.ts';
import { endLease, isIdle, type QuotaState, type QuotaStates, type ReclaimGuard } from './quota-state.ts';
import { type DueLease, dueInTick, dueOfAsking, type Statement } from './scheduler.ts';

/** Delays before a retry, in ms: after the allowance was exhausted, and after the ledger failed. */
export const EXHAUSTED_FOR = SECOND / 2;
const RETRY_AFTER_FAILURE = SECOND;
/** Leases per statement. Settling this many takes 30 ms, which limits how long other calls wait. */
const SETTLED_AT_ONCE = 500;
const HEARTBEATS_AT_ONCE = 2_500;

type Dependencies = {
  quotas: QuotaStates;
  ledger: LedgerStore;
  clock: Clock;
  outages: ReclaimGuard;
  firstGrant: number;
};

const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));

/** Reports leases to the ledger and applies its responses, in the order items → report → send → apply. */
export function createSettling({ quotas, ledger, clock, outages, firstGrant }: Dependencies) {
  const asking = new Set<QuotaState>();
  const askingFirst = new Set<QuotaState>();
  /** Leases whose first grant is in progress. No other statement includes them. */
  const opening = new Set<Lease>();
  let settledCalls = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  const itemsOfAsking = (users: Set<QuotaState>): DueLease[] =>
    dueOfAsking(users, opening, SETTLED_AT_ONCE, firstGrant);

  /** Whether the user's calls wait for a first grant, and the user has nothing else to settle. */
  const isNew = ({ lease, ended }: QuotaState) => lease?.seq === 0 && ended.length === 0;

  /** @param mayGiveBack whether calls of an idle or recalled user are returned, except those that the lease may keep */
  function reportOf({ quota, lease, want, need = 1, recalled }: DueLease, mayGiveBack: boolean): LeaseReport {
    lease.seq += 1;
    const { id, userKey, period, date, spent, settled, seq, closing } = lease;
    const isAtRest = isIdle(quota, clock.elapsed()) || (recalled && quota.waiting.length === 0);
    const rest = mayGiveBack && !closing && isAtRest ? restWanted(lease) : 0;
    // Until the ledger responds, it is unknown how many calls the lease still holds.
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

  /** Waits for the ledger's response. After a failure, calls fail for a short time without querying the ledger. */
  async function answerTo<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const answer = await withinDeadline(asking).catch((error) => {
      failedUntil = clock.elapsed() + RETRY_AFTER_FAILURE;
      outages.failed();
      throw error;
    });
    failedUntil = Number.NEGATIVE_INFINITY;
    confirmedAt = clock.elapsed();
    return answer;
  }

  async function send(items: readonly DueLease[], statement: LedgerStore['settle']): Promise<void> {
    const request = instantOf(clock);
    const reports = items.map((item) => reportOf(item, true));
    const states = await answerTo(statement(reports, outages.mayReclaim()));
    items.forEach((item, i) => {
      const state = states[i];
      if (state) applyAnswer(item, reports[i] as LeaseReport, state, request);
    });
  }

  const settle = (items: readonly DueLease[]): Promise<void> => send(items, ledger.settle);

  async function settleAsking(): Promise<void> {
    refuseFailed();
    const items = itemsOfAsking(asking);
    if (items.length > 0) await settle(items);
  }

  /**
   * If plenty of calls are left, a first grant takes a fourth of a settlement's time. Otherwise, requests a settlement.
   */
  async function grantFirst(): Promise<void> {
    refuseFailed();
    // A settlement may have included these leases while they waited, together with an ended lease of the user.
    const items = itemsOfAsking(askingFirst).filter(({ lease }) => lease.seq === 0);
    if (items.length === 0) return;
    for (const { lease } of items) opening.add(lease);
    await send(items, ledger.grantFirst).finally(() => {
      for (const { lease } of items) opening.delete(lease);
    });
  }

  /** A heartbeat takes a third of a settlement's time. Leases that it does not find open are settled. */
  async function heartbeat(items: readonly DueLease[]): Promise<void> {
    const request = instantOf(clock);
    const reports = items.map((item) => reportOf(item, false));
    const open = await answerTo(ledger.heartbeat(reports));
    const unknown = items.filter((item, i) => {
      if (open.has(i) && acknowledge(item, reports[i] as LeaseReport)) {
        extend(item.lease, request);
        item.quota.reportedAt = request.elapsed;
      }
      return !open.has(i);
    });
    for (const piece of inPieces(unknown, SETTLED_AT_ONCE)) await settle(piece);
  }

  /** A report counts as settled, unless a later report was sent in the meantime. */
  function acknowledge({ lease }: DueLease, sent: LeaseReport): boolean {
    if (sent.seq !== lease.seq) return false;
    settledCalls += Math.max(0, sent.spent - lease.settled);
    lease.settled = sent.spent;
    return true;
  }

  function applyAnswer(item: DueLease, sent: LeaseReport, state: LeaseState, request: Instant): void {
    const { quota, lease } = item;
    if (!acknowledge(item, sent)) return;
    lease.granted = state.granted;
    if (sent.rest > 0) lease.resting = state.granted - sent.spent;
    else if (sent.want > 0) lease.resting = 0;
    lease.left = state.left;
    lease.limit = state.limit;
    lease.closed = state.closed;
    if (!state.closed) extend(lease, request);
    if (quota.lease === lease && (state.closed || (state.granted > 0 && state.left < 0))) endLease(quota);
    if (quota.lease !== lease) return;
    quota.reportedAt = request.elapsed;
    quota.exhausted = undefined;
    if (sent.want === 0 || state.closed || state.granted - sent.spent >= sent.need) return;
    const { reclaimableIn } = state;
    const comesBackIn = reclaimableIn === null ? undefined : Math.max(1, Math.min(IDLE_AFTER / SECOND, reclaimableIn));
    quota.exhausted = { cost: sent.need, until: clock.elapsed() + EXHAUSTED_FOR, comesBackIn };
  }

  return {
    /** Adds the user to the next statement for waiting calls. Returns whether that statement is for first grants. */
    ask(quota: QuotaState): boolean {
      const isFirst = isNew(quota);
      (isFirst ? askingFirst : asking).add(quota);
      return isFirst;
    },

    settleAsking,
    grantFirst,

    /** Starts a tick. Returns its statements, each of bounded size. A statement throws `database_unavailable`. */
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
    /** Calls that the ledger has recorded. Later refunds are not subtracted. */
    settled: (): number => settledCalls,
    /** In ms since the ledger last responded; Infinity before its first response. */
    sinceConfirmed: (): number => clock.elapsed() - confirmedAt,
  };

  /** Throws `database_unavailable` immediately if the database has just failed. */
  function refuseFailed(): void {
    if (clock.elapsed() >= failedUntil) return;
    throw new Problem('database_unavailable', 'The database is not responding.', { retryAfter: 2 });
  }
}
