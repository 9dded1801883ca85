import type { Clock } from './clock.ts';

type Options<Value> = {
  /** How long a value is kept from the end of the call that made it, in ms; 0 shares the call alone. */
  ttl: number;
  clock: Pick<Clock, 'elapsed'>;
  /** Whether an error is kept as long as a value; otherwise the next caller causes another call. */
  keepsErrors?: boolean;
  /** What callers get in place of the call's own promise, such as one with a deadline. */
  share?: (call: Promise<Value>) => Promise<Value>;
};

/**
 * One value for all callers, made by one call at a time. The function that it returns accepts a version: a value of
 * another version is made anew, also while the call for the earlier version is in progress.
 */
export function memo<Value>(
  make: () => Promise<Value>,
  { ttl, clock, keepsErrors = false, share = (call) => call }: Options<Value>,
): (version?: unknown) => Promise<Value> {
  let known: { version: unknown; value: Promise<Value>; until: number } | undefined;

  return (version) => {
    if (known && known.version === version && clock.elapsed() < known.until) return known.value;
    const call = make();
    const entry = { version, value: share(call), until: Number.POSITIVE_INFINITY };
    known = entry;
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
