import { randomUUID } from 'node:crypto';
import { type Instant, instantOf, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import type { Ledger } from './ledger-state.ts';
import { PROCESS_SECONDS, SWEEP_SECONDS } from './statements/process-store.ts';

/** How long calls may be spent after the process was last announced, in ms: 2 s less than other processes wait. */
const USABLE_FOR = (PROCESS_SECONDS - 2) * SECOND;
const RETRY_AFTER_FAILURE = SECOND;

/* The row of this process, on which all its leases depend, and whether the ledger responds. */

export const isValid = ({ usableUntil }: Ledger, { wall, elapsed }: Instant): boolean =>
  elapsed < usableUntil.elapsed && wall < usableUntil.wall;

export const maySweep = ({ clock, sweepsFrom }: Ledger): boolean => clock.elapsed() >= sweepsFrom;

/**
 * Called when a statement of this process failed: other processes may be cut off too, and need time to announce
 * themselves.
 */
export function databaseFailed(ledger: Ledger): void {
  ledger.sweepsFrom = Math.max(ledger.sweepsFrom, ledger.clock.elapsed() + SWEEP_SECONDS * SECOND);
}

/** Throws `database_unavailable` immediately if the database has just failed. */
export function refuseFailed({ clock, failedUntil }: Ledger): void {
  if (clock.elapsed() >= failedUntil) return;
  throw new Problem('database_unavailable', 'The database is not responding.', { retryAfter: 2 });
}

/**
 * Waits for the ledger's response. After a failure, calls fail for a short time without querying the ledger, unless only
 * the users of one node of a cluster are concerned.
 */
export async function answerTo<Answer>(
  ledger: Ledger,
  asking: Promise<Answer>,
  concernsAll = !ledger.store.isDistributed,
): Promise<Answer> {
  try {
    const answer = await withinDeadline(asking);
    if (concernsAll) ledger.failedUntil = Number.NEGATIVE_INFINITY;
    ledger.confirmedAt = ledger.clock.elapsed();
    return answer;
  } catch (error) {
    if (concernsAll) {
      ledger.failedUntil = ledger.clock.elapsed() + RETRY_AFTER_FAILURE;
      databaseFailed(ledger);
    }
    throw error;
  }
}

async function live(ledger: Ledger): Promise<void> {
  const { wall, elapsed } = instantOf(ledger.clock);
  if (!(await ledger.store.live(ledger.id, ledger.address))) {
    // The leases of the old ID are reported and closed.
    ledger.id = randomUUID();
    return live(ledger);
  }
  ledger.renewedAt = elapsed;
  ledger.usableUntil = { wall: wall + USABLE_FOR, elapsed: elapsed + USABLE_FOR };
}

export function renew(ledger: Ledger): Promise<void> {
  ledger.renewal ??= live(ledger).finally(() => {
    ledger.renewal = undefined;
  });
  return answerTo(ledger, ledger.renewal, true);
}
