import { QuotientError } from './error.ts';

/** A timer that is set for longer goes off at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * The time there is for a call, and a signal that ends whatever is under way when it is over or when the caller's own
 * signal says so. `AbortSignal.any` would do the second half, but Node 18 began without it.
 */
export function startDeadline(asked: number, caller?: AbortSignal) {
  const timeoutMs = Math.min(asked, LONGEST_MS);
  const ending = new AbortController();
  const end = performance.now() + timeoutMs;
  const late = new QuotientError('timeout', `no answer within ${timeoutMs} ms`);
  const timer = setTimeout(() => ending.abort(late), timeoutMs);
  const follow = () => ending.abort(caller?.reason);
  if (caller?.aborted) follow();
  else caller?.addEventListener('abort', follow);

  const { signal } = ending;
  const over = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  over.catch(() => undefined);
  return {
    signal,
    /** Rejects with the reason when it is over, for what does not heed the signal. */
    over,
    /** Milliseconds that are left. */
    left: () => Math.max(0, end - performance.now()),
    /** Throws the reason when it is over. */
    check(): void {
      if (signal.aborted) throw signal.reason;
    },
    /** Resolves after so many ms; rejects with the reason as soon as it is over. */
    sleep(ms: number): Promise<void> {
      return new Promise((resolve, reject) => {
        const awake = setTimeout(() => {
          signal.removeEventListener('abort', stop);
          resolve();
        }, ms);
        const stop = () => {
          clearTimeout(awake);
          reject(signal.reason);
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      });
    },
    /** To be called when the call has ended, whichever way. */
    clear(): void {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}

export type Deadline = ReturnType<typeof startDeadline>;
