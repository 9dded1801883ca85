import type { CapabilityDeps } from '#server/capability';
import type { Dropped } from './plausible.ts';

/** Counts and logs the samples of an upstream that were left out. */
export function createDropped(
  { dropped, log }: Pick<CapabilityDeps, 'dropped' | 'log'>,
  upstream: string,
): Dropped {
  const countDropped = dropped(upstream);
  return ({ count, ...facts }) => {
    countDropped(count);
    log.warn({ upstream, dropped: count, ...facts }, 'implausible samples dropped');
  };
}
