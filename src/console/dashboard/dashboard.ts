import type { Token } from '../../client/index.ts';
import type { Allowance } from '../account/allowance.ts';
import type { Session } from '../account/session.ts';
import type { TokenName } from '../api/api-call.ts';
import { createMarketData } from '../api/market-data.ts';
import type { Currency } from '../currency.ts';
import { byId } from '../dom.ts';
import { inCalls } from '../format.ts';
import { openHistory } from '../history/history.ts';
import { openPriceDetails } from '../prices/price-details.ts';
import { openPrices } from '../prices/prices.ts';
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
import { openStatistics, statisticsSymbolOf } from './statistics.ts';

type Options = {
  session: Session;
  theme: Theme;
  currency: Currency;
  allowance: Allowance;
  onRenew: () => void;
  onOtherKey: () => void;
};

/** The view with all panels; selecting a token in one updates the others. */
export function openDashboard({ session, theme, currency, allowance, onRenew, onOtherKey }: Options) {
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

  const prices = openPrices({ marketData, currency, onSelect: selectByName, onLoad: showCost, onError });
  const details = openPriceDetails();
  const snippets = openCallSnippets(session, prices.batchOf);
  const statistics = openStatistics({ marketData, onError });
  const history = openHistory({
    ...{ marketData, theme, currency, onError },
    onView: (view) => snippets.show(view, selected && statisticsSymbolOf(selected)),
  });

  const loadPanels = (token: Token, refresh = false): Promise<unknown> =>
    Promise.all([
      history.load({ refresh }),
      statistics.show(token, { refresh }),
      details.show(token, prices.of(token.tokenName)),
    ]);

  /** Says what it costs to load again what is shown. */
  function showCost(): void {
    const others = selected && statisticsSymbolOf(selected) ? ['the chart', 'the statistics'] : ['the chart'];
    const parts = [
      `${prices.cost} for the prices (one for each ten tokens)`,
      ...others.map((one) => `1 for ${one}`),
    ];
    const words = [`Refresh takes ${inCalls(prices.cost + others.length)}: ${parts.join(', ')}.`];
    words.push('Data that has not changed is free.');
    if (prices.lacksChanges)
      words.push('A change is not known where the service has no price of 24 hours before.');
    if (currency.code !== 'usd') words.push('Percentages are those of the price in US dollars.');
    byId('cost').textContent = words.join(' ');
  }

  function select(token: Token): void {
    selected = token;
    prices.select(token.tokenName);
    history.select(token);
    showCost();
  }

  function selectByName(name: TokenName): void {
    const token = tokens.find(({ tokenName }) => tokenName === name);
    if (!token || token === selected) return;
    select(token);
    void loadPanels(token);
  }

  /** Reads which tokens there are, which is free; what was selected stays so while it is served. */
  async function loadTokens(): Promise<Token | undefined> {
    tokens = await session.anonymous.tokens();
    prices.setTokens(tokens);
    const token = tokens.find(({ tokenName }) => tokenName === selected?.tokenName) ?? tokens[0];
    if (token) select(token);
    return token;
  }

  /** Loads everything that is shown; what costs a call, once `ready` has resolved. */
  async function loadAll({ refresh = false, ready = Promise.resolve() } = {}): Promise<void> {
    let token: Token | undefined;
    try {
      token = await loadTokens();
    } catch (error) {
      if (tokens.length === 0) prices.setTokens([]);
      return onError(error, byId('prices-problem'), () => void loadAll({ refresh }));
    }
    await ready;
    if (token) await Promise.all([prices.load({ refresh }), loadPanels(token, refresh)]);
  }

  byId('refresh').addEventListener('click', async () => {
    await loadAll({ refresh: true });
    await allowance.refresh();
  });
  currency.onChange(() => {
    if (!selected) return;
    void prices.load();
    void history.load();
    void details.show(selected, prices.of(selected.tokenName));
  });

  async function load(): Promise<void> {
    marketData.clear();
    banner.clear();
    if (!selected) details.showPlaceholders();
    // The usage has to be read before the page makes its first call, so that its own calls can be told apart.
    await loadAll({ ready: allowance.refresh() });
  }

  return {
    load,

    /** Removes the data and the key of the user who signed out. */
    clear(): void {
      marketData.clear();
      banner.clear();
      snippets.clear();
      prices.clear();
      selected = undefined;
    },
  };
}
