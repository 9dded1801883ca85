import type { StatisticsSymbol, Token } from '../../client/index.ts';
import { statisticsCall } from '../api/api-call.ts';
import type { MarketData } from '../api/market-data.ts';
import { byId } from '../dom.ts';
import { onDateAt } from '../format.ts';
import type { OnError } from '../problem.ts';
import { openDataAge } from './data-age.ts';
import { fillList, showPlaceholders, statisticsEntries } from './price-details.ts';
import { titleOf } from './token-titles.ts';

const PLACEHOLDERS = 12;

/** The symbol under which a token has on-chain statistics, if it has any. */
export function statisticsSymbolOf({ symbol, endpoints }: Token): StatisticsSymbol | undefined {
  const hasStatistics = endpoints.some((path) => path.endsWith('/latest/stats'));
  return hasStatistics ? (symbol as StatisticsSymbol) : undefined;
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

  async function show(token: Token, { refresh = false } = {}): Promise<void> {
    const isOther = current !== token;
    current = token;
    problem.replaceChildren();
    const symbol = statisticsSymbolOf(token);
    if (symbol === undefined) {
      list.replaceChildren();
      showAge(undefined);
      note.textContent = `${titleOf(token.tokenName)} has no chain of its own, so there are no on-chain statistics.`;
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
    } catch (error) {
      if (current !== token) return;
      list.replaceChildren();
      onError(error, problem, () => void show(token));
    }
  }

  return { show };
}
