import { type Clock, HOUR, type Instant, instantOf, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import { detailText } from '#ledger/usage/call-details';
import {
  hasSameRow,
  isComplete,
  isReported,
  isRunningOut,
  type Lease,
  move,
  RECALL_SECONDS,
  reserveOf,
  unspent,
  wanted,
} from './lease.ts';
import type { GrantRequest, GrantState, LeaseKey, LedgerStore } from './ledger-store.ts';
import type { Membership } from './membership.ts';
import { isIdle, leasesIn, type Quota, type Quotas } from './quotas.ts';

/** Delays before a retry, in ms: after the allowance was exhausted, and after the ledger failed. */
export const EXHAUSTED_FOR = SECOND / 2;
const RETRY_AFTER_FAILURE = SECOND;
/** Leases per statement: a report takes 3 µs for each, a grant 60 µs. A waiting call never waits for more than one. */
const REPORTED_AT_ONCE = 5_000;
const GRANTED_AT_ONCE = 500;
/** Statements for waiting calls that run at the same time, so that others have connections too. */
const MAX_AT_ONCE = 6;
const SWEEP_INTERVAL = 5 * SECOND;

type Dependencies = {
  quotas: Quotas;
  ledger: LedgerStore;
  membership: Membership;
  clock: Clock;
  firstGrant: number;
  reservePart: number;
  /** Whether a statement may contain several users. Not in a cluster, where each user has one node. */
  isDistributed: boolean;
};

/** `want`: the total of calls that the lease should hold. `need`: the cost of the most expensive waiting call. */
type Request = { quota: Quota; lease: Lease; want: number; need: number };

const sum = (calls: readonly number[]): number => calls.reduce((all, one) => all + one, 0);
const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
const keyOf = ({ process, userKey, period, date }: Lease): LeaseKey => ({
  process,
  userKey,
  periodStart: period.start,
  date,
});
const isClosable = (lease: Lease): boolean => lease.state !== 'lost' && isComplete(lease);
const textOf = ({ process, userKey, periodStart, date }: LeaseKey): string =>
  `${process} ${userKey} ${periodStart} ${date}`;

/** Sends the ledger's statements and applies their responses. No two statements at a time have a user in common. */
export function createSettling(dependencies: Dependencies) {
  const { quotas, ledger, membership, clock, firstGrant, reservePart, isDistributed } = dependencies;
  const grantedAtOnce = isDistributed ? 1 : GRANTED_AT_ONCE;
  const queue = new Set<Quota>();
  let running = 0;
  let isScheduled = false;
  let reportNumber = 0;
  let settledCalls = 0;
  let failedUntil = Number.NEGATIVE_INFINITY;
  let confirmedAt = Number.NEGATIVE_INFINITY;
  let sweepsAt = clock.elapsed();
  let sweepsLostAt = clock.elapsed() + HOUR;

  /** Waits for the ledger's response. After a failure, calls fail for a short time without querying the ledger. */
  async function answerTo<Answer>(asking: Promise<Answer>): Promise<Answer> {
    const answer = await withinDeadline(asking).catch((error) => {
      failedUntil = clock.elapsed() + RETRY_AFTER_FAILURE;
      membership.failed();
      throw error;
    });
    failedUntil = Number.NEGATIVE_INFINITY;
    confirmedAt = clock.elapsed();
    return answer;
  }

  /** Throws `database_unavailable` immediately if the database has just failed. */
  function refuseFailed(): void {
    if (clock.elapsed() >= failedUntil) return;
    throw new Problem('database_unavailable', 'The database is not responding.', { retryAfter: 2 });
  }

  /** Marks users as busy while a statement runs that contains them. */
  async function holding<Result>(users: readonly Quota[], work: () => Promise<Result>): Promise<Result> {
    for (const quota of users) quota.isBusy = true;
    try {
      return await work();
    } finally {
      for (const quota of users) quota.isBusy = false;
      schedule();
    }
  }

  /** Returns the promise of the user's next statement. All users that ask in one turn of the event loop share statements. */
  function ask(quota: Quota): Promise<void> {
    if (!quota.asked) {
      quota.asked = Promise.withResolvers<void>();
      quota.asked.promise.catch(() => undefined);
      queue.add(quota);
      schedule();
    }
    return quota.asked.promise;
  }

  function schedule(): void {
    if (isScheduled || queue.size === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (running < MAX_AT_ONCE) {
        const users = [
          ...queue
            .values()
            .filter(({ isBusy }) => !isBusy)
            .take(grantedAtOnce),
        ];
        if (users.length === 0) return;
        for (const quota of users) queue.delete(quota);
        running += 1;
        void serve(users).finally(() => {
          running -= 1;
          schedule();
        });
      }
    });
  }

  async function serve(users: readonly Quota[]): Promise<void> {
    const error = await holding(users, () => serveHeld(users)).catch((error: unknown) => error);
    for (const quota of users) {
      const { asked } = quota;
      quota.asked = undefined;
      if (error === undefined) asked?.resolve();
      else asked?.reject(error);
      // A change of the user arrived in the meantime.
      if (quota.isRecalled) void ask(quota);
    }
  }

  async function serveHeld(users: readonly Quota[]): Promise<void> {
    refuseFailed();
    if (!membership.isValid(instantOf(clock))) await answerTo(membership.renew());
    const blocking = users.flatMap(({ lease, past }) =>
      past.filter((one) => one.state === 'closing' && lease !== undefined && hasSameRow(one, lease)),
    );
    if (blocking.length > 0) await close(blocking);
    let asking = users;
    // A refused user asks again if calls came back: each of its other leases has calls at most once.
    while (asking.length > 0) asking = await grant(asking);
  }

  /** What the user's next statement should change: calls to grant or return, or a lease to store again. */
  function requestOf(quota: Quota, now: Instant): Request | undefined {
    const { lease, waiting, isRecalled } = quota;
    const calls = sum(waiting);
    const lost = leasesIn(quota).find((one) => one.state === 'lost' && (one !== lease || calls === 0));
    if (lost) return { quota, lease: lost, want: lost.spent, need: 0 };
    if (!lease || lease.process !== membership.id()) return undefined;
    const { spent } = lease;
    if (calls > 0) {
      // More calls may have arrived since the last tick.
      const rate = Math.max(quota.rate, quota.callsThisTick);
      // After the ledger could not grant a call, callers of other processes need what is left as much.
      const want = quota.exhausted || isRecalled ? spent + calls : wanted(lease, rate, calls, firstGrant);
      return { quota, lease, want, need: Math.max(...waiting) };
    }
    if (lease.state === 'new') return undefined;
    if (isRecalled || isIdle(quota, now.elapsed)) {
      const want = spent + reserveOf(lease, reservePart);
      return isRecalled || want < lease.granted ? { quota, lease, want, need: 0 } : undefined;
    }
    if (quota.exhausted || !isRunningOut(lease, quota.rate)) return undefined;
    return { quota, lease, want: wanted(lease, quota.rate, 0, firstGrant), need: 1 };
  }

  /** Sends requests, at most one of each user. Returns the states in the order of the requests. */
  async function send(requests: readonly Request[]): Promise<(GrantState | undefined)[]> {
    const lowered = requests.filter(({ lease, want }) => want < lease.granted);
    // From now on, no call is spent that is about to be returned.
    for (const { lease, want } of lowered) lease.granted = Math.max(want, lease.spent);
    const sent = requests.map(({ lease, want, need }): GrantRequest => {
      const { spent, keyId, path } = lease;
      return { ...keyOf(lease), spent, want, need, keyId, path };
    });
    try {
      const states = await answerTo(ledger.grant(sent, ++reportNumber));
      requests.forEach(({ lease }, i) => {
        const state = states[i];
        if (state) applyState(lease, state);
      });
      return states;
    } catch (error) {
      for (const { quota } of lowered) quota.isRecalled = true;
      // The statement may still store the leases.
      for (const { lease } of requests) if (lease.state === 'new') move(lease, 'open');
      throw error;
    }
  }

  function applyState(lease: Lease, { granted, limit, left }: GrantState): void {
    // The row of a lost lease has no details yet.
    if (lease.state === 'lost') lease.reportedChanges = -1;
    if (limit === null && lease.state === 'lost') finish(lease);
    else if (granted > 0 || lease.state !== 'new') move(lease, 'open');
    lease.granted = granted;
    lease.left = left;
    lease.limit = limit ?? 0;
  }

  /** Sends one request for each user. Returns the users who should ask again. */
  async function grant(users: readonly Quota[]): Promise<Quota[]> {
    const now = instantOf(clock);
    const requests = users.flatMap((quota) => requestOf(quota, now) ?? []);
    for (const quota of users) quota.isRecalled = false;
    if (requests.length === 0) return [];
    requests.sort((one, other) => one.lease.userKey - other.lease.userKey);
    const needed = requests.map(({ lease, need }) => lease.spent + need);
    const states = await send(requests);
    const again: Quota[] = [];
    const recalled: Quota[] = [];
    for (const [i, { quota, lease, need }] of requests.entries()) {
      const state = states[i];
      // The lease may keep fewer calls than this process knew when it sent the request.
      const isReserve = state !== undefined && (need === 0 || state.left < 0);
      if (isReserve && unspent(lease) > reserveOf(lease, reservePart)) quota.isRecalled = true;
      if (!state || lease !== quota.lease || quota.isRecalled) again.push(quota);
      else if (state.granted >= (needed[i] as number)) quota.exhausted = need > 0 ? undefined : quota.exhausted;
      else if (await findCalls(quota, state)) again.push(quota);
      else {
        const isHeld = (state.held ?? 0) > 0 && state.left + state.granted + (state.held ?? 0) >= (needed[i] as number);
        if (isHeld) recalled.push(quota);
        const comesBackIn = isHeld ? RECALL_SECONDS : undefined;
        quota.exhausted = { cost: need, until: clock.elapsed() + EXHAUSTED_FOR, comesBackIn };
      }
    }
    if (recalled.length > 0) await answerTo(ledger.recall(recalled.flatMap(({ lease }) => lease?.userKey ?? [])));
    return again;
  }

  /** Returns unspent calls of a refused user from leases of earlier dates, and of dead processes. Whether there were any. */
  async function findCalls(quota: Quota, { held }: GrantState): Promise<boolean> {
    const own = quota.past.filter((one) => one.state === 'open' && unspent(one) > 0);
    for (const lease of own) await send([{ quota, lease, want: lease.spent, need: 0 }]);
    if (own.length > 0) return true;
    if (!held || !membership.maySweep()) return false;
    return (await sweep(quota.lease?.userKey)) > 0;
  }

  async function report(users: readonly Quota[]): Promise<void> {
    const due = users.flatMap((quota) =>
      leasesIn(quota).filter((lease) => lease.state === 'open' && !isReported(lease)),
    );
    if (due.length === 0) return;
    const sent = due.map((lease) => ({ lease, spent: lease.spent, changes: lease.changes }));
    const reports = due.map((lease) => ({ ...keyOf(lease), spent: lease.spent, details: detailText(lease) }));
    const recorded = await answerTo(ledger.report(reports, ++reportNumber));
    if (recorded < sent.length) await findLost(due);
    for (const { lease, spent, changes } of sent) {
      if (lease.state !== 'open') continue;
      settledCalls += Math.max(0, spent - lease.settled);
      lease.settled = spent;
      lease.reportedChanges = changes;
    }
  }

  /** Finds leases without a row. Those of a process that is swept are gone after a day; a failover lost the others. */
  async function findLost(due: readonly Lease[]): Promise<void> {
    const stored = new Set<string>();
    for (const id of new Set(due.map(({ process }) => process)))
      for (const key of await answerTo(ledger.leasesOf(id))) stored.add(textOf(key));
    for (const lease of due) {
      if (stored.has(textOf(keyOf(lease)))) continue;
      if (lease.process === membership.id()) move(lease, 'lost');
      else finish(lease);
    }
  }

  function finish(lease: Lease): void {
    move(lease, 'closing');
    move(lease, 'closed');
    const quota = quotas.find(lease.userKey);
    if (quota) quota.past = quota.past.filter((one) => one !== lease);
  }

  async function close(leases: readonly Lease[]): Promise<void> {
    for (const lease of leases) move(lease, 'closing');
    const sorted = leases.toSorted((one, other) => one.userKey - other.userKey);
    for (const piece of inPieces(sorted, grantedAtOnce)) {
      await answerTo(ledger.close(piece.map(keyOf)));
      piece.forEach(finish);
    }
  }

  /** Returns the calls of expired processes, of one user or of some. Returns the number of leases. */
  async function sweep(userKey?: number, withLost = false): Promise<number> {
    const found = await answerTo(ledger.sweep(userKey, withLost));
    const ofUsers = [...new Map(found.map((lease) => [lease.userKey, lease])).values()];
    ofUsers.sort((one, other) => one.userKey - other.userKey);
    for (const piece of inPieces(ofUsers, grantedAtOnce)) {
      const old = piece.filter(({ isOld }) => isOld);
      const dead = piece.filter(({ isOld }) => !isOld);
      const nothing = { spent: 0, want: 0, need: 0, keyId: 0, path: 0 };
      if (dead.length > 0)
        await answerTo(
          ledger.grant(
            dead.map((lease) => ({ ...lease, ...nothing })),
            ++reportNumber,
          ),
        );
      if (old.length > 0) await answerTo(ledger.close(old));
    }
    return found.length;
  }

  /** Closes stored leases of this process that it does not know: a grant may be executed after its call stopped waiting. */
  async function closeUnknown(): Promise<void> {
    for (const key of await answerTo(ledger.leasesOf(membership.id()))) {
      const quota = quotas.find(key.userKey);
      const isKnown = quota && (quota.isBusy || leasesIn(quota).some((lease) => textOf(keyOf(lease)) === textOf(key)));
      if (!isKnown) await answerTo(ledger.close([key]));
    }
  }

  const free = (): Quota[] => [...quotas.all()].filter(({ isBusy }) => !isBusy);

  return {
    ask,
    refuseFailed,
    sweep,

    /** Reports, closes, grants and returns what is due. Throws `database_unavailable`. Returns the number of active users. */
    async tick(isStopping: boolean): Promise<number> {
      const now = instantOf(clock);
      const activeUsers = quotas.review(now);
      const unreported = free().filter((quota) => leasesIn(quota).some((lease) => !isReported(lease)));
      for (const piece of inPieces(unreported, REPORTED_AT_ONCE)) {
        const users = piece.filter(({ isBusy }) => !isBusy);
        await holding(users, () => report(users));
      }
      // After the reports: a process that cannot report does not go on spending.
      if (membership.isDue(now.elapsed)) await answerTo(membership.renew());
      for (const piece of inPieces(free(), grantedAtOnce)) {
        const users = piece.filter((quota) => !quota.isBusy && quota.past.some(isClosable));
        if (users.length > 0)
          await holding(users, () => close(users.flatMap(({ past }) => past.find(isClosable) ?? [])));
      }
      const due = free().filter((quota) => requestOf(quota, now) !== undefined);
      await Promise.all(due.map(ask));
      // A process that stops leaves the calls of dead processes to others.
      if (isStopping || now.elapsed < sweepsAt || !membership.maySweep()) return activeUsers;
      const withLost = now.elapsed >= sweepsLostAt;
      if (withLost) {
        sweepsLostAt = now.elapsed + HOUR;
        await closeUnknown();
      }
      // If there are more, the next tick continues.
      if ((await sweep(undefined, withLost)) === 0) sweepsAt = now.elapsed + SWEEP_INTERVAL;
      return activeUsers;
    },

    /** Called after each failed statement of this process, because other processes may be disconnected too. */
    databaseFailed: membership.failed,
    /** Calls that the ledger has recorded. Later refunds are not subtracted. */
    settled: (): number => settledCalls,
    /** In ms since the ledger last responded; Infinity before its first response. */
    sinceConfirmed: (): number => clock.elapsed() - confirmedAt,
  };
}
