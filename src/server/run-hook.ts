/** Calls `done` synchronously if the work is synchronous: a promise per hook and call is measurable. */
export function runHook(done: (error?: Error) => void, work: () => void | Promise<void>): void {
  try {
    const outcome = work();
    if (outcome instanceof Promise) outcome.then(() => done(), done);
    else done();
  } catch (error) {
    done(error as Error);
  }
}
