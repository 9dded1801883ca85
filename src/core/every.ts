type Options = {
  /** Receives errors from `work`. Without a handler, an error is an unhandled rejection. */
  onError?: (error: unknown) => void;
  isUnref?: boolean;
};

/** Repeats work every `ms` milliseconds. Runs never overlap: a tick during a run joins that run. */
export function every(ms: number, work: () => unknown, { onError, isUnref = false }: Options = {}) {
  let underWay: Promise<void> | undefined;
  let isClosed = false;

  async function attempt(): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!onError) throw error;
      onError(error);
    }
  }

  async function run(): Promise<void> {
    if (!isClosed)
      underWay ??= attempt().finally(() => {
        underWay = undefined;
      });
    await underWay;
  }

  const timer = setInterval(run, ms);
  if (isUnref) timer.unref();

  return {
    run,

    /** Stops the timer. Resolves when the current run has ended. */
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await underWay;
    },
  };
}
