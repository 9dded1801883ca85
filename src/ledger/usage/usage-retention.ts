import { type Clock, DAY, parseDuration, startOfDate } from '#core/clock';
import type { Log } from '#core/log';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import { createRetentionJob } from '#upstream/retention-job';

type Dependencies = {
  /** Yields the number of deleted rows of each batch. */
  deleteBefore: (date: number) => AsyncIterable<number>;
  refreshes: Pick<RefreshStore, 'read' | 'claim' | 'release' | 'complete'>;
  retention: number;
  clock: Clock;
  log: Log;
};

/** Deletes daily call counts after their retention period: once a day, and when a process starts. */
export function createUsageRetention(dependencies: Dependencies) {
  const { deleteBefore, refreshes, retention, clock, log } = dependencies;
  const startedAt = clock.now();

  async function* deleteOld(now: number) {
    let rows = 0;
    try {
      for await (const deleted of deleteBefore(firstKeptDate(retention, now))) {
        rows += deleted;
        yield;
      }
    } finally {
      // Also logged for an interrupted run.
      if (rows > 0) log.info({ rows }, 'expired daily call counts deleted');
    }
  }

  return createRetentionJob({
    name: 'usage-retention',
    refreshes,
    deleteOld,
    clock,
    // Also runs after a restart, because the setting may have changed.
    isDue: (age, now) => age > now - Math.max(startedAt, startOfDate(now)),
  });
}

/** Users can see the calls of the newest 31 dates. */
const LEAST = 31 * DAY;

/** Returns ms. Throws a `RangeError` that states the accepted form. */
export function parseUsageRetention(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined || duration < LEAST)
    throw new RangeError('must be a duration of at least 31d, such as 400d (an integer with d or h)');
  return duration;
}

/** The first date whose calls are stored (its start in Unix ms). The retention period counts from the end of a date. */
export const firstKeptDate = (retention: number, now: number): number => startOfDate(now - retention);
