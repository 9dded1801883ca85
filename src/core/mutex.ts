/** Work of one kind, of which each begins when the one before it is over; its failures are its own. */
export function createOneAtATime() {
  let last: Promise<unknown> = Promise.resolve();
  return function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}
