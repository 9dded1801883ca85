import { setTimeout as wait } from 'node:timers/promises';
import { SECOND } from '#core/clock';
import { withinDeadline } from '#database/deadline';
import { detailText } from '#ledger/usage/call-details';
import { open } from './granting.ts';
import { isReported } from './lease.ts';
import type { Ledger, Quota } from './ledger-state.ts';
import { answerTo, maySweep, renew } from './membership.ts';
import { nextStep } from './next-step.ts';
import { areClosed, endLease, leasesIn, reviewQuotas } from './quotas.ts';
import { sweep } from './sweep.ts';
import { ask, holding, MAX_AT_ONCE, USERS_AT_ONCE } from './user-queue.ts';

/** Leases per statement, which takes 3 µs for each. A waiting call never waits for more than one such statement. */
const REPORTED_AT_ONCE = 5_000;
const RENEW_INTERVAL = 5 * SECOND;
const SWEEP_INTERVAL = 5 * SECOND;
/**
 * How long one tick sends statements for users, in ms. The next tick continues, so that the process's row does not
 * expire.
 */
const ASKS_FOR = 5 * SECOND;
/** Up to this number of active users, a tick has its minimum length. Above it, the length grows in proportion. */
const USERS_PER_TICK = 10_000;
const LONGEST_TICK = 4;
/** How long a stopping process waits before it looks again whether its calls in flight have ended, in ms. */
const STOP_INTERVAL = 50;

const unreported = (quota: Quota) => leasesIn(quota).filter((lease) => !isReported(lease));
const inPieces = <One>(all: readonly One[], size: number): One[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size));
const freeUsers = ({ quotas }: Ledger): Quota[] => [...quotas.values()].filter(({ isBusy }) => !isBusy);

async function report(ledger: Ledger, users: readonly Quota[]): Promise<void> {
  const reports = users.flatMap(unreported).map((lease) => ({ ...lease, lease, details: detailText(lease) }));
  if (reports.length === 0) return;
  const send = () => answerTo(ledger, ledger.store.report(reports, ++ledger.reports));
  if ((await send()) < reports.length) {
    // A failover lost rows, or the rows of a swept process were closed after a day.
    const own = reports.map(({ lease }) => lease).filter(({ process }) => process === ledger.id);
    await open(ledger, own);
    await send();
    // The next grant returns what the row holds.
    for (const lease of own) lease.granted = Math.min(lease.granted, lease.spent);
  }
  for (const { lease, spent, changes } of reports) {
    ledger.settledCalls += Math.max(0, spent - lease.settled);
    lease.settled = spent;
    lease.reportedChanges = changes;
  }
}

/** Reports what is due. `failed` receives the failure of a shard, which concerns only its users. */
async function reportAll(ledger: Ledger, failed: (error: unknown) => void): Promise<void> {
  const due = freeUsers(ledger).filter((quota) => unreported(quota).length > 0);
  const ofShards = [...Map.groupBy(due, ({ shard }) => shard).values()].map(async (ofShard) => {
    for (const piece of inPieces(ofShard, REPORTED_AT_ONCE)) {
      const users = piece.filter(({ isBusy }) => !isBusy);
      await holding(ledger, users, () => report(ledger, users));
    }
  });
  await Promise.all(ledger.store.isDistributed ? ofShards.map((reported) => reported.catch(failed)) : ofShards);
}

/** Closes, grants and returns what is due. */
async function askAll(ledger: Ledger, since: number, failed: (error: unknown) => void): Promise<void> {
  const due = freeUsers(ledger).filter((quota) => nextStep(ledger, quota) !== undefined);
  due.sort((one, other) => (one.shard ?? 0) - (other.shard ?? 0));
  // Half of the statements that run at the same time are left to waiting calls.
  for (const piece of inPieces(due, (USERS_AT_ONCE * MAX_AT_ONCE) / 2)) {
    if (ledger.clock.elapsed() - since > ASKS_FOR) break;
    await Promise.all(piece.map((quota) => ask(ledger, quota).catch(failed)));
  }
}

/** Reports, closes, grants and returns what is due. Throws `database_unavailable`. */
export async function settle(ledger: Ledger): Promise<void> {
  const since = ledger.clock.elapsed();
  const activeUsers = reviewQuotas(ledger);
  const failures: unknown[] = [];
  const failed = (error: unknown) => void failures.push(error);
  await reportAll(ledger, failed);
  // After the reports, because a process that cannot report must not continue to spend calls.
  if (since - ledger.renewedAt >= RENEW_INTERVAL) await renew(ledger);
  await askAll(ledger, since, failed);
  if (failures.length > 0) throw failures[0];
  // A stopping process leaves the calls of dead processes to other processes. If more leases are left, the next tick
  // continues.
  if (!ledger.isClosed && since >= ledger.sweepsAt && maySweep(ledger) && (await sweep(ledger)) === 0)
    ledger.sweepsAt = since + SWEEP_INTERVAL;
  ledger.interval = ledger.tickMs * Math.min(LONGEST_TICK, Math.max(1, activeUsers / USERS_PER_TICK));
}

/** Settles all leases and returns unspent calls, in as many rounds as fit into `withinMs`. */
export async function close(ledger: Ledger, withinMs: number): Promise<void> {
  const { quotas, clock } = ledger;
  const deadline = clock.elapsed() + withinMs;
  const failed = (error: unknown) => ledger.failures.failed('settlement', error, { isStopping: true });
  while (!areClosed(ledger) && clock.elapsed() < deadline) {
    // Waiting calls receive their grants before their leases end.
    for (const quota of quotas.values()) if (quota.waiting.length === 0 && !quota.isBusy) endLease(quota);
    const isDone = await settle(ledger).then(() => areClosed(ledger), failed);
    if (!isDone) await wait(STOP_INTERVAL);
  }
  if (areClosed(ledger)) await withinDeadline(ledger.store.leave(ledger.id)).catch(failed);
}
