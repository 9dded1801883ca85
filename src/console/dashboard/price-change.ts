import type { PriceSeries } from '../../client/index.ts';

const DAY = 86_400_000;
/** How far from 24 hours ago the compared point may be, in ms. */
const TOLERANCE = 2 * 3_600_000;

/** The change of a price over 24 hours, as a fraction of the earlier price; undefined without a point near that time. */
export function change24h(price: number, hours: PriceSeries['prices'], now: number): number | undefined {
  const distance = ({ date }: { date: Date }) => Math.abs(date.getTime() - (now - DAY));
  const [nearest] = hours.toSorted((a, b) => distance(a) - distance(b));
  if (!nearest || distance(nearest) > TOLERANCE || nearest.price === 0) return undefined;
  return price / nearest.price - 1;
}
