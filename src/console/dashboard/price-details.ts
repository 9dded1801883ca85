import type { LatestPrice, TokenStatistics } from '../../client/index.ts';
import { make, placeholder } from '../dom.ts';
import { change, count, money, number, onDate, UNKNOWN } from '../format.ts';

/** A label, its value as text, and a note below it. */
type Entry = readonly [label: string, text: string, note?: string];

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

/** The on-chain statistics that the source has. */
export function statisticsEntries(statistics: TokenStatistics): Entry[] {
  // The service gives TH/s, which makes unreadable numbers.
  const exahashes = statistics.hashrate === null ? null : statistics.hashrate / 1e6;
  const all: readonly (readonly [string, number | null, string?])[] = [
    ['Block height', statistics.block_height],
    ['Transactions', statistics.transaction_count, 'last 24 hours'],
    ['All transactions', statistics.transaction_count_all_time],
    ['Large transactions', statistics.large_transaction_count, 'over $100,000, last 24 hours'],
    ['Average transaction', statistics.average_transaction_value, 'coins, last 24 hours'],
    ['Active addresses', statistics.active_addresses, 'last 24 hours'],
    ['New addresses', statistics.new_addresses, 'last 24 hours'],
    ['All addresses', statistics.unique_addresses_all_time],
    ['Zero-balance addresses', statistics.zero_balance_addresses_all_time],
    ['Block time', statistics.block_time, 'seconds'],
    ['Block size', statistics.block_size, 'bytes, average'],
    ['Difficulty', statistics.difficulty],
    ['Hashrate', exahashes, 'EH/s'],
    ['Current supply', statistics.current_supply, 'coins'],
  ];
  return all.flatMap(([label, value, note]): Entry[] =>
    value === null ? [] : [[label, number(value), note]],
  );
}

const makeEntry = (label: Node | string, text: string, note = '') =>
  make(
    'div',
    {},
    make('dt', {}, label),
    make('dd', {}, text, ...(note ? [make('span', { class: 'soft' }, note)] : [])),
  );

export function fillList(list: HTMLElement, entries: readonly Entry[]): void {
  list.replaceChildren(...entries.map((entry) => makeEntry(...entry)));
}

/** Shows placeholders, so that the page does not move when the values arrive. */
export function showPlaceholders(list: HTMLElement, rows: number): void {
  list.replaceChildren(...Array.from({ length: rows }, () => makeEntry(placeholder(), '\u2007')));
}
