import { iso } from '#core/clock';
import { Problem } from '#core/problems';

/** `since` in Unix ms. The user reads the reason. */
export type Suspension = { since: number; reason: string };

type Row = { suspendedAt: Date | null; suspendedReason: string | null };

export const toSuspension = ({ suspendedAt, suspendedReason }: Row): Suspension | undefined =>
  suspendedAt === null ? undefined : { since: suspendedAt.getTime(), reason: suspendedReason ?? '' };

export function accountSuspended({ since, reason }: Suspension): Problem {
  const sentence = /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return new Problem('account_suspended', `The operator suspended this account at ${iso(since)}. Reason: ${sentence}`);
}
