import type { Quota } from './quotas.ts';

/** Statements for waiting calls that run at the same time, so that others have connections too. */
export const MAX_AT_ONCE = 6;

/**
 * Runs the statements of users. No two statements at a time have a user in common, and all users that ask in one turn
 * of the event loop share statements.
 * @param serve executes what the users need
 * @param atOnce users per statement
 */
export function createUserQueue(serve: (users: readonly Quota[]) => Promise<void>, atOnce: number) {
  const queue = new Set<Quota>();
  let running = 0;
  let isScheduled = false;

  /** Marks users as busy while a statement runs that contains them. */
  async function holding<Result>(users: readonly Quota[], work: () => Promise<Result>): Promise<Result> {
    for (const quota of users) quota.isBusy = true;
    try {
      return await work();
    } finally {
      for (const quota of users) quota.isBusy = false;
      schedule();
    }
  }

  /** Returns the promise of the user's next statement. */
  function ask(quota: Quota): Promise<void> {
    if (!quota.asked) {
      quota.asked = Promise.withResolvers<void>();
      quota.asked.promise.catch(() => undefined);
      queue.add(quota);
      schedule();
    }
    return quota.asked.promise;
  }

  function schedule(): void {
    if (isScheduled || queue.size === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      while (running < MAX_AT_ONCE) {
        const free = queue.values().filter(({ isBusy }) => !isBusy);
        const users = [...free.take(atOnce)];
        if (users.length === 0) return;
        for (const quota of users) queue.delete(quota);
        running += 1;
        void serveHeld(users).finally(() => {
          running -= 1;
          schedule();
        });
      }
    });
  }

  async function serveHeld(users: readonly Quota[]): Promise<void> {
    const error = await holding(users, () => serve(users)).catch((error: unknown) => error);
    for (const quota of users) {
      const { asked } = quota;
      quota.asked = undefined;
      if (error !== undefined) asked?.reject(error);
      else asked?.resolve();
      // A change to the user arrived in the meantime. After a failure, the next tick asks again.
      if (error === undefined && quota.isRecalled) void ask(quota);
    }
  }

  return { ask, holding };
}
