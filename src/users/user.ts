import { iso } from '#core/clock';
import { Problem } from '#core/problems';
import type { Scope } from '#server/gate';
import type { NextPlan, Plan } from './plan.ts';

/** `since` in Unix ms. The user reads the reason. */
export type Suspension = { since: number; reason: string };

/** Instants in Unix ms. `name` and `email` are null once the user is erased. */
export type User = {
  key: number;
  name: string | null;
  email: string | null;
  plan: Plan;
  limit: number;
  anchor: number;
  createdAt: number;
  validUntil: number;
  updatedAt: number;
  /** A plan that starts with the next period. */
  next: NextPlan | undefined;
  suspension: Suspension | undefined;
};

/** A new owner key. Only `hash` and `start` are stored. */
export type OwnerKey = { apiKey: string; hash: string; start: string; scopes: readonly Scope[] };

export type SuspensionRow = { suspendedAt: Date | null; suspendedReason: string | null };
type NextRow = { nextPlan: Plan | null; nextLimit: number | null; nextFrom: Date | null };
export type UserRow = Pick<User, 'key' | 'name' | 'email' | 'plan' | 'limit'> &
  Record<'anchor' | 'createdAt' | 'validUntil' | 'updatedAt', Date> &
  NextRow &
  SuspensionRow;

export const isErased = ({ email }: User): boolean => email === null;

export const toSuspension = ({ suspendedAt, suspendedReason }: SuspensionRow): Suspension | undefined =>
  suspendedAt === null ? undefined : { since: suspendedAt.getTime(), reason: suspendedReason ?? '' };

function toNextPlan({ nextPlan: plan, nextLimit: limit, nextFrom }: NextRow): NextPlan | undefined {
  return plan === null || limit === null || nextFrom === null ? undefined : { plan, limit, from: nextFrom.getTime() };
}

export const toUser = ({ key, name, email, plan, limit, ...at }: UserRow): User => ({
  key,
  name,
  email,
  plan,
  limit,
  anchor: at.anchor.getTime(),
  createdAt: at.createdAt.getTime(),
  validUntil: at.validUntil.getTime(),
  updatedAt: at.updatedAt.getTime(),
  next: toNextPlan(at),
  suspension: toSuspension(at),
});

export function accountSuspended({ since, reason }: Suspension): Problem {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return new Problem('account_suspended', `The operator suspended this account at ${iso(since)}. Reason: ${sentence}`);
}
