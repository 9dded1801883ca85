import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Problem } from '#core/problems';

/** Runs postponed work in order, a few pieces in each turn of the event loop. */
export function createLoopTurns(maxPerTurn: number) {
  // A Set would keep finished work in memory until a full collection: V8 links the tables of a Set that grows.
  const waiting: (() => void)[] = [];
  let isDue = false;

  function turn(): void {
    isDue = false;
    for (let left = maxPerTurn; left > 0; left--) waiting.shift()?.();
    plan();
  }

  function plan(): void {
    if (isDue || waiting.length === 0) return;
    isDue = true;
    setImmediate(turn);
  }

  return {
    wait(go: () => void): void {
      waiting.push(go);
      plan();
    },
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
