import type { TokenStatistics } from '../../client/index.ts';
import { number, UNKNOWN } from '../core/format.ts';
import type { Entry } from '../panels/figure-list.ts';

export const PROOF_OF_STAKE: ReadonlySet<string> = new Set(['eth', 'sol']);

type Figure = readonly [label: string, value: number | null, note?: string];

function miningFigures(statistics: TokenStatistics): Figure[] {
  // The API returns TH/s, which are unreadable numbers.
  const exahashes = statistics.hashrate === null ? null : statistics.hashrate / 1e6;
  return [
    ['Difficulty', statistics.difficulty],
    ['Hash rate', exahashes, 'EH/s'],
  ];
}

/** Every figure that a chain has. One that is null is marked as not provided by `source`. */
export function statisticsEntries(statistics: TokenStatistics, source: string): Entry[] {
  const isMined = !PROOF_OF_STAKE.has(statistics.symbol.toLowerCase());
  const figures: Figure[] = [
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
    ...(isMined ? miningFigures(statistics) : []),
    ['Current supply', statistics.current_supply, 'coins'],
  ];
  return figures.map(([label, value, note]) =>
    value === null ? [label, UNKNOWN, `not provided by ${source}`] : [label, number(value), note],
  );
}
