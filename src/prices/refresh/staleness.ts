import { type Clock, DAY, HOUR } from '#core/clock';
import type { ArchiveCache } from '#prices/latest/latest-cache';
import { INTERVALS } from '#prices/model/interval';
import { lastSample } from '#prices/model/series';
import { ageAt, type Staleness } from '#upstream/freshness';
import type { Backfill } from './backfill.ts';

type Dependencies = {
  archive: Pick<ArchiveCache, 'latest' | 'loaded' | 'series'>;
  backfill: Pick<Backfill, 'latestEvery' | 'sinceRequested'>;
  clock: Clock;
};

export function createStaleness({ archive, backfill, clock }: Dependencies) {
  return function staleness(): Staleness[] {
    const now = clock.now();
    const latest = backfill.latestEvery();
    // A latest price is also a minute sample. The first latest price of an hour is also the hour's sample.
    const every = { latest, minute: latest, hour: Math.max(HOUR, latest), day: DAY };
    return archive.loaded().flatMap((token) => {
      const stalenessOf = (kind: keyof typeof every, at: number | undefined): Staleness => ({
        token,
        kind,
        age: Math.max(0, ageAt(at, now)),
        every: every[kind],
        idle: backfill.sinceRequested(token, kind),
      });
      return [
        stalenessOf('latest', archive.latest(token)?.fetchedAt),
        ...INTERVALS.map((interval) => stalenessOf(interval, lastSample(archive.series(token, interval).all())?.at)),
      ];
    });
  };
}
