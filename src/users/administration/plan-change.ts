import { isoOrNull } from '#core/clock';
import { boundary, firstTerm, type Plan, periodAt } from '../plan.ts';
import type { User } from '../user.ts';

/** A plan with its limit, and whether it starts now or with the next period. */
export type PlanRequest = { plan: Plan; limit: number; from: 'now' | 'next' };
type Terms = Pick<User, 'plan' | 'limit' | 'anchor' | 'validUntil' | 'next'>;
/** The limit of the period with this start (Unix ms). Null if the user's limit applies. */
type PeriodLimit = { start: number; limit: number | null };

/**
 * Computes the values that a change of the plan writes. The limit of a period stays the same, so no process grants
 * calls of one plan in a period of the other, even if it learns of the change a second later.
 * @param ownLimitOf returns the separate limit that a period already has
 */
export function planChange(
  user: User,
  { plan, limit, from }: PlanRequest,
  now: number,
  ownLimitOf: (start: number) => number | undefined,
): { terms: Terms; periodLimits: PeriodLimit[] } {
  const running = periodAt(user.plan, user.anchor, now);
  const dropped = user.next ? [{ start: user.next.from, limit: null }] : [];
  if (from === 'now') {
    // Two periods never have the same start.
    const term = firstTerm(plan, Math.max(now, running.start + 1));
    const old = { start: running.start, limit: ownLimitOf(running.start) ?? user.limit };
    return { terms: { ...term, limit, next: undefined }, periodLimits: [old, ...dropped] };
  }
  if (now >= user.validUntil) {
    // If the term has ended, the next period starts with a renewal.
    return {
      terms: { plan, limit, anchor: user.validUntil, validUntil: user.validUntil, next: undefined },
      periodLimits: [],
    };
  }
  const start = running.end;
  const validUntil = user.validUntil > start ? boundary(plan, start, 1) : user.validUntil;
  const { plan: current, limit: currentLimit, anchor } = user;
  return {
    terms: { plan: current, limit: currentLimit, anchor, validUntil, next: { plan, limit, from: start } },
    periodLimits: [{ start, limit }],
  };
}

export const termValues = ({ plan, limit, validUntil, next }: Terms) => ({
  plan,
  limit,
  validUntil: isoOrNull(validUntil),
  nextPlan: next ? { plan: next.plan, limit: next.limit, from: isoOrNull(next.from) } : null,
});
