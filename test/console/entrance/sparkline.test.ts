import { expect, it } from 'vitest';
import { SIZE, sparkline } from '#console/entrance/sparkline';

const points = (...prices: number[]) => prices.map((price, i) => ({ date: new Date(Date.UTC(2026, 0, 1 + i)), price }));
const corners = (path: string) =>
  path
    .slice(1)
    .split('L')
    .map((corner) => corner.split(' ').map(Number) as [number, number]);

it('spans the whole height and width', () => {
  const { width, height, edge } = SIZE;
  expect(corners(sparkline(points(10, 30, 20)))).toEqual([
    [edge, height - edge],
    [width / 2, edge],
    [width - edge, height / 2],
  ]);
});

it('draws constant prices in the middle, and accepts one point or none', () => {
  expect(corners(sparkline(points(7, 7))).map(([, y]) => y)).toEqual([SIZE.height / 2, SIZE.height / 2]);
  expect(sparkline(points(7))).not.toContain('NaN');
  expect(sparkline([])).toBe('');
});
