import type { PriceSeries } from '../client/index.ts';

const DAY = 86_400_000;
/** A point counts as yesterday's at the same time when it is no further off than this, in ms. */
const OFF = 2 * 3_600_000;

/**
 * The change of a price against the one a day before, as a share of that: from the hour nearest to it. Undefined
 * where no hour is near.
 */
export function changeSinceYesterday(
  price: number,
  hours: PriceSeries['prices'],
  now: number,
): number | undefined {
  const then = now - DAY;
  const distance = ({ date }: { date: Date }) => Math.abs(date.getTime() - then);
  const [nearest] = [...hours].sort((a, b) => distance(a) - distance(b));
  if (!nearest || distance(nearest) > OFF || nearest.price === 0) return undefined;
  return price / nearest.price - 1;
}
