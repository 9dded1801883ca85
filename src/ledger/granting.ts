import { type Lease, move, RECALL_SECONDS, reserveOf, unspent } from './lease.ts';
import { EXHAUSTED_FOR, type Ledger, type Quota } from './ledger-state.ts';
import { answerTo, maySweep } from './membership.ts';
import type { GrantStep } from './next-step.ts';
import type { GrantRequest, GrantState } from './statements/grant-store.ts';
import { sweep } from './sweep.ts';

/** The user is unknown, because a failover lost the registration. */
const UNKNOWN: Omit<GrantState, 'n'> = { granted: 0, limit: 0, left: 0, held: null };

/** Stores leases without calls, unless they have a row. */
export async function open(ledger: Ledger, leases: readonly Lease[]): Promise<void> {
  await answerTo(ledger, ledger.store.open(leases, ++ledger.reports));
  for (const lease of leases) if (lease.state === 'new') move(lease, 'open');
}

/** Changes the calls of leases, and stores those without a row: new ones, and those that a failover lost. */
async function statesOf(ledger: Ledger, requests: readonly (GrantRequest & { lease: Lease })[]) {
  let missing = requests.filter(({ lease }) => lease.state === 'new');
  for (let isLast = false; ; isLast = true) {
    if (missing.length > 0)
      await open(
        ledger,
        missing.map(({ lease }) => lease),
      );
    const states = await answerTo(ledger, ledger.store.grant(requests));
    missing = requests.filter((_, i) => !states[i]);
    if (missing.length === 0 || isLast) return states;
    // All calls are reported again.
    for (const { lease } of missing) lease.reportedChanges = -1;
  }
}

/** `lacks`: the calls that the most expensive waiting call lacks. `held`: the calls that other processes hold. */
async function send(ledger: Ledger, steps: readonly GrantStep[]) {
  const requests = steps.map((step) => ({ ...step.lease, ...step, need: step.cost && step.lease.spent + step.cost }));
  const lowered = steps.filter(({ lease, want }) => want < lease.granted);
  // From now on, calls that are about to be returned are not spent.
  for (const { lease, want } of lowered) lease.granted = Math.max(want, lease.spent);
  try {
    const states = await statesOf(ledger, requests);
    return requests.map(({ quota, lease, cost, need }, i) => {
      const { granted, limit, left, held } = states[i] ?? UNKNOWN;
      Object.assign(lease, { granted, limit, left });
      return { quota, lease, cost, lacks: need - granted, left, held: held ?? 0 };
    });
  } catch (error) {
    for (const { quota } of lowered) quota.isRecalled = true;
    throw error;
  }
}

/** Raises or lowers the calls of leases, at most one of each user. Returns the users who should ask again. */
export async function grant(ledger: Ledger, steps: readonly GrantStep[]): Promise<Quota[]> {
  if (steps.length === 0) return [];
  const again: Quota[] = [];
  const recalled: number[] = [];
  for (const { quota, lease, cost, lacks, left, held } of await send(ledger, steps)) {
    // The lease may keep fewer calls than this process knew when it sent the request.
    if ((cost === 0 || left < 0) && unspent(lease) > reserveOf(lease, ledger.reservePart)) quota.isRecalled = true;
    // A refused call is rejected before its lease returns what it holds beyond a lowered limit.
    if (lease !== quota.lease || (quota.isRecalled && lacks <= 0)) again.push(quota);
    else if (lacks <= 0) quota.exhausted = cost > 0 ? undefined : quota.exhausted;
    else if (await findCalls(ledger, quota, held)) again.push(quota);
    else {
      const isHeld = held > 0 && left + held >= lacks;
      if (isHeld) recalled.push(quota.userKey);
      const comesBackIn = isHeld ? RECALL_SECONDS : undefined;
      quota.exhausted = { cost, until: ledger.clock.elapsed() + EXHAUSTED_FOR, comesBackIn };
    }
  }
  if (recalled.length > 0) await answerTo(ledger, ledger.store.recall(recalled));
  return again;
}

/** Returns unspent calls of a refused user from leases of earlier dates, and of dead processes. Whether there were any. */
async function findCalls(ledger: Ledger, quota: Quota, held: number): Promise<boolean> {
  const own = quota.past.filter((lease) => lease.state === 'open' && unspent(lease) > 0);
  for (const lease of own) await send(ledger, [{ kind: 'grant', quota, lease, want: lease.spent, cost: 0 }]);
  return own.length > 0 || (held > 0 && maySweep(ledger) && (await sweep(ledger, quota.userKey)) > 0);
}
