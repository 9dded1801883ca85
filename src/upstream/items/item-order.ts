/** If more than this share of the rows is out of order, the response is not in ascending order at all. */
const MAX_MISPLACED = 0.05;
/** The order of fewer rows than this proves nothing. */
const MIN_ROWS = 10;
/** Prices that differ from the prices around them by more than this factor are wrong. */
const MAX_FACTOR = 1_000_000;
const AROUND = 3;

/**
 * The positions of rows that are out of order in an ascending list: not in its longest ascending subsequence. Empty if
 * the list is not in ascending order at all.
 */
export function misplacedRows(times: readonly number[]): ReadonlySet<number> {
  const misplaced = new Set<number>();
  if (times.length < MIN_ROWS || times.every((at, place) => at >= (times[place - 1] ?? at))) return misplaced;
  // The last row of the best ascending part of each length, and the row before each row.
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [place, at] of times.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[ends[middle] as number] as number) <= at) low = middle + 1;
      else high = middle;
    }
    before[place] = ends[low - 1];
    ends[low] = place;
  }
  if (times.length - ends.length > Math.max(1, times.length * MAX_MISPLACED)) return misplaced;
  const inOrder = new Set<number>();
  for (let place = ends.at(-1); place !== undefined; place = before[place]) inOrder.add(place);
  for (const place of times.keys()) if (!inOrder.has(place)) misplaced.add(place);
  return misplaced;
}

const isFar = (a: number, b: number): boolean => a > b * MAX_FACTOR || b > a * MAX_FACTOR;

/** Whether a price differs from the median of the prices around it by more than a real market could move and revert. */
export function isOutlier(price: number, prices: readonly (number | null)[], place: number): boolean {
  // Nearly all prices are close to their neighbours. The median takes longer.
  if (![prices[place - 1], prices[place + 1]].some((other) => other && isFar(price, other))) return false;
  const near = prices.slice(Math.max(0, place - AROUND), place + AROUND + 1).filter((price) => price !== null);
  const median = near.sort((a, b) => a - b)[(near.length - 1) >> 1] as number;
  return near.length > 2 && isFar(price, median);
}
