import { type Clock, DAY, HOUR } from '#core/clock';
import type { ArchiveCache } from '#prices/archive/archive-cache';
import { ageAt } from '#upstream/freshness';
import { QUOTES_PER_CALL } from './fetches.ts';
import type { ScheduledLoad } from './refresh-schedule.ts';

/** What was fetched within this, in ms, is fetched again by the schedule; nobody asks for the rest. */
const IN_USE = DAY + HOUR;

type Dependencies = { archive: Pick<ArchiveCache, 'fetchedAt' | 'generation' | 'loaded'>; clock: Clock };

/** What the schedule fetches now, by what is in memory: counted again when anything was stored. */
export function createScheduledLoad({ archive, clock }: Dependencies) {
  let counted: { generation: number; load: ScheduledLoad } | undefined;

  function count(): ScheduledLoad {
    const now = clock.now();
    const tokens = archive.loaded();
    const inUse = (kind: 'chart' | 'daily') =>
      tokens.filter((token) => ageAt(archive.fetchedAt(`${kind}:${token}`), now) < IN_USE).length;
    const latest = Math.max(1, Math.ceil(tokens.length / QUOTES_PER_CALL));
    return { latest, charts: inUse('chart'), days: inUse('daily') };
  }

  return function scheduledLoad(): ScheduledLoad {
    const generation = archive.generation();
    if (counted?.generation !== generation) counted = { generation, load: count() };
    return counted.load;
  };
}
