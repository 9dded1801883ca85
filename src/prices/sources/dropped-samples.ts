import type { Log } from '#core/log';
import type { Dropped } from './plausible.ts';

type Recording = { dropped: (upstream: string) => (count: number) => void; log: Log };

/** Counts and logs the samples of an upstream that were left out. */
export function createDropped({ dropped, log }: Recording, upstream: string): Dropped {
  const countDropped = dropped(upstream);
  return ({ count, ...facts }) => {
    countDropped(count);
    log.warn({ upstream, dropped: count, ...facts }, 'implausible samples dropped');
  };
}
