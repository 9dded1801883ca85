import { randomUUID } from 'node:crypto';
import { type Clock, type Instant, instantOf, SECOND } from '#core/clock';
import type { LedgerStore } from './ledger-store.ts';
import { PROCESS_SECONDS, SWEEP_SECONDS } from './process-store.ts';

/** How long calls may be spent after the process was last announced, in ms: 2 s less than other processes wait. */
const USABLE_FOR = (PROCESS_SECONDS - 2) * SECOND;
const RENEW_INTERVAL = 5 * SECOND;

type Dependencies = {
  ledger: Pick<LedgerStore, 'live' | 'leave'>;
  clock: Clock;
  /** How long a process that just started, or failed to reach the database, sweeps no others, in ms. */
  sweepAfterMs?: number | undefined;
};

/** The row of this process, with which all its leases live. */
export function createMembership({ ledger, clock, sweepAfterMs = SWEEP_SECONDS * SECOND }: Dependencies) {
  let id: string = randomUUID();
  let address: string | undefined;
  let renewal: Promise<void> | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Both clocks are checked: the wall clock can be set back, and the monotonic clock stops while the machine sleeps. */
  let until: Instant = { wall: Number.NEGATIVE_INFINITY, elapsed: Number.NEGATIVE_INFINITY };
  let sweepsFrom = clock.elapsed() + sweepAfterMs;

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

  function renew(): Promise<void> {
    renewal ??= live().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  const isValid = ({ wall, elapsed }: Instant): boolean => elapsed < until.elapsed && wall < until.wall;

  return {
    id: (): string => id,
    isValid,
    renew,
    isDue: (elapsed: number): boolean => elapsed - renewedAt >= RENEW_INTERVAL,
    /** Called when a statement of this process failed: others may be cut off too, and need time to announce themselves. */
    failed(): void {
      sweepsFrom = Math.max(sweepsFrom, clock.elapsed() + SWEEP_SECONDS * SECOND);
    },
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
