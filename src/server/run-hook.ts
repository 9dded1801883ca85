/**
 * Does a hook's work and tells Fastify when it is done: at once where the work is, since a promise for each hook of
 * each call is felt. What the work throws or rejects with ends the request.
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
