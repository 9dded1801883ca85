import type { Problem } from '#core/problems';

/** How much of each caller may be under way at once in this process; only those who have something are remembered. */
export function createConcurrencyLimit<Caller>(most: number, refusal: () => Problem) {
  const underWay = new Map<Caller, number>();

  /** Begins something of a caller, and gives the verb that ends it. Throws the refusal. */
  return function begin(caller: Caller): () => void {
    const now = underWay.get(caller) ?? 0;
    if (now >= most) throw refusal();
    underWay.set(caller, now + 1);
    return () => {
      const left = (underWay.get(caller) ?? 1) - 1;
      if (left > 0) underWay.set(caller, left);
      else underWay.delete(caller);
    };
  };
}
