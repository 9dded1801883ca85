import { DAY, MINUTE } from '#core/clock';
import { type PointSeries, samplesOf } from '#prices/model/points';

/** How far from 24 hours earlier the other sample may be, in ms. */
const TOLERANCE = 30 * MINUTE;

/**
 * How much a price (at an instant, Unix ms) has changed since the sample nearest to 24 hours before it, in per cent,
 * whichever series has it; of two of a series that are as near, the earlier. Null where none that has a price is within half an hour of that.
 */
export function dayChange(
  series: readonly Pick<PointSeries, 'slice'>[],
  price: number,
  at: number,
): number | null {
  const dayBefore = at - DAY;
  let before: number | null = null;
  let nearest = Number.POSITIVE_INFINITY;
  const slices = series.map((one) => one.slice(dayBefore - TOLERANCE, dayBefore + TOLERANCE));
  for (const sample of slices.flatMap((slice) => [...samplesOf(slice)])) {
    const distance = Math.abs(sample.at - dayBefore);
    if (!sample.price || distance >= nearest) continue;
    before = sample.price;
    nearest = distance;
  }
  return before === null ? null : ((price - before) / before) * 100;
}
