/** Exit codes. After `refused`, a retry fails until the input or the settings change. */
export const EXIT = { ok: 0, failed: 1, refused: 2 } as const;

/** An expected error, whose message is printed without a stack trace. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.refused, cause?: unknown) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** Aborted by a process signal. The reason is the exit code: 128 plus the signal number. */
export function interruption(): AbortSignal {
  const stop = new AbortController();
  // npm forwards Ctrl-C, so the signal may arrive twice.
  process.on('SIGINT', () => stop.abort(130));
  process.on('SIGTERM', () => stop.abort(143));
  process.on('SIGHUP', () => stop.abort(129));
  return stop.signal;
}
