/** A hash that is uniform in [0, 1). `index` must be an integer below 2^53. */
export function hashed(seed: number, lane: number, index: number): number {
  let h = Math.imul(seed | 0, 0x9e3779b1) ^ Math.imul(lane + 1, 0x85ebca6b);
  h = Math.imul(h ^ (index | 0), 0xc2b2ae35);
  h ^= Math.floor(index / 0x1_0000_0000) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return ((h ^ (h >>> 16)) >>> 0) / 0x1_0000_0000;
}

/** A smooth curve in [-1, 1] that passes through one hashed value for each integer `x`. */
export function valueNoise(seed: number, lane: number, x: number): number {
  const index = Math.floor(x);
  const along = x - index;
  const left = hashed(seed, lane, index);
  const right = hashed(seed, lane, index + 1);
  return 2 * (left + (right - left) * along * along * (3 - 2 * along)) - 1;
}
