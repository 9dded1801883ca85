/**
 * Runs a hook's work. Synchronous if the work is: a promise per hook and call is measurable. Errors end the request.
 */
export function runHook(done: (error?: Error) => void, work: () => void | Promise<void>): void {
  try {
    const outcome = work();
    if (outcome instanceof Promise) outcome.then(() => done(), done);
    else done();
  } catch (error) {
    done(error as Error);
  }
}
