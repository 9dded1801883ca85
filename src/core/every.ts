type Options = {
  /** Receives what a run throws; without it the error is an unhandled rejection. */
  onError?: (error: unknown) => void;
  /** Whether the process may end while the timer runs. */
  isUnref?: boolean;
};

/** Repeats work every `ms` milliseconds, one run at a time: a run that takes longer is joined by the next. */
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
    /** Runs the work now, or joins the run in progress; resolves when the run is over. */
    run,

    /** Ends the repetition; resolves when the run in progress is over. */
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await underWay;
    },
  };
}
