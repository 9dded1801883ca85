import { iso } from '#core/clock';
import { boundary, type Plan, periodAt } from '#users/plan';

export const DEFAULT_THRESHOLDS = [80, 100];
export const THRESHOLDS = { min: 1, max: 100, most: 10 } as const;
export const DAYS_BEFORE_END = [7, 1];
/** An event that is reported to a user once. Instants in Unix ms. */
export type Notice = { id: string; userKey: number; reportedAt: number } & (
  | { kind: 'usage'; threshold: number; periodStart: number; used: number; limit: number }
  | { kind: 'validity'; days: number; validUntil: number }
);

export type NoticeTerm = { plan: Plan; anchor: number };

/** If the term has been restarted since the notice was created, periods now count from another anchor. */
export function periodEnd(periodStart: number, { plan, anchor }: NoticeTerm): number {
  const period = periodAt(plan, anchor, periodStart);
  return period.start === periodStart ? period.end : boundary(plan, periodStart, 1);
}

export function factsOf(notice: Notice, term: NoticeTerm) {
  const { userKey: user } = notice;
  if (notice.kind === 'validity') {
    const { days, validUntil } = notice;
    return { type: 'validity.ending' as const, data: { user, days, validUntil: iso(validUntil) } };
  }
  const { threshold, periodStart, used, limit } = notice;
  const period = { periodStart: iso(periodStart), resetsAt: iso(periodEnd(periodStart, term)) };
  const remaining = Math.max(0, limit - used);
  return { type: 'usage.threshold_reached' as const, data: { user, threshold, used, limit, remaining, ...period } };
}
