import { type Clock, SECOND } from '#core/clock';

/** After a failure of the database nothing is reclaimed for so long, in ms: whoever was cut off settles first. */
const AFTER_FAILURE = 10 * SECOND;
/** As long after the start of this process, which may be that of the database too: 35 s after a crash all is back. */
const AFTER_START = 5 * SECOND;

/**
 * Whether this process may reclaim leases that have lapsed. One lapses while its holder cannot reach the database, which
 * every process notices by its polls; each goes by what it noticed itself, since a cluster has no one time of its start.
 */
export function createOutages({ clock, afterStart = AFTER_START }: { clock: Clock; afterStart?: number }) {
  let reclaimsFrom = clock.elapsed() + afterStart;
  return {
    /** A statement of this process has just failed. */
    failed(): void {
      reclaimsFrom = clock.elapsed() + AFTER_FAILURE;
    },
    mayReclaim: (): boolean => clock.elapsed() >= reclaimsFrom,
  };
}

export type Outages = ReturnType<typeof createOutages>;
