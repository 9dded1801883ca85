/** Aborted by Ctrl-C; the reason is the exit code, by convention 128 plus the number of the signal. */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  // npm passes a Ctrl-C on, so the signal may come twice.
  process.on('SIGINT', () => stop.abort(130));
  process.on('SIGTERM', () => stop.abort(143));
  return stop.signal;
}
