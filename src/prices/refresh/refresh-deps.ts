import type { Catalogue } from '#catalogue/catalogue';
import type { Clock } from '#core/clock';
import type { Log } from '#core/log';
import type { ArchiveCache, Fetch } from '#prices/latest/latest-cache';
import type { Retention } from '#prices/model/market-sources';
import type { SingleFlight } from '#upstream/single-flight';
import type { Demand } from './demand.ts';

export type RefreshDeps = {
  archive: ArchiveCache;
  catalogue: Pick<Catalogue, 'named'>;
  demand: Demand;
  singleFlight: SingleFlight<Fetch>;
  retention: Retention;
  clock: Clock;
  log: Log;
};
