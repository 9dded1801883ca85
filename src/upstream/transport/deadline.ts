/*
 * `AbortSignal.any` and `AbortSignal.timeout` register finalizers. Listeners and a timer take much less time, and a call
 * ends before they are collected.
 */

/** Calls `abort` when the signal aborts. The returned function removes the listener. */
export function onAbort(signal: AbortSignal | undefined, abort: () => void): () => void {
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}

/** Aborts after `ms` with a `TimeoutError`, or with the signal. Call `end` when the work is done. */
export function startDeadline(ms: number, signal: AbortSignal | undefined) {
  const controller = new AbortController();
  const expire = () => controller.abort(new DOMException('The time limit has passed', 'TimeoutError'));
  const timer = setTimeout(expire, ms).unref();
  const leave = onAbort(signal, () => controller.abort(signal?.reason));
  const end = (): void => {
    clearTimeout(timer);
    leave();
  };
  return { signal: controller.signal, end };
}
