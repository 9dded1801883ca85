import { QuotientError } from './error.ts';

/** A longer timer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * A call's deadline: its signal aborts when the time is over or when the caller's signal aborts. The first releases of
 * Node 18 have no `AbortSignal.any`.
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
    /** Rejects with the reason when aborted, for work that ignores the signal. */
    over,
    /** Remaining milliseconds. */
    left: () => Math.max(0, end - performance.now()),
    /** Throws the reason if aborted. */
    check(): void {
      if (signal.aborted) throw signal.reason;
    },
    /** Resolves after `ms`; rejects with the reason when aborted. */
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
    /** Must be called when the call has ended. */
    clear(): void {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}

export type Deadline = ReturnType<typeof startDeadline>;
