import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { FailureCause } from '../domain/upstream-failure.ts';
import type { Settings } from '../settings.ts';
import type { Database } from '../stores/database.ts';
import type { RefreshStore } from '../stores/refreshes.ts';

/** What the parts of the app stand on. */
export type Ground = {
  settings: Settings;
  prisma: Database['prisma'];
  refreshes: RefreshStore;
  /** For each upstream, who is told how a call to it ended. */
  observe: (upstream: string) => (outcome: FailureCause | 'ok') => void;
  clock: Clock;
  log: Log;
};
