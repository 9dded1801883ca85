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
