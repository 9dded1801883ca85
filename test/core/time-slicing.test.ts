import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLongWork, type Yield } from '#core/time-slicing';

/** Occupies the event loop, except for a number of pauses. */
async function busy(pieces: number, yieldIfDue: Yield, onPiece: () => void): Promise<void> {
  for (let done = 0; done < pieces; ) {
    const resting = yieldIfDue();
    if (resting === undefined) continue;
    done += 1;
    onPiece();
    await resting;
  }
}

test('other work runs between the slices of a long task', async () => {
  const begin = createLongWork();
  let turns = 0;
  let isOver = false;
  const turning = (async () => {
    while (!isOver) {
      await turn();
      turns += 1;
    }
  })();
  const seen: number[] = [];
  await begin((yieldIfDue) => busy(5, yieldIfDue, () => seen.push(turns)));
  isOver = true;
  await turning;
  expect(new Set(seen).size).toBe(5);
});

test('long tasks run one at a time, in order, even after a failure', async () => {
  const begin = createLongWork();
  const order: string[] = [];
  const work = (name: string) => begin((yieldIfDue) => busy(3, yieldIfDue, () => order.push(name)));
  const failing = begin(async () => {
    throw new Error('no');
  });
  const works = ['a', 'b'].map(work);
  await expect(failing).rejects.toThrow('no');
  await Promise.all(works);
  expect(order).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
});
