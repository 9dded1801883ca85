import type { Log } from '#core/log';
import { UpstreamFailure } from '#upstream/failure';
import type { Implausible } from '#upstream/plausible';

type Recording = { dropped: (upstream: string) => (count: number) => void; log: Log };

/** Counts and logs the samples of an upstream that were left out. */
export function createDropped({ dropped, log }: Recording, upstream: string): Dropped {
  const countDropped = dropped(upstream);
  return ({ count, ...facts }) => {
    countDropped(count);
    log.warn({ upstream, dropped: count, ...facts }, 'implausible samples dropped');
  };
}

/** Told of the samples of an answer that cannot be true and were left out: how many, for which reasons. */
export type Dropped = (samples: { path: string; count: number; reasons: readonly Implausible[] }) => void;

/** Creates what leaves samples out of the answers of one upstream. */
export function createPlausible(upstream: string, dropped: Dropped) {
  /** What can be true of an answer's samples. Throws `UpstreamFailure` when that is none of them. */
  return function plausible<T>(
    path: string,
    samples: readonly T[],
    reasonAgainst: (one: T) => Implausible | undefined,
  ): T[] {
    const reasons = new Set<Implausible>();
    const kept = samples.filter((sample) => {
      const reason = reasonAgainst(sample);
      if (reason) reasons.add(reason);
      return !reason;
    });
    const count = samples.length - kept.length;
    if (count === 0) return kept;
    dropped({ path, count, reasons: [...reasons] });
    if (kept.length > 0) return kept;
    throw new UpstreamFailure(upstream, 'unexpected', 'not one sample that can be true');
  };
}
