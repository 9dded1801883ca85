import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '#core/problems';

/** Runs postponed work in order, a few pieces in each turn of the event loop. */
export function createLoopTurns(maxPerTurn: number) {
  const waiting = new Set<() => void>();
  let isDue = false;

  function turn(): void {
    isDue = false;
    let left = maxPerTurn;
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

export async function inTurns<Item>(
  items: Iterable<Item>,
  maxPerTurn: number,
  act: (item: Item) => void,
): Promise<void> {
  let left = maxPerTurn;
  for (const item of items) {
    act(item);
    left -= 1;
    if (left > 0) continue;
    left = maxPerTurn;
    await nextTurn();
  }
}

/** Limits the concurrent work of each client in this process. Clients without work in progress use no memory. */
export function createConcurrencyLimit<Caller>(usualMax: number, rejection: (max: number) => Problem) {
  const underWay = new Map<Caller, number>();

  return function begin(caller: Caller, max = usualMax): () => void {
    const now = underWay.get(caller) ?? 0;
    if (now >= max) throw rejection(max);
    underWay.set(caller, now + 1);
    return () => {
      const left = (underWay.get(caller) ?? 1) - 1;
      if (left > 0) underWay.set(caller, left);
      else underWay.delete(caller);
    };
  };
}
