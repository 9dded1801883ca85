/** The part of the points that the chart shows, by index: the first and the last, in fractions of a point. */
export type Part = { from: number; to: number };

/** Fewer points are never shown, unless there are no more. */
const LEAST = 8;

const lengthOf = ({ from, to }: Part) => to - from + 1;
const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

function within(from: number, length: number, points: number): Part {
  const start = clamp(from, 0, points - length);
  return { from: start, to: start + length - 1 };
}

export const wholeOf = (points: number): Part => ({ from: 0, to: points - 1 });

/** So many times fewer points, those around `center`; its place in the chart stays. */
export function zoomed(part: Part, points: number, factor: number, center = (part.from + part.to) / 2): Part {
  const before = lengthOf(part);
  const length = clamp(before / factor, Math.min(LEAST, points), points);
  // A point is as wide as the part is long, and its index is its middle.
  const share = (center - part.from + 0.5) / before;
  return within(center + 0.5 - share * length, length, points);
}

/** So many points later; earlier if negative. */
export const panned = (part: Part, points: number, by: number): Part =>
  within(part.from + by, lengthOf(part), points);

export const isWhole = (part: Part, points: number): boolean => lengthOf(part) > points - 0.01;
export const isClosest = (part: Part, points: number): boolean =>
  lengthOf(part) < Math.min(LEAST, points) + 0.01;

/** The first and the last index that a part shows wholly. */
export function indicesIn({ from, to }: Part, points: number): [first: number, last: number] {
  const last = Math.max(0, points - 1);
  return [clamp(Math.ceil(from - 0.01), 0, last), clamp(Math.floor(to + 0.01), 0, last)];
}
