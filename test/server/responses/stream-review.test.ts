import { expect, it } from 'vitest';
import { createMeasure } from '#server/responses/stream-review';

const NO_QUEUES = new Map<string, number>();
const STALL = 30;

/** Measures a stream every 5 ms. Returns the time at which it is cut, or undefined. */
function cutAt(measurements: readonly { taken: number; outstanding: number }[]): number | undefined {
  let [next, elapsed] = [0, 0];
  let cut: number | undefined;
  const progress = () => measurements[next] as (typeof measurements)[number];
  const measure = createMeasure({ progress, cut: () => (cut ??= elapsed) }, 0, STALL);
  for (; next < measurements.length; next++) {
    elapsed += 5;
    measure(NO_QUEUES, elapsed);
  }
  return cut;
}

const stalled = { taken: 1_000, outstanding: 600 };
const times = (count: number) => Array.from({ length: count }, (_, i) => i);

it('cuts a reader that acknowledges nothing, although more bytes are written', () => {
  const comments = times(10).map((i) => ({ taken: 1_000 + 3 * i, outstanding: 600 + 3 * i }));
  expect(cutAt(comments)).toBe(5 + STALL);
});

it('cuts a stalled reader although bytes are written while the queues are read', () => {
  // In every second measurement, the queue lacks a comment that the socket has taken.
  const comments = times(20).map((i) => ({ taken: 1_000 + 3 * i, outstanding: 600 + 3 * i - (i % 2 === 0 ? 0 : 3) }));
  expect(cutAt(comments)).toBe(10 + STALL);
});

it('keeps a reader that acknowledges a byte in time, or whose queue is empty', () => {
  const slow = times(40).map((i) => ({ taken: 1_000, outstanding: 600 - Math.floor(i / 5) }));
  expect(cutAt(slow)).toBeUndefined();
  expect(cutAt(times(40).map(() => ({ taken: 1_000, outstanding: 0 })))).toBeUndefined();
  expect(cutAt([{ taken: 1_000, outstanding: 0 }, ...times(40).map(() => stalled)])).toBe(5 + STALL);
});
