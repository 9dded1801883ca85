import type { Clock } from './clock.ts';

type Options<Value> = {
  /** How long a value is cached after its call ends, in ms. If 0, only concurrent callers share the value. */
  ttl: number;
  clock: Pick<Clock, 'elapsed'>;
  /** Whether errors are cached like values. If they are not, the next caller repeats the call. */
  keepsErrors?: boolean;
  /** Wraps the promise that callers receive, for example to add a deadline. */
  share?: (call: Promise<Value>) => Promise<Value>;
};

/** Caches one value. Concurrent callers share one call. A changed version discards the value. */
export function memo<Value>(
  make: () => Promise<Value>,
  { ttl, clock, keepsErrors = false, share = (call) => call }: Options<Value>,
): (version?: unknown) => Promise<Value> {
  let cached: { version: unknown; value: Promise<Value>; until: number } | undefined;

  return (version) => {
    if (cached && cached.version === version && clock.elapsed() < cached.until) return cached.value;
    const call = make();
    const entry = { version, value: share(call), until: Number.POSITIVE_INFINITY };
    cached = entry;
    call.then(
      () => {
        entry.until = clock.elapsed() + ttl;
      },
      () => {
        entry.until = keepsErrors ? clock.elapsed() + ttl : Number.NEGATIVE_INFINITY;
      },
    );
    return entry.value;
  };
}
