import type { Lease } from '#accounts/ledger/lease';
import { iso, SECOND } from '#core/clock';
import { Problem } from '#core/problems';

/**
 * The refusal of a call that costs more than is left of the period.
 * @param comesBackIn in how many seconds another process may have given some back
 */
export function quotaExceeded(
  cost: number,
  comesBackIn: number | undefined,
  { period, limit }: Pick<Lease, 'period' | 'limit'>,
  now: number,
): Problem {
  const retryAfter = comesBackIn ?? (period.end - now) / SECOND;
  const ends = iso(period.end);
  const detail =
    cost === 1
      ? `All ${limit} calls of the period that ends at ${ends} are spent.`
      : `Of the ${limit} calls of the period that ends at ${ends} fewer are left than the ${cost} that this costs.`;
  return new Problem('quota_exceeded', detail, { retryAfter });
}
