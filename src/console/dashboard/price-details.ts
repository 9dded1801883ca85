import type { LatestPrice } from '../../client/index.ts';
import { change, count, money, onDate, UNKNOWN } from '../format.ts';
import type { Entry } from './figure-list.ts';

const orUnknown = <T>(value: T | null, format: (value: T) => string) =>
  value === null ? UNKNOWN : format(value);
const sinceExtreme = (percentage: number | null, on: Date | null) =>
  [percentage === null ? '' : `${change(percentage / 100)} since`, on === null ? '' : onDate(on)]
    .filter(Boolean)
    .join(' ');

/** What the latest price has beyond price, market cap and volume. */
export function priceEntries(price: LatestPrice): Entry[] {
  return [
    ['All-time high', orUnknown(price.ath, money), sinceExtreme(price.ath_change_percentage, price.ath_date)],
    ['All-time low', orUnknown(price.atl, money), sinceExtreme(price.atl_change_percentage, price.atl_date)],
    ['Circulating supply', orUnknown(price.circulating_supply, count)],
    ['Total supply', orUnknown(price.total_supply, count)],
    ['Max supply', price.max_supply === null ? 'no limit' : count(price.max_supply)],
  ];
}
