import { SECOND } from '#core/clock';
import { detailText } from '#ledger/usage/call-details';
import { open } from './granting.ts';
import { isReported } from './lease.ts';
import { answerTo, maySweep, renewIfDue } from './membership.ts';
import { nextStep } from './next-step.ts';
import { type Ledger, leasesIn, type Quota, reviewQuotas } from './quotas.ts';
import { inPieces, sweep, usersAtOnce } from './sweep.ts';
import { ask, holding, MAX_AT_ONCE } from './user-queue.ts';

/** Leases per statement, which takes 3 µs for each. A waiting call never waits for more than one. */
const REPORTED_AT_ONCE = 5_000;
const SWEEP_INTERVAL = 5 * SECOND;
/** A tick asks for users until then, in ms. The next tick goes on, so that the process's row does not expire. */
const ASKS_FOR = 5 * SECOND;

const unreported = (quota: Quota) => leasesIn(quota).filter((lease) => !isReported(lease));
const freeUsers = ({ quotas }: Ledger): Quota[] => [...quotas.values()].filter(({ isBusy }) => !isBusy);

async function report(ledger: Ledger, users: readonly Quota[], isOfOneNode = false): Promise<void> {
  const reports = users.flatMap(unreported).map((lease) => ({ ...lease, lease, details: detailText(lease) }));
  if (reports.length === 0) return;
  const send = () => answerTo(ledger, ledger.store.report(reports, ++ledger.reports, isOfOneNode));
  if ((await send()) < reports.length) {
    // A failover lost rows, or those of a swept process were closed after a day.
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

/** Reports to each node of a cluster after a node failed. Returns its failure. */
async function reportByNode(ledger: Ledger, users: readonly Quota[]) {
  const nodes = await answerTo(ledger, ledger.store.usersByNode(users.map(({ userKey }) => userKey)));
  const ofNode = nodes.map((keys) => {
    const users = keys.flatMap((key) => ledger.quotas.get(key) ?? []);
    return report(ledger, users, true);
  });
  return failureIn(await Promise.allSettled(ofNode));
}

const failureIn = (results: readonly PromiseSettledResult<void>[]): PromiseRejectedResult | undefined =>
  results.find((result) => result.status === 'rejected');

/** Reports what is due. Returns the failure of a cluster's node. */
async function reportAll(ledger: Ledger) {
  let failure: PromiseRejectedResult | undefined;
  const due = freeUsers(ledger).filter((quota) => unreported(quota).length > 0);
  for (const piece of inPieces(due, REPORTED_AT_ONCE)) {
    const users = piece.filter(({ isBusy }) => !isBusy);
    await holding(ledger, users, () =>
      report(ledger, users).catch(async (error) => {
        if (!ledger.isDistributed) throw error;
        failure = await reportByNode(ledger, users);
      }),
    );
  }
  return failure;
}

/** Closes, grants and returns what is due. Returns a failure. */
async function askAll(ledger: Ledger, since: number) {
  let failure: PromiseRejectedResult | undefined;
  const due = freeUsers(ledger).filter((quota) => nextStep(ledger, quota) !== undefined);
  // Half of the statements that run at the same time are left to waiting calls.
  for (const piece of inPieces(due, (usersAtOnce(ledger) * MAX_AT_ONCE) / 2)) {
    if (ledger.clock.elapsed() - since > ASKS_FOR) break;
    failure ??= failureIn(await Promise.allSettled(piece.map((quota) => ask(ledger, quota))));
  }
  return failure;
}

/** Reports, closes, grants and returns what is due. Throws `database_unavailable`. Returns the number of active users. */
export async function settle(ledger: Ledger, isStopping: boolean): Promise<number> {
  const since = ledger.clock.elapsed();
  const activeUsers = reviewQuotas(ledger);
  const unreported = await reportAll(ledger);
  // After the reports: a process that cannot report does not go on spending.
  await renewIfDue(ledger, since);
  const failure = (await askAll(ledger, since)) ?? unreported;
  if (failure) throw failure.reason;
  // A process that stops leaves the calls of dead processes to others. If there are more, the next tick continues.
  if (!isStopping && since >= ledger.sweepsAt && maySweep(ledger) && (await sweep(ledger)) === 0)
    ledger.sweepsAt = since + SWEEP_INTERVAL;
  return activeUsers;
}
