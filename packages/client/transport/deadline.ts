import { QuotientError } from '../error.ts';

/** `setTimeout` fires immediately for a longer delay. */
const LONGEST_MS = 2 ** 31 - 1;

/** A deadline whose signal also follows the caller's. Early releases of Node 18 lack `AbortSignal.any`. */
export function startDeadline(asked: number, caller?: AbortSignal) {
  const timeout = Math.min(asked, LONGEST_MS);
  const ending = new AbortController();
  const end = performance.now() + timeout;
  let late: QuotientError | undefined;
  const timer = setTimeout(() => {
    late = new QuotientError('timeout', `no answer within ${timeout} ms`);
    ending.abort(late);
  }, timeout);
  const stop = () => ending.abort(caller?.reason);
  const leave = caller && onAbort(caller, stop);
  if (caller?.aborted) stop();

  const { signal } = ending;
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  over.catch(() => undefined);
  return {
    signal,
    /** Rejects with the reason when aborted, for work that ignores the signal. */
    over,
    /** Remaining milliseconds. */
    left: () => Math.max(0, end - performance.now()),
    check(): void {
      if (signal.aborted) throw signal.reason;
    },
    isLate: (error: unknown): error is QuotientError => late !== undefined && error === late,
    /** Resolves after `ms`; rejects with the reason when aborted. */
    sleep(ms: number): Promise<void> {
      return new Promise((resolve, reject) => {
        const awake = setTimeout(() => {
          signal.removeEventListener('abort', interrupt);
          resolve();
        }, ms);
        const interrupt = () => {
          clearTimeout(awake);
          reject(signal.reason);
        };
        if (signal.aborted) interrupt();
        else signal.addEventListener('abort', interrupt, { once: true });
      });
    },
    /** Must be called at the end of the call. */
    clear(): void {
      clearTimeout(timer);
      leave?.();
    },
  };
}

export type Deadline = ReturnType<typeof startDeadline>;

/** The followers of a signal share one listener: Node warns about a signal with many. */
const followed = new WeakMap<AbortSignal, { stops: Set<() => void>; notify: () => void }>();

/** Calls `stop` when the signal aborts. The returned function removes it, and leaves no listener behind. */
function onAbort(signal: AbortSignal, stop: () => void): () => void {
  let followers = followed.get(signal);
  if (!followers) {
    const stops = new Set<() => void>();
    const notify = () => {
      for (const one of [...stops]) one();
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
