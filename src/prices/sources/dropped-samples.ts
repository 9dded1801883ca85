import type { Log } from '#core/log';
import { UpstreamFailure } from '#upstream/failure';
import type { Implausible } from '#upstream/plausible';

type Recording = { dropped: (upstream: string) => (count: number) => void; log: Log };

export function createDropped({ dropped, log }: Recording, upstream: string): Dropped {
  const countDropped = dropped(upstream);
  return ({ count, ...facts }) => {
    countDropped(count);
    log.warn({ upstream, dropped: count, ...facts }, 'implausible samples dropped');
  };
}

export type Dropped = (samples: { path: string; count: number; reasons: readonly Implausible[] }) => void;

export function createPlausible(upstream: string, dropped: Dropped) {
  /** The plausible samples of a response. Throws `UpstreamFailure` if there are none. */
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
    throw new UpstreamFailure(upstream, 'unexpected', 'no plausible sample');
  };
}
