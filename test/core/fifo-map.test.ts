import { expect, it } from 'vitest';
import { createFirstInFirstOut } from '#core/fifo-map';

it('evicts the oldest entry, however often it is read, and reports it', () => {
  const forgotten: number[] = [];
  const entries = createFirstInFirstOut<number>(2, (value) => forgotten.push(value));
  entries.set('a', 1);
  entries.set('b', 2);
  expect([entries.get('a'), entries.has('b')]).toEqual([1, true]);
  entries.set('c', 3);
  expect([entries.get('a'), entries.get('b'), entries.get('c')]).toEqual([undefined, 2, 3]);
  expect(forgotten).toEqual([1]);
});

it('a value in the place of another keeps its turn and takes no room', () => {
  const forgotten: number[] = [];
  const entries = createFirstInFirstOut<number>(2, (value) => forgotten.push(value));
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
  ] as const)
    entries.set(key, value);
  expect(forgotten).toEqual([]);
  entries.set('c', 4);
  expect([forgotten, entries.has('a')]).toEqual([[3], false]);
});
