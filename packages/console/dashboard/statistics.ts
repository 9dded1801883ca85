import type { StatisticsSymbol, Token, TokenStatistics } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import { number, UNKNOWN } from '../../pages/format.ts';
import { statisticsCall } from '../api/api-call.ts';
import { type Entry, fillList, openDataAge, openOffer, showPlaceholders } from '../api/figures.ts';
import type { Session } from '../api/session.ts';
import type { Context } from '../context.ts';
import { roundMoney } from '../core/currency.ts';

const PLACEHOLDERS = 12;

export function statisticsSymbolOf({ symbol, endpoints }: Token): StatisticsSymbol | undefined {
  return endpoints.some((path) => path.endsWith('/latest/stats')) ? (symbol as StatisticsSymbol) : undefined;
}

/** Returns a function that finds a source's title. `solana-rpc-2` is the second source of the kind `solana-rpc`. */
function openSourceTitles({ anonymous }: Session) {
  let titles: Promise<Map<string, string>> | undefined;

  async function read(): Promise<Map<string, string>> {
    return new Map((await anonymous.sources()).map(({ name, title }) => [name, title]));
  }
  return async (name: string): Promise<string> => {
    titles ??= read();
    // If the list fails to load, the name replaces the title.
    const titlesByToken = await titles.catch(() => {
      titles = undefined;
      return new Map<string, string>();
    });
    return titlesByToken.get(name) ?? titlesByToken.get(name.replace(/-\d+$/, '')) ?? name;
  };
}

/** Statistics are loaded on request, because each token costs a call. */
export function openStatistics({ session, marketData, onError }: Context, onAccept: () => void) {
  const list = byId('statistics-list');
  const note = byId('statistics-note');
  const problem = byId('statistics-problem');
  const showAge = openDataAge(byId('statistics-age'));
  const titleOf = openSourceTitles(session);
  let current: Token | undefined;
  let shown: Token | undefined;
  let isWanted = false;

  const retry = async (): Promise<void> => {
    if (current) await show(current);
  };
  const offer = openOffer('statistics', () => {
    isWanted = true;
    onAccept();
    void retry();
  });

  async function show(token: Token, { refresh = false } = {}): Promise<void> {
    current = token;
    byId('statistics-title').textContent = `${token.title} on-chain statistics`;
    const symbol = statisticsSymbolOf(token);
    if (symbol !== undefined && !isWanted) return offer.show('The statistics of a token cost one call.');
    offer.hide();
    const isOther = shown !== token;
    shown = token;
    if (symbol === undefined) {
      list.replaceChildren();
      problem.replaceChildren();
      showAge(undefined);
      note.textContent = `On-chain statistics are not available, because ${token.title} does not have its own blockchain.`;
      return;
    }
    if (isOther) {
      showAge(undefined);
      showPlaceholders(list, PLACEHOLDERS);
      note.textContent = '';
    }
    try {
      const result = await marketData.fetch(statisticsCall(symbol), { refresh });
      const source = await titleOf(result.sources[0] ?? 'the source');
      if (shown !== token) return;
      fillList(list, statisticsEntries(result.value, source));
      // The figures can be older than the response.
      showAge({ ...result, fetchedAt: result.value.time });
      const stake = `${token.title} has no hash rate or difficulty, because it uses proof of stake.`;
      note.textContent = `Source: ${source}.${PROOF_OF_STAKE.has(symbol) ? ` ${stake}` : ''}`;
      if (result.failure) onError(result.failure, problem, retry, true);
      else problem.replaceChildren();
    } catch (error) {
      if (shown !== token) return;
      list.replaceChildren();
      showAge(undefined);
      onError(error, problem, retry);
    }
  }

  return {
    show,
    isLoaded: (token: Token) => isWanted && statisticsSymbolOf(token) !== undefined,
  };
}

export const PROOF_OF_STAKE: ReadonlySet<string> = new Set(['eth', 'sol']);

type Figure = readonly [label: string, value: number | null, note?: string];

function miningFigures(statistics: TokenStatistics): Figure[] {
  // The API returns TH/s. The number would be too long to read.
  const exahashes = statistics.hashrate === null ? null : statistics.hashrate / 1e6;
  return [
    ['Difficulty', statistics.difficulty],
    ['Hash rate', exahashes, 'EH/s'],
  ];
}

/** Marks null figures as not provided by `source`. */
export function statisticsEntries(statistics: TokenStatistics, source: string): Entry[] {
  const isMined = !PROOF_OF_STAKE.has(statistics.symbol.toLowerCase());
  const figures: Figure[] = [
    ['Block height', statistics.block_height],
    ['Transactions', statistics.transaction_count, 'last 24 hours'],
    ['All transactions', statistics.transaction_count_all_time],
    ['Large transactions', statistics.large_transaction_count, `over ${roundMoney(100_000, 'usd')}, last 24 hours`],
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
