import type { Token } from '../../client/index.ts';
import type { Allowance } from '../account/allowance.ts';
import type { Session } from '../account/session.ts';
import { latestCall, type TokenName } from '../api/api-call.ts';
import { createMarketData } from '../api/market-data.ts';
import { byId, make } from '../dom.ts';
import { openHistory } from '../history/history.ts';
import {
  isKeyProblem,
  isTemporary,
  notLoaded,
  type OnError,
  problemNote,
  retryButton,
  toError,
} from '../problem.ts';
import type { Theme } from '../theme.ts';
import { openBanner } from './banner.ts';
import { openCallSnippets } from './call-snippets.ts';
import { openDataAge } from './data-age.ts';
import { fillList, showPlaceholders } from './figure-list.ts';
import { priceEntries } from './price-details.ts';
import { openPrices } from './prices.ts';
import { openStatistics, statisticsSymbolOf } from './statistics.ts';
import { titleOf } from './token-titles.ts';

type Options = {
  session: Session;
  theme: Theme;
  allowance: Allowance;
  onRenew: () => void;
  onOtherKey: () => void;
};

const PRICE_ENTRIES = 5;

/** The view with all panels; selecting a token in one updates the others. */
export function openDashboard({ session, theme, allowance, onRenew, onOtherKey }: Options) {
  const marketData = createMarketData(session);
  const banner = openBanner({ onRenew, onOtherKey, resetsAt: () => allowance.usage?.resetsAt });
  let tokens: readonly Token[] = [];
  let selected: Token | undefined;

  const onError: OnError = (thrown, place, retry) => {
    const error = toError(thrown);
    if (isKeyProblem(error)) {
      place.replaceChildren(notLoaded());
      banner.show(error);
    } else {
      place.replaceChildren(problemNote(error, ...(isTemporary(error) ? [retryButton(retry)] : [])));
    }
  };

  const snippets = openCallSnippets(session);
  const statistics = openStatistics({ marketData, onError });
  const history = openHistory({
    marketData,
    theme,
    onError,
    onView: (view) => snippets.show(view, selected && statisticsSymbolOf(selected)),
  });
  const prices = openPrices({ marketData, onSelect: selectByName, onError });
  const showMarketDataAge = openDataAge(byId('market-data-age'));

  async function showMarketData(token: Token): Promise<void> {
    const list = byId('market-data-list');
    byId('market-data-title').textContent = `${titleOf(token.tokenName)} market data`;
    showPlaceholders(list, PRICE_ENTRIES);
    showMarketDataAge(undefined);
    // The table of prices shows the error.
    const price = await marketData.fetch(latestCall(token.tokenName)).catch(() => undefined);
    if (selected !== token) return;
    if (!price) return list.replaceChildren(make('p', { class: 'soft' }, 'No data.'));
    fillList(list, priceEntries(price.value));
    showMarketDataAge(price);
  }

  const loadPanels = (token: Token, refresh = false): Promise<unknown> =>
    Promise.all([history.load({ refresh }), statistics.show(token, { refresh }), showMarketData(token)]);

  function select(token: Token): void {
    selected = token;
    prices.select(token.tokenName);
    history.select(token);
  }

  function selectByName(name: TokenName): void {
    const token = tokens.find(({ tokenName }) => tokenName === name);
    if (!token || token === selected) return;
    select(token);
    void loadPanels(token);
  }

  byId('refresh').addEventListener('click', async () => {
    await prices.load({ refresh: true });
    if (selected) await Promise.all([loadPanels(selected, true), allowance.refresh()]);
  });

  async function load(): Promise<void> {
    marketData.clear();
    banner.clear();
    if (!selected) showPlaceholders(byId('market-data-list'), PRICE_ENTRIES);
    const usage = allowance.refresh();
    try {
      if (tokens.length === 0) {
        tokens = await session.anonymous.tokens();
        prices.setTokens(tokens);
      }
    } catch (error) {
      return onError(error, byId('prices-problem'), () => void load());
    }
    // The usage has to be read before the page makes its first call, so that its own calls can be told apart.
    await usage;
    const token = selected ?? tokens[0];
    if (!token) return;
    select(token);
    await Promise.all([prices.load(), loadPanels(token)]);
  }

  return {
    load,

    /** Removes the data and the key of the user who signed out. */
    clear(): void {
      marketData.clear();
      banner.clear();
      snippets.clear();
      selected = undefined;
    },
  };
}
