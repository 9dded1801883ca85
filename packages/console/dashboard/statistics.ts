import type { StatisticsSymbol, Token, TokenStatistics } from '../../client/index.ts';
import { statisticsCall } from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';
import { byId } from '../dom.ts';
import { number, onDateAt } from '../format.ts';
import type { OnError } from '../problem.ts';
import { openDataAge } from './data-age.ts';
import { type Entry, fillList, showPlaceholders } from './figure-list.ts';

const PLACEHOLDERS = 12;

/** The symbol under which a token has on-chain statistics, if it has any. */
export function statisticsSymbolOf({ symbol, endpoints }: Token): StatisticsSymbol | undefined {
  const hasStatistics = endpoints.some((path) => path.endsWith('/latest/stats'));
  return hasStatistics ? (symbol as StatisticsSymbol) : undefined;
}

/** The on-chain statistics that the source has. */
function statisticsEntries(statistics: TokenStatistics): Entry[] {
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

/** The panel of on-chain statistics. */
export function openStatistics({ marketData, onError }: { marketData: MarketData; onError: OnError }) {
  const [list, note, problem] = [
    byId('statistics-list'),
    byId('statistics-note'),
    byId('statistics-problem'),
  ];
  const showAge = openDataAge(byId('statistics-age'));
  let current: Token | undefined;

  const retry = async (): Promise<void> => {
    if (current) await show(current);
  };

  async function show(token: Token, { refresh = false } = {}): Promise<void> {
    const isOther = current !== token;
    current = token;
    const symbol = statisticsSymbolOf(token);
    if (symbol === undefined) {
      list.replaceChildren();
      problem.replaceChildren();
      showAge(undefined);
      note.textContent = `${token.title} has no chain of its own, so there are no on-chain statistics.`;
      return;
    }
    if (isOther) {
      showAge(undefined);
      showPlaceholders(list, PLACEHOLDERS);
      note.textContent = '';
    }
    try {
      const result = await marketData.fetch(statisticsCall(symbol), { refresh });
      if (current !== token) return;
      fillList(list, statisticsEntries(result.value));
      showAge(result);
      note.textContent = `Source: ${result.sources.join(', ') || 'unknown'}, as of ${onDateAt(result.value.time)}.`;
      if (result.failure) onError(result.failure, problem, retry, true);
      else problem.replaceChildren();
    } catch (error) {
      if (current !== token) return;
      list.replaceChildren();
      showAge(undefined);
      onError(error, problem, retry);
    }
  }

  return { show };
}
