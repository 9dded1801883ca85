import { randomUUID } from 'node:crypto';
import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import { Problem } from '#core/problems';
import { withinDeadline } from '#database/deadline';
import type { LedgerStore } from './statements/ledger-store.ts';
import { PROCESS_SECONDS, SWEEP_SECONDS } from './statements/process-store.ts';

/** How long calls may be spent after the process was last announced, in ms: 2 s less than other processes wait. */
const USABLE_FOR = (PROCESS_SECONDS - 2) * SECOND;
const RENEW_INTERVAL = 5 * SECOND;
const RETRY_AFTER_FAILURE = SECOND;

/** The row of this process, with which all its leases live, and whether the ledger responds. Instants are monotonic. */
export type Membership = {
  readonly store: LedgerStore;
  readonly clock: Clock;
  /** Whether the ledger's tables are distributed over a cluster. */
  readonly isDistributed: boolean;
  /** Replaced once other processes have begun to return the calls of the old ID, whose leases are reported and closed. */
  id: string;
  /** The URL at which other processes reach this one. */
  address: string | undefined;
  renewal: Promise<void> | undefined;
  renewedAt: number;
  /** Both clocks are checked: the wall clock can be set back, and the monotonic clock stops while the machine sleeps. */
  until: Instant;
  /** Before, the process returns no calls of others, because they may have been cut off too. */
  sweepsFrom: number;
  failedUntil: number;
  confirmedAt: number;
};

/** `sweepAfterMs`: how long this process returns no calls of others. */
export const newMembership = (
  store: LedgerStore,
  clock: Clock,
  isDistributed: boolean,
  sweepAfterMs = SWEEP_SECONDS * SECOND,
): Membership => ({
  store,
  clock,
  isDistributed,
  id: randomUUID(),
  address: undefined,
  renewal: undefined,
  renewedAt: Number.NEGATIVE_INFINITY,
  until: { wall: Number.NEGATIVE_INFINITY, elapsed: Number.NEGATIVE_INFINITY },
  sweepsFrom: clock.elapsed() + sweepAfterMs,
  failedUntil: Number.NEGATIVE_INFINITY,
  confirmedAt: Number.NEGATIVE_INFINITY,
});

export const isValid = ({ until }: Membership, { wall, elapsed }: Instant): boolean =>
  elapsed < until.elapsed && wall < until.wall;

export const maySweep = ({ clock, sweepsFrom }: Membership): boolean => clock.elapsed() >= sweepsFrom;

/** Called when a statement of this process failed: others may be cut off too, and need time to announce themselves. */
export function databaseFailed(own: Membership): void {
  own.sweepsFrom = Math.max(own.sweepsFrom, own.clock.elapsed() + SWEEP_SECONDS * SECOND);
}

/** Throws `database_unavailable` immediately if the database has just failed. */
export function refuseFailed({ clock, failedUntil }: Membership): void {
  if (clock.elapsed() >= failedUntil) return;
  throw new Problem('database_unavailable', 'The database is not responding.', { retryAfter: 2 });
}

/**
 * Waits for the ledger's response. After a failure, calls fail for a short time without querying the ledger, unless only
 * the users of one node of a cluster are concerned.
 */
export async function answerTo<Answer>(
  own: Membership,
  asking: Promise<Answer>,
  concernsAll = !own.isDistributed,
): Promise<Answer> {
  try {
    const answer = await withinDeadline(asking);
    if (concernsAll) own.failedUntil = Number.NEGATIVE_INFINITY;
    own.confirmedAt = own.clock.elapsed();
    return answer;
  } catch (error) {
    if (concernsAll) {
      own.failedUntil = own.clock.elapsed() + RETRY_AFTER_FAILURE;
      databaseFailed(own);
    }
    throw error;
  }
}

async function live(own: Membership): Promise<void> {
  const { wall, elapsed } = instantOf(own.clock);
  if (!(await own.store.live(own.id, own.address))) {
    own.id = randomUUID();
    return live(own);
  }
  own.renewedAt = elapsed;
  own.until = { wall: wall + USABLE_FOR, elapsed: elapsed + USABLE_FOR };
}

export function renew(own: Membership): Promise<void> {
  own.renewal ??= live(own).finally(() => {
    own.renewal = undefined;
  });
  return answerTo(own, own.renewal, true);
}

export async function renewIfDue(own: Membership, elapsed: number): Promise<void> {
  if (elapsed - own.renewedAt >= RENEW_INTERVAL) await renew(own);
}

/** Stores the process's address. If that fails, the next tick repeats it. */
export async function announce(own: Membership, address: string): Promise<void> {
  own.address = address;
  own.renewedAt = Number.NEGATIVE_INFINITY;
  await renew(own).catch(() => undefined);
}
