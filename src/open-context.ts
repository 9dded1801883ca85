import type { OpenCatalogue } from '#catalogue/open';
import type { TokenName } from '#catalogue/token';
import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { Database } from '#database/database';
import type { Deadline } from '#database/deadline';
import type { ResponseCache } from '#server/cache/response-cache';
import type { RefreshStore } from '#upstream/claims-and-budgets-store';
import type { FailureCause } from '#upstream/failure';
import type { FailureLog } from '#upstream/failure-log';
import type { Settings } from './settings.ts';

/** What every dependency is opened with. */
export type Context = {
  settings: Settings;
  prisma: Database['prisma'];
  /** Put around every store that a request waits for. */
  deadline: Deadline;
  refreshes: RefreshStore;
  /** The cache of all answers. */
  responses: ResponseCache;
  /** The tokens that are served. */
  catalogue: OpenCatalogue;
  /** For each upstream, what records how its calls ended. */
  observe: (upstream: string) => (outcome: FailureCause | 'ok') => void;
  /** For each upstream, what counts its dropped samples. */
  dropped: (upstream: string) => (count: number) => void;
  /** Counts a token whose price differed much when another source took over. */
  differed: (token: TokenName) => void;
  clock: Clock;
  log: Log;
  failures: FailureLog;
};
