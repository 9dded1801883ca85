import { hasSameRow, isReported, isRunningOut, type Lease, reserveOf, wanted } from './lease.ts';
import type { Ledger, Quota } from './ledger-state.ts';
import { isIdle } from './quotas.ts';

/** `want`: the total of calls that the lease should hold. `cost`: the cost of the most expensive waiting call. */
export type GrantStep = { kind: 'grant'; quota: Quota; lease: Lease; want: number; cost: number };
export type CloseStep = { kind: 'close'; quota: Quota; lease: Lease };

/** What the next statement of a user does. */
export function nextStep(ledger: Ledger, quota: Quota): GrantStep | CloseStep | undefined {
  const { lease, past, waiting } = quota;
  const blocking = lease && past.find((one) => one.state === 'closing' && hasSameRow(one, lease));
  if (blocking) return { kind: 'close', quota, lease: blocking };
  const current = lease?.process === ledger.id ? lease : undefined;
  if (current && waiting.length > 0) return grantOf(ledger, quota, current);
  const closable = past.find((one) => one.inFlight === 0 && isReported(one));
  if (closable) return { kind: 'close', quota, lease: closable };
  return current?.state === 'open' ? stepInAdvance(ledger, quota, current) : undefined;
}

function grantOf({ firstGrant }: Ledger, quota: Quota, lease: Lease): GrantStep {
  const calls = quota.waiting.reduce((sum, cost) => sum + cost, 0);
  // More calls may have arrived since the last tick.
  const rate = Math.max(quota.rate, quota.callsThisTick);
  // After the ledger could not grant a call, the callers of other processes need the remaining calls just as much.
  const want = quota.exhausted || quota.isRecalled ? lease.spent + calls : wanted(lease, rate, calls, firstGrant);
  return { kind: 'grant', quota, lease, want, cost: Math.max(...quota.waiting) };
}

/** No call waits: a lease returns calls, or requests more before it runs out. */
function stepInAdvance(ledger: Ledger, quota: Quota, lease: Lease): GrantStep | undefined {
  const { isRecalled, exhausted, rate } = quota;
  if (isRecalled || isIdle(quota, ledger.clock.elapsed())) {
    const want = lease.spent + reserveOf(lease, ledger.reservePart);
    return isRecalled || want < lease.granted ? { kind: 'grant', quota, lease, want, cost: 0 } : undefined;
  }
  if (exhausted || !isRunningOut(lease, rate)) return undefined;
  const want = wanted(lease, rate, 0, ledger.firstGrant);
  // The last calls are left to calls that wait, in any process.
  return want - lease.granted > lease.left ? undefined : { kind: 'grant', quota, lease, want, cost: 1 };
}
