import { expect, it } from 'vitest';
import { linePath } from '../../packages/pages/components/sparkline.tsx';

const corners = (values: readonly (number | null)[]) =>
  linePath(values)
    .slice(1)
    .split('L')
    .map((corner) => corner.split(' ').map(Number));

it('spans the whole height and width', () => {
  expect(corners([10, 30, 20])).toEqual([
    [2, 30],
    [50, 2],
    [98, 16],
  ]);
});

it('passes over unknown values, which keep their width', () => {
  expect(corners([null, 10, null, null, 20])).toEqual([
    [26, 30],
    [98, 2],
  ]);
});

it('draws constant values in the middle, and nothing for fewer than two values', () => {
  expect(corners([7, 7]).map(([, y]) => y)).toEqual([16, 16]);
  expect([linePath([null, 7]), linePath([])]).toEqual(['', '']);
});
