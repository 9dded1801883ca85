/** Runs one task at a time, in order of arrival. A failure rejects only its own caller. */
export function createMutex() {
  let last: Promise<unknown> = Promise.resolve();
  return function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
