import type { Clock } from '#domain/clock';
import type { Log } from '#domain/log';
import type { TokenName } from '#domain/market/token';
import type { FailureCause } from '#domain/upstream/failure';
import type { OpenCatalogue } from '#services/catalogue/catalogue';
import type { Deadline } from '#services/deadline';
import type { Settings } from '#settings';
import type { Database } from '#stores/database/database';
import type { RefreshStore } from '#stores/upstream/claims-and-budgets';

/** What every dependency is opened with. */
export type Context = {
  settings: Settings;
  prisma: Database['prisma'];
  /** Put around every store that a request waits for. */
  deadline: Deadline;
  refreshes: RefreshStore;
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
};
