import { Problem } from '#problems';

/** Seconds after which one of the calls under way may be over. */
const RETRY_AFTER = 1;

/** How many calls of a user may be under way at once in this process; only those who have one are remembered. */
export function createConcurrencyLimit(most: number) {
  const underWay = new Map<number, number>();

  return {
    /** Lets a call of a user begin, and gives the verb that ends it. Throws `overloaded`. */
    begin(user: number): () => void {
      const now = underWay.get(user) ?? 0;
      if (now >= most) {
        const detail = `${most} calls of yours are under way, as many as there may be at once: wait for one of them.`;
        throw new Problem('overloaded', detail, { retryAfter: RETRY_AFTER });
      }
      underWay.set(user, now + 1);
      return () => {
        const left = (underWay.get(user) ?? 1) - 1;
        if (left > 0) underWay.set(user, left);
        else underWay.delete(user);
      };
    },
  };
}
