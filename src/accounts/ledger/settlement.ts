import { detailText } from '#accounts/usage/call-details';
import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { extend, IDLE_AFTER, type Lease, type LeaseGroup, restWanted, suspend } from './lease.ts';
import { createLeaseGroups } from './lease-groups.ts';
import type { LeaseReport, LeaseState, LedgerStore } from './ledger-store.ts';
import { endLease, isIdle, type QuotaState, type QuotaStates, type ReclaimGuard } from './quota-state.ts';
import { type DueLease, dueInTick, dueOfAsking, type Statement } from './scheduler.ts';

/** Delays before a retry, in ms: after the allowance was exhausted, and after the ledger failed. */
export const EXHAUSTED_FOR = SECOND / 2;
const RETRY_AFTER_FAILURE = SECOND;
/** Leases per statement. Settling this many takes 30 ms, which limits how long other calls wait. */
const SETTLED_AT_ONCE = 500;
const GROUPS_AT_ONCE = 100;

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
  const groups = createLeaseGroups();
  let settledCalls = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  const itemsOfAsking = (users: Set<QuotaState>): DueLease[] =>
    dueOfAsking(users, opening, SETTLED_AT_ONCE, firstGrant);

  /** Whether the user's calls wait for a first grant, and the user has nothing else to settle. */
  const isNew = ({ lease, ended }: QuotaState) => lease?.seq === 0 && ended.length === 0;

  /**
   * Calls of an idle or recalled user are returned, except those that the lease may keep. After the ledger could not
   * grant a call, only waiting calls request others: the returned calls of another process are left to its callers.
   */
  function reportOf({ quota, lease, want: wanted, need = 1, recalled }: DueLease): LeaseReport {
    const want = quota.exhausted && quota.waiting.length === 0 ? 0 : wanted;
    lease.seq += 1;
    const { id, userKey, period, date, spent, settled, seq, closing } = lease;
    const now = instantOf(clock);
    const isAtRest = isIdle(quota, now.elapsed) || (recalled && quota.waiting.length === 0);
    const rest = !closing && isAtRest ? restWanted(lease) : 0;
    // Until the ledger responds, it is unknown how many calls the lease still holds.
    if (rest > 0) suspend(lease);
    const isResting = rest > 0 || (want === 0 && lease.resting > 0);
    const place = closing || lease.closed ? undefined : groups.assign(lease, isResting ? 'resting' : 'busy', now);
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
      keyId: lease.keyId,
      path: lease.path,
      details: detailText(lease),
      place: place ? { group: place.group.id, slot: place.slot + 1, seq: place.group.seq } : null,
    };
  }

  /** Waits for the ledger's response. After a failure, calls fail for a short time without querying the ledger. */
  async function answerTo<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const answer = await withinDeadline(asking).catch((error) => {
      failedUntil = clock.elapsed() + RETRY_AFTER_FAILURE;
      databaseFailed();
      throw error;
    });
    failedUntil = Number.NEGATIVE_INFINITY;
    confirmedAt = clock.elapsed();
    return answer;
  }

  async function send(items: readonly DueLease[], statement: LedgerStore['settle']): Promise<void> {
    const request = instantOf(clock);
    const reports = items.map(reportOf);
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

  /** Reports groups of leases. The leases of a group that another process has closed are settled. */
  async function heartbeat(due: readonly LeaseGroup[]): Promise<void> {
    const request = instantOf(clock);
    const sent = due.flatMap((group) => groups.report(group, request) ?? []);
    if (sent.length === 0) return;
    const open = await answerTo(ledger.heartbeat(sent.map(({ report }) => report)));
    sent.forEach(({ group, leases }, i) => {
      if (!open.has(i)) groups.close(group);
      else for (const { lease, spent } of leases) confirm(lease, spent, request);
    });
    if (open.size === sent.length) return;
    const { returning } = dueInTick(quotas.all(), opening, request, firstGrant);
    for (const piece of inPieces(returning, SETTLED_AT_ONCE)) await settle(piece);
  }

  function confirm(lease: Lease, spent: number, request: Instant): void {
    acknowledge(lease, spent);
    extend(lease, request);
  }

  function acknowledge(lease: Lease, spent: number): void {
    settledCalls += Math.max(0, spent - lease.settled);
    lease.settled = spent;
  }

  function applyAnswer(item: DueLease, sent: LeaseReport, state: LeaseState, request: Instant): void {
    const { quota, lease } = item;
    // A later report was sent in the meantime.
    if (sent.seq !== lease.seq) return;
    acknowledge(lease, sent.spent);
    groups.confirm(lease, !state.closed && state.granted > 0);
    lease.settledAt = request.elapsed;
    lease.granted = state.granted;
    if (sent.rest > 0) lease.resting = state.granted - sent.spent;
    else if (sent.want > 0) lease.resting = 0;
    lease.left = state.left;
    lease.limit = state.limit;
    lease.closed = state.closed;
    if (!state.closed) extend(lease, request);
    if (quota.lease === lease && (state.closed || (state.granted > 0 && state.left < 0))) endLease(quota);
    if (quota.lease !== lease || sent.want === 0) return;
    quota.exhausted = undefined;
    if (state.granted - sent.spent >= sent.need) return;
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
      const { wanting, returning } = dueInTick(quotas.all(), opening, now, firstGrant);
      const statements = [
        ...inPieces(wanting, SETTLED_AT_ONCE).map((piece) => () => settle(piece)),
        ...inPieces(groups.due(now), GROUPS_AT_ONCE).map((piece) => () => heartbeat(piece)),
        ...inPieces(returning, SETTLED_AT_ONCE).map((piece) => () => settle(piece)),
      ];
      return { activeUsers, statements };
    },

    /** Called after each failed statement of this process, because other processes may be disconnected too. */
    databaseFailed,
    refuseFailed,
    /** Calls that the ledger has recorded. Later refunds are not subtracted. */
    settled: (): number => settledCalls,
    /** In ms since the ledger last responded; Infinity before its first response. */
    sinceConfirmed: (): number => clock.elapsed() - confirmedAt,
  };

  function databaseFailed(): void {
    outages.failed();
    groups.abandon();
  }

  /** Throws `database_unavailable` immediately if the database has just failed. */
  function refuseFailed(): void {
    if (clock.elapsed() >= failedUntil) return;
    throw new Problem('database_unavailable', 'The database is not responding.', { retryAfter: 2 });
  }
}
