import { type Clock, SECOND } from '#core/clock';
import { keyOf, type Lease, move, RECALL_SECONDS, reserveOf, unspent } from './lease.ts';
import type { Membership } from './membership.ts';
import type { GrantStep } from './next-step.ts';
import type { Quota } from './quotas.ts';
import type { GrantState, LedgerStore } from './statements/ledger-store.ts';

/** Delay before a retry after the allowance was exhausted, in ms. */
export const EXHAUSTED_FOR = SECOND / 2;
/** The user is unknown, because a failover lost the registration. */
const UNKNOWN = { granted: 0, limit: 0, left: 0, held: null };

type Granted = Pick<GrantState, 'granted' | 'left' | 'held'>;

type Dependencies = {
  ledger: Pick<LedgerStore, 'open' | 'grant' | 'recall'>;
  membership: Pick<Membership, 'maySweep' | 'answerTo'>;
  nextReport: () => number;
  /** Returns the unspent calls of a user's leases in dead processes. Returns the number of leases. */
  sweep: (userKey: number) => Promise<number>;
  clock: Clock;
  reservePart: number;
};

/** Opens leases, and raises or lowers their calls. */
export function createGranting(dependencies: Dependencies) {
  const { ledger, membership, nextReport, sweep, clock, reservePart } = dependencies;
  const { answerTo } = membership;

  /** Stores leases without calls, unless they have a row. */
  async function open(leases: readonly Lease[]): Promise<void> {
    const rows = leases.map((lease) => ({ ...keyOf(lease), keyId: lease.keyId, path: lease.path }));
    await answerTo(ledger.open(rows, nextReport()));
    for (const lease of leases) if (lease.state === 'new') move(lease, 'open');
  }

  /** Sends steps, at most one of each user. Returns the states in the order of the steps. */
  async function send(steps: readonly GrantStep[]): Promise<Granted[]> {
    const lowered = steps.filter(({ lease, want }) => want < lease.granted);
    // From now on, no call is spent that is about to be returned.
    for (const { lease, want } of lowered) lease.granted = Math.max(want, lease.spent);
    const requests = steps.map(({ lease, want, cost }) => ({
      ...keyOf(lease),
      want,
      need: cost && lease.spent + cost,
    }));
    try {
      let missing = steps.filter(({ lease }) => lease.state === 'new');
      for (let isLast = false; ; isLast = true) {
        if (missing.length > 0) await open(missing.map(({ lease }) => lease));
        const states = await answerTo(ledger.grant(requests));
        missing = steps.filter((_, i) => !states[i]);
        if (missing.length === 0 || isLast)
          return steps.map(({ lease }, i) => {
            const { granted, limit, left, held } = states[i] ?? UNKNOWN;
            Object.assign(lease, { granted, limit, left });
            return { granted, left, held };
          });
        // A failover lost the rows. All calls are reported again.
        for (const { lease } of missing) lease.reportedChanges = -1;
      }
    } catch (error) {
      for (const { quota } of lowered) quota.isRecalled = true;
      throw error;
    }
  }

  /** Sends steps, at most one of each user. Returns the users who should ask again. */
  async function grant(steps: readonly GrantStep[]): Promise<Quota[]> {
    if (steps.length === 0) return [];
    const needed = steps.map(({ lease, cost }) => lease.spent + cost);
    const states = await send(steps);
    const again: Quota[] = [];
    const recalled: number[] = [];
    for (const [i, { quota, lease, cost }] of steps.entries()) {
      const state = states[i] as Granted;
      const lacks = (needed[i] as number) - state.granted;
      // The lease may keep fewer calls than this process knew when it sent the request.
      if ((cost === 0 || state.left < 0) && unspent(lease) > reserveOf(lease, reservePart)) quota.isRecalled = true;
      // A refused call is rejected before its lease returns what it holds beyond a lowered limit.
      if (lease !== quota.lease || (quota.isRecalled && lacks <= 0)) again.push(quota);
      else if (lacks <= 0) quota.exhausted = cost > 0 ? undefined : quota.exhausted;
      else if (await findCalls(quota, state)) again.push(quota);
      else {
        const isHeld = (state.held ?? 0) > 0 && state.left + (state.held ?? 0) >= lacks;
        if (isHeld) recalled.push(quota.userKey);
        const comesBackIn = isHeld ? RECALL_SECONDS : undefined;
        quota.exhausted = { cost, until: clock.elapsed() + EXHAUSTED_FOR, comesBackIn };
      }
    }
    if (recalled.length > 0) await answerTo(ledger.recall(recalled));
    return again;
  }

  /** Returns unspent calls of a refused user from leases of earlier dates, and of dead processes. Whether there were any. */
  async function findCalls(quota: Quota, { held }: Granted): Promise<boolean> {
    const own = quota.past.filter((one) => one.state === 'open' && unspent(one) > 0);
    for (const lease of own) await send([{ kind: 'grant', quota, lease, want: lease.spent, cost: 0 }]);
    if (own.length > 0) return true;
    return Boolean(held) && membership.maySweep() && (await sweep(quota.userKey)) > 0;
  }

  return { open, grant };
}
