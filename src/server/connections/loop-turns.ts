import type { Problem } from '#core/problems';

/** Goes on with what was put off, a few in each turn of the loop, in the order of their coming. */
export function createLoopTurns(most: number) {
  const waiting = new Set<() => void>();
  let isDue = false;

  function turn(): void {
    isDue = false;
    let left = most;
    for (const go of waiting) {
      waiting.delete(go);
      go();
      if (--left === 0) break;
    }
    plan();
  }

  function plan(): void {
    if (isDue || waiting.size === 0) return;
    isDue = true;
    setImmediate(turn);
  }

  return {
    wait(go: () => void): void {
      waiting.add(go);
      plan();
    },
    leave: (go: () => void) => waiting.delete(go),
  };
}

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
