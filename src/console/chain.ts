import type { StatisticsSymbol, Token } from '../client/index.ts';
import { tellAge } from './age.ts';
import { byId } from './dom.ts';
import { chainEntries, emptyList, fillList } from './figures.ts';
import { onDateAt } from './format.ts';
import type { Market } from './market.ts';
import type { OnError } from './problem.ts';
import { titleOf } from './titles.ts';

type Parts = { market: Market; onError: OnError };

/** How many lines wait to be filled. */
const USUAL_LINES = 12;

/** The symbol under which a token has statistics, if it has any. */
export function statisticsOf({ symbol, endpoints }: Token): StatisticsSymbol | undefined {
  const has = endpoints.some((path) => path.endsWith('/latest/stats'));
  return has ? (symbol as StatisticsSymbol) : undefined;
}

/** What the chain of the chosen token tells of itself. */
export function openChain({ market, onError }: Parts) {
  const [list, note, problem] = [byId('chain-list'), byId('chain-note'), byId('chain-problem')];
  const tell = tellAge(byId('chain-age'));
  let wanted: Token | undefined;

  async function show(token: Token, { again = false } = {}): Promise<void> {
    const isOther = wanted !== token;
    wanted = token;
    problem.replaceChildren();
    const symbol = statisticsOf(token);
    if (symbol === undefined) {
      list.replaceChildren();
      tell(undefined);
      note.textContent = `${titleOf(token.tokenName)} lives on other tokens' chains: there are no statistics of its own.`;
      return;
    }
    if (isOther) {
      tell(undefined);
      emptyList(list, USUAL_LINES);
      note.textContent = '';
    }
    try {
      const shown = await market.ask({ kind: 'statistics', token: symbol }, { again });
      if (wanted !== token) return;
      fillList(list, chainEntries(shown.value));
      tell(shown);
      note.textContent = `Told by ${shown.source ?? 'its source'}, sampled ${onDateAt(shown.value.time)}.`;
    } catch (error) {
      if (wanted !== token) return;
      list.replaceChildren();
      onError(error, problem, () => void show(token));
    }
  }

  return { show };
}
