import type { LatestPrice, TokenStatistics } from '../client/index.ts';
import { make } from './dom.ts';
import { change, count, figure, money, NOTHING, onDate } from './format.ts';

type Entry = readonly [term: string, text: string, note?: string];

const orNothing = <T>(value: T | null, write: (value: T) => string) =>
  value === null ? NOTHING : write(value);
const extreme = (share: number | null, on: Date | null) =>
  [share === null ? '' : `${change(share / 100)} since`, on === null ? '' : onDate(on)]
    .filter(Boolean)
    .join(' ');

/** What the latest price says beyond price, market cap and volume. */
export function priceEntries(price: LatestPrice): Entry[] {
  return [
    ['Highest ever', orNothing(price.ath, money), extreme(price.ath_change_percentage, price.ath_date)],
    ['Lowest ever', orNothing(price.atl, money), extreme(price.atl_change_percentage, price.atl_date)],
    ['In circulation', orNothing(price.circulating_supply, count)],
    ['Supply', orNothing(price.total_supply, count)],
    ['Most there can be', price.max_supply === null ? 'no bound' : count(price.max_supply)],
  ];
}

/** What a chain tells of itself; what its source does not tell is left out. */
export function chainEntries(of: TokenStatistics): Entry[] {
  const all: readonly (readonly [string, number | null, string?])[] = [
    ['Block height', of.block_height],
    ['Transactions, last day', of.transaction_count],
    ['Transactions, ever', of.transaction_count_all_time],
    ['Large transactions', of.large_transaction_count, 'worth over $100,000, last day'],
    ['Mean transaction', of.average_transaction_value, 'coins, last day'],
    ['Active addresses', of.active_addresses, 'last day'],
    ['New addresses', of.new_addresses, 'last day'],
    ['Addresses, ever', of.unique_addresses_all_time],
    ['Emptied addresses', of.zero_balance_addresses_all_time],
    ['Block time', of.block_time, 'seconds'],
    ['Block size', of.block_size, 'bytes, mean'],
    ['Difficulty', of.difficulty],
    ['Hash rate', of.hashrate, 'TH/s'],
    ['Supply', of.current_supply, 'coins'],
  ];
  return all.flatMap(([term, value, note]): Entry[] =>
    value === null ? [] : [[term, figure(value), note ?? '']],
  );
}

/** The entries of a list: a term, its figure, and what is to be said of it. */
export function fillList(list: HTMLElement, entries: readonly Entry[]): void {
  list.replaceChildren(
    ...entries.map(([term, text, note]) =>
      make(
        'div',
        {},
        make('dt', {}, term),
        make('dd', {}, text, ...(note ? [make('span', { class: 'soft' }, note)] : [])),
      ),
    ),
  );
}

/** The same list while nothing is known yet: as high as it will be. */
export function emptyList(list: HTMLElement, lines: number): void {
  const line = () =>
    make('div', {}, make('dt', {}, make('span', { class: 'waiting' }, '\u2007')), make('dd', {}, '\u2007'));
  list.replaceChildren(...Array.from({ length: lines }, line));
}
