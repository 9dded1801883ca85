import { QuotientError } from '../error.ts';

/** A longer timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A deadline whose signal also follows the caller's. The first releases of Node 18 have no `AbortSignal.any`. */
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
    /** Throws the reason if aborted. */
    check(): void {
      if (signal.aborted) throw signal.reason;
    },
    /** Whether an error is the one of this deadline. */
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
    /** Must be called when the call has ended. */
    clear(): void {
      clearTimeout(timer);
      leave?.();
    },
  };
}

export type Deadline = ReturnType<typeof startDeadline>;

type Followers = { stops: Set<() => void>; tell: () => void };

/** Who follows a signal. All share one listener: Node warns of a signal that has many. */
const followed = new WeakMap<AbortSignal, Followers>();

/** Calls `stop` when the signal aborts. The function that it returns ends that, and leaves nothing on the signal. */
export function onAbort(signal: AbortSignal, stop: () => void): () => void {
  let followers = followed.get(signal);
  if (!followers) {
    const stops = new Set<() => void>();
    const tell = () => {
      for (const one of [...stops]) one();
    };
    followers = { stops, tell };
    followed.set(signal, followers);
  }
  const { stops, tell } = followers;
  if (stops.size === 0) signal.addEventListener('abort', tell);
  stops.add(stop);
  return () => {
    if (stops.delete(stop) && stops.size === 0) signal.removeEventListener('abort', tell);
  };
}
