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

type Dependencies = {
  ledger: Pick<LedgerStore, 'live' | 'leave'>;
  clock: Clock;
  isDistributed: boolean;
  /** How long a process that just started, or failed to reach the database, sweeps no others, in ms. */
  sweepAfterMs?: number | undefined;
};

/** The row of this process, with which all its leases live, and whether the ledger responds. */
export function createMembership({
  ledger,
  clock,
  isDistributed,
  sweepAfterMs = SWEEP_SECONDS * SECOND,
}: Dependencies) {
  let id: string = randomUUID();
  let address: string | undefined;
  let renewal: Promise<void> | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Both clocks are checked: the wall clock can be set back, and the monotonic clock stops while the machine sleeps. */
  let until: Instant = { wall: Number.NEGATIVE_INFINITY, elapsed: Number.NEGATIVE_INFINITY };
  let sweepsFrom = clock.elapsed() + sweepAfterMs;
  let failedUntil = Number.NEGATIVE_INFINITY;
  let confirmedAt = Number.NEGATIVE_INFINITY;

  async function live(): Promise<void> {
    const request = instantOf(clock);
    if (!(await ledger.live(id, address))) {
      // Others have begun to return the calls of the old ID. Its leases are reported and closed.
      id = randomUUID();
      return live();
    }
    renewedAt = request.elapsed;
    until = { wall: request.wall + USABLE_FOR, elapsed: request.elapsed + USABLE_FOR };
  }

  /** Called when a statement of this process failed: others may be cut off too, and need time to announce themselves. */
  function failed(): void {
    sweepsFrom = Math.max(sweepsFrom, clock.elapsed() + SWEEP_SECONDS * SECOND);
  }

  /**
   * Waits for the ledger's response. After a failure, calls fail for a short time without querying the ledger, unless
   * only the users of one node of a cluster are concerned.
   */
  async function answerTo<Answer>(asking: Promise<Answer>, concernsAll = !isDistributed): Promise<Answer> {
    try {
      const answer = await withinDeadline(asking);
      if (concernsAll) failedUntil = Number.NEGATIVE_INFINITY;
      confirmedAt = clock.elapsed();
      return answer;
    } catch (error) {
      if (concernsAll) {
        failedUntil = clock.elapsed() + RETRY_AFTER_FAILURE;
        failed();
      }
      throw error;
    }
  }

  function renew(): Promise<void> {
    renewal ??= live().finally(() => {
      renewal = undefined;
    });
    return answerTo(renewal, true);
  }

  return {
    id: (): string => id,
    isValid: ({ wall, elapsed }: Instant): boolean => elapsed < until.elapsed && wall < until.wall,
    isDue: (elapsed: number): boolean => elapsed - renewedAt >= RENEW_INTERVAL,
    renew,
    answerTo,
    failed,
    /** Throws `database_unavailable` immediately if the database has just failed. */
    refuseFailed(): void {
      if (clock.elapsed() >= failedUntil) return;
      throw new Problem('database_unavailable', 'The database is not responding.', { retryAfter: 2 });
    },
    /** In ms since the ledger last responded; Infinity before its first response. */
    sinceConfirmed: (): number => clock.elapsed() - confirmedAt,
    maySweep: (): boolean => clock.elapsed() >= sweepsFrom,
    /** Stores the URL at which other processes reach this one. If that fails, the next tick repeats it. */
    async announce(url: string): Promise<void> {
      address = url;
      renewedAt = Number.NEGATIVE_INFINITY;
      await renew().catch(() => undefined);
    },
    leave: (): Promise<void> => ledger.leave(id),
  };
}

export type Membership = ReturnType<typeof createMembership>;
