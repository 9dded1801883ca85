import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { every } from '#core/every';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('a run that takes longer than the interval is shared, and the next run starts after it', async () => {
  const ends: (() => void)[] = [];
  const { run } = every(1000, () => new Promise<void>((end) => void ends.push(end)));
  vi.advanceTimersByTime(3000);
  expect(ends).toHaveLength(1);
  const joined = run();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await joined;
  vi.advanceTimersByTime(1000);
  expect(ends).toHaveLength(2);
});

test('an error of a run is passed to the callback, and the repetition continues', async () => {
  const failures: unknown[] = [];
  const work = vi.fn(() => {
    throw new Error('down');
  });
  const { run } = every(1000, work, { onError: (error) => failures.push(error) });
  await run();
  await run();
  expect(work).toHaveBeenCalledTimes(2);
  expect(failures).toEqual([new Error('down'), new Error('down')]);
});

test('close ends the repetition and waits for the run in progress', async () => {
  let finish = () => {};
  let isOver = false;
  const work = vi.fn(() => new Promise<void>((end) => (finish = end)));
  const { run, close } = every(1000, work);
  void run();
  const closed = close().then(() => {
    isOver = true;
  });
  await nextTurn();
  expect(isOver).toBe(false);
  finish();
  await closed;
  vi.advanceTimersByTime(5000);
  await run();
  expect(work).toHaveBeenCalledTimes(1);
});
