import { type Clock, instantOf, SECOND } from '#core/clock';
import { detailText } from '#ledger/usage/call-details';
import { createGranting } from './granting.ts';
import { isReported, keyOf, move } from './lease.ts';
import type { Membership } from './membership.ts';
import { type GrantStep, nextStep, type Step } from './next-step.ts';
import { leasesIn, type Quota, type Quotas } from './quotas.ts';
import type { LedgerStore } from './statements/ledger-store.ts';
import { createUserQueue, MAX_AT_ONCE } from './user-queue.ts';

/** Leases per statement: a report takes 3 µs for each, a grant 60 µs. A waiting call never waits for more than one. */
const REPORTED_AT_ONCE = 5_000;
const GRANTED_AT_ONCE = 500;
const SWEEP_INTERVAL = 5 * SECOND;
/** A tick asks for users until then, in ms. The next tick goes on, so that the process's row does not expire. */
const ASKS_FOR = 5 * SECOND;

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

const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
const isUnreported = (quota: Quota): boolean => leasesIn(quota).some((lease) => !isReported(lease));

/** Sends the ledger's statements and applies their responses. */
export function createSettling(dependencies: Dependencies) {
  const { quotas, ledger, membership, clock, firstGrant, reservePart, isDistributed } = dependencies;
  const atOnce = isDistributed ? 1 : GRANTED_AT_ONCE;
  const { answerTo } = membership;
  let reportNumber = 0;
  const nextReport = () => ++reportNumber;
  const granting = createGranting({ ledger, membership, nextReport, sweep, clock, reservePart });
  const { ask, holding } = createUserQueue(serve, atOnce);
  let settledCalls = 0;
  let sweepsAt = clock.elapsed();

  const steps = () => {
    const given = { now: instantOf(clock), processId: membership.id(), firstGrant, reservePart };
    return (quota: Quota) => nextStep(quota, given);
  };

  async function serve(users: readonly Quota[]): Promise<void> {
    if (users.some(({ waiting }) => waiting.length > 0)) membership.refuseFailed();
    if (!membership.isValid(instantOf(clock))) await membership.renew();
    // A refused user asks again if calls came back: each of its other leases has calls at most once.
    for (let asking = users; asking.length > 0; ) {
      const stepOf = steps();
      const grants: GrantStep[] = [];
      const closings: Step[] = [];
      for (const quota of asking) {
        const step = stepOf(quota);
        if (step?.kind !== 'close') quota.isRecalled = false;
        if (step?.kind === 'close') closings.push(step);
        else if (step) grants.push(step);
      }
      await close(closings);
      asking = [...closings.map(({ quota }) => quota), ...(await granting.grant(grants))];
    }
  }

  /** Closes leases, at most one of each user. */
  async function close(closings: readonly Step[]): Promise<void> {
    if (closings.length === 0) return;
    for (const { lease } of closings) move(lease, 'closing');
    await answerTo(ledger.close(closings.map(({ lease }) => keyOf(lease))));
    for (const { quota, lease } of closings) {
      move(lease, 'closed');
      quota.past = quota.past.filter((one) => one !== lease);
    }
  }

  async function report(users: readonly Quota[], isOfOneNode = false): Promise<void> {
    const due = users.flatMap((quota) => leasesIn(quota).filter((lease) => !isReported(lease)));
    if (due.length === 0) return;
    const sent = due.map((lease) => ({ lease, spent: lease.spent, changes: lease.changes }));
    const reports = due.map((lease) => ({ ...keyOf(lease), spent: lease.spent, details: detailText(lease) }));
    const send = () => answerTo(ledger.report(reports, nextReport(), isOfOneNode));
    if ((await send()) < sent.length) {
      // A failover lost rows, or those of a swept process were closed after a day.
      const own = due.filter(({ process }) => process === membership.id());
      await granting.open(own);
      await send();
      // The next grant returns what the row holds.
      for (const lease of own) lease.granted = Math.min(lease.granted, lease.spent);
    }
    for (const { lease, spent, changes } of sent) {
      settledCalls += Math.max(0, spent - lease.settled);
      lease.settled = spent;
      lease.reportedChanges = changes;
    }
  }

  /** Reports to each node of a cluster after a node failed. Returns its failure. */
  async function reportByNode(users: readonly Quota[]) {
    const nodes = await answerTo(ledger.usersByNode(users.map(({ userKey }) => userKey)));
    const ofNode = nodes.map((keys) =>
      report(
        keys.flatMap((key) => quotas.find(key) ?? []),
        true,
      ),
    );
    return (await Promise.allSettled(ofNode)).find(({ status }) => status === 'rejected');
  }

  /** Returns the calls of expired processes, of one user or of some. Returns the number of leases. */
  async function sweep(userKey?: number): Promise<number> {
    const found = await answerTo(ledger.sweep(userKey));
    const ofUsers = [...new Map(found.map((lease) => [lease.userKey, lease])).values()];
    for (const piece of inPieces(ofUsers, atOnce)) {
      const old = piece.filter(({ isOld }) => isOld);
      const dead = piece.filter(({ isOld }) => !isOld).map((lease) => ({ ...lease, want: 0, need: 0 }));
      if (dead.length > 0) await answerTo(ledger.grant(dead));
      if (old.length > 0) await answerTo(ledger.close(old));
    }
    return found.length;
  }

  const free = (): Quota[] => [...quotas.all()].filter(({ isBusy }) => !isBusy);

  /** Reports what is due. Returns the failure of a cluster's node. */
  async function reportAll(): Promise<unknown> {
    let failure: unknown;
    for (const piece of inPieces(free().filter(isUnreported), REPORTED_AT_ONCE)) {
      const users = piece.filter(({ isBusy }) => !isBusy);
      await holding(users, async () => {
        await report(users).catch(async (error) => {
          if (!isDistributed) throw error;
          failure = await reportByNode(users);
        });
      });
    }
    return failure;
  }

  /** Closes, grants and returns what is due. Returns a failure. */
  async function askAll(since: number): Promise<unknown> {
    let failure: unknown;
    const stepOf = steps();
    const due = free().filter((quota) => stepOf(quota) !== undefined);
    // Half of the statements that run at the same time are left to waiting calls.
    for (const piece of inPieces(due, (atOnce * MAX_AT_ONCE) / 2)) {
      if (clock.elapsed() - since > ASKS_FOR) break;
      const results = await Promise.allSettled(piece.map(ask));
      failure ??= results.find(({ status }) => status === 'rejected');
    }
    return failure;
  }

  return {
    ask,
    /** Reports, closes, grants and returns what is due. Throws `database_unavailable`. Returns the number of active users. */
    async tick(isStopping: boolean): Promise<number> {
      const now = instantOf(clock);
      const activeUsers = quotas.review(now);
      const unreported = await reportAll();
      // After the reports: a process that cannot report does not go on spending.
      if (membership.isDue(now.elapsed)) await membership.renew();
      const failure = (await askAll(now.elapsed)) ?? unreported;
      if (failure) throw (failure as PromiseRejectedResult).reason;
      // A process that stops leaves the calls of dead processes to others.
      if (isStopping || now.elapsed < sweepsAt || !membership.maySweep()) return activeUsers;
      // If there are more, the next tick continues.
      if ((await sweep()) === 0) sweepsAt = now.elapsed + SWEEP_INTERVAL;
      return activeUsers;
    },

    /** Calls that the ledger has recorded. Later refunds are not subtracted. */
    settled: (): number => settledCalls,
  };
}
