import { QuotientError } from '../error.ts';

/** The longest delay of `setTimeout`. A longer delay fires immediately. */
const MAX_MS = 2 ** 31 - 1;

/** A deadline. Its signal also follows the caller's signal. Early releases of Node 18 have no `AbortSignal.any`. */
export function startDeadline(requested: number, caller?: AbortSignal) {
  const timeout = Math.min(requested, MAX_MS);
  const controller = new AbortController();
  const end = performance.now() + timeout;
  let late: QuotientError | undefined;
  const timer = setTimeout(() => {
    if (requested === Number.POSITIVE_INFINITY) return;
    late = new QuotientError('timeout', `no response within ${timeout} ms`);
    controller.abort(late);
  }, timeout);
  const stop = () => controller.abort(caller?.reason);
  const unfollow = caller && onAbort(caller, stop);
  if (caller?.aborted) stop();

  const { signal } = controller;
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  over.catch(() => undefined);
  return {
    signal,
    /** For work that ignores the signal: rejects with the signal's reason on abort. */
    over,
    left: () => Math.max(0, end - performance.now()),
    check(): void {
      if (signal.aborted) throw signal.reason;
    },
    isLate: (error: unknown): error is QuotientError => late !== undefined && error === late,
    /** Resolves after `ms`; rejects with the signal's reason on abort. */
    sleep(ms: number): Promise<void> {
      return new Promise((resolve, reject) => {
        const sleeper = setTimeout(() => {
          signal.removeEventListener('abort', interrupt);
          resolve();
        }, ms);
        const interrupt = () => {
          clearTimeout(sleeper);
          reject(signal.reason);
        };
        if (signal.aborted) interrupt();
        else signal.addEventListener('abort', interrupt, { once: true });
      });
    },
    /** Releases the timer and the listener. Must be called at the end of every call. */
    clear(): void {
      clearTimeout(timer);
      unfollow?.();
    },
  };
}

export type Deadline = ReturnType<typeof startDeadline>;

/** The followers of a signal share one listener, because Node warns about a signal with many listeners. */
const followed = new WeakMap<AbortSignal, { stops: Set<() => void>; notify: () => void }>();

/** Calls `stop` when the signal aborts. Returns a function that removes `stop`, and the listener once it is unused. */
function onAbort(signal: AbortSignal, stop: () => void): () => void {
  let followers = followed.get(signal);
  if (!followers) {
    const stops = new Set<() => void>();
    const notify = () => {
      for (const follower of [...stops]) follower();
    };
    followers = { stops, notify };
    followed.set(signal, followers);
  }
  const { stops, notify } = followers;
  if (stops.size === 0) signal.addEventListener('abort', notify);
  stops.add(stop);
  return () => {
    if (stops.delete(stop) && stops.size === 0) signal.removeEventListener('abort', notify);
  };
}
