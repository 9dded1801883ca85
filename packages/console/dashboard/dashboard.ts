import type { Token } from '../../client/index.ts';
import { byId } from '../../pages/dom.ts';
import type { Allowance } from '../account/allowance.ts';
import type { TokenName } from '../api/api-call.ts';
import { createMarketData } from '../api/market-data.ts';
import type { Session } from '../api/session.ts';
import type { Currency } from '../core/currency.ts';
import type { Theme } from '../core/facts.ts';
import { hasCandles } from '../history/chart-choice.ts';
import { openHistory } from '../history/chart-panel.ts';
import { openPriceDetails } from '../prices/price-row.ts';
import { openPrices } from '../prices/prices.ts';
import {
  intervalFaults,
  isWritten,
  pageTitle,
  quoted,
  type RequestedView,
  readAddress,
  searchOf,
  showAddress,
} from './address.ts';
import { costInWords, openAutoRefresh } from './auto-refresh.ts';
import { openCallSnippets } from './call-snippets.ts';
import { openLivePrices } from './live-prices.ts';
import type { PanelErrors } from './panel-errors.ts';
import { openStatistics, statisticsSymbolOf } from './statistics.ts';

type Options = {
  session: Session;
  theme: Theme;
  currency: Currency;
  allowance: Allowance;
  errors: PanelErrors;
  isVisible: () => boolean;
  onRefresh: () => Promise<void>;
  onNotice: (text: string) => void;
};

/** Selecting a token in one panel updates the other panels. Each selection has its own URL. */
export function openDashboard(options: Options) {
  const { session, theme, currency, allowance, errors, isVisible, onRefresh, onNotice } = options;
  const { onError } = errors;
  const marketData = createMarketData(session, (path, response) => snippets.noteResponse(path, response));
  let tokens: readonly Token[] = [];
  let selected: Token | undefined;
  /** The view that the URL requests, until it is shown. */
  let requested: RequestedView | undefined;
  let search: string | undefined;

  const prices = openPrices({ marketData, currency, onSelect: selectByName, onLoad: showLoaded, onError });
  const details = openPriceDetails();
  const snippets = openCallSnippets({ session, batchOf: prices.batchOf, usage: allowance.usage });
  const statistics = openStatistics({ session, marketData, onError, onAccept: showCost });
  const history = openHistory({
    marketData,
    theme,
    currency,
    onError,
    onView(view) {
      snippets.show(view, selected && statisticsSymbolOf(selected));
      if (!selected) return;
      showCost();
      showAddress(view, { isNew: search !== undefined && !requested });
      if (!requested && search !== searchOf(view)) onNotice('');
      search = searchOf(view);
      requested = undefined;
      document.title = pageTitle(selected.title, view);
    },
  });
  const live = openLivePrices({
    ...{ session, currency, allowance, isVisible },
    onPrice(price) {
      prices.update(price);
      if (selected?.tokenName === price.tokenName) void showQuote(selected);
    },
  });
  const autoRefresh = openAutoRefresh({ allowance, isBlocked: errors.isBlocked, refresh });

  function showQuote(token: Token): Promise<unknown> {
    const quote = prices.of(token.tokenName);
    return Promise.all([details.show(token, quote), history.compare(token, quote)]);
  }

  const loadPanels = (token: Token, { isRefresh = false, isFree = false } = {}): Promise<unknown> =>
    Promise.all([
      history.load({ refresh: isRefresh, isFree }),
      statistics.show(token, { refresh: isRefresh }),
      showQuote(token),
    ]);

  function showLoaded(): void {
    showCost();
    live.show(prices.shown());
    if (selected) void showQuote(selected);
  }

  function showCost(): void {
    const panels = [
      ...(history.isWanted() ? ['the chart'] : []),
      ...(selected && statistics.isLoaded(selected) ? ['the statistics'] : []),
    ];
    byId('cost').textContent = costInWords(prices.cost(), panels, currency.code);
    autoRefresh.setCost(prices.cost() + panels.length);
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

  function readView(): void {
    requested = readAddress(location.search, Date.now(), currency.isOffered);
    // A link without a currency shows US dollars to every reader.
    const isLink = isWritten() || location.search !== '';
    currency.show(requested.currency ?? (isLink ? 'usd' : currency.preferred()));
    history.restore(requested);
  }

  function requestedToken(view: RequestedView): Token | undefined {
    const { token, metric, faults } = view;
    const wanted = token?.toLowerCase();
    const found = tokens.find(({ tokenName, symbol }) => tokenName === wanted || symbol === wanted);
    const shown = found ?? tokens[0];
    if (!shown) return undefined;
    if (token !== undefined && !found) faults.push(`Unknown token ${quoted(token)}. Showing ${shown.title}.`);
    const isWithoutCandles = metric === 'candles' && !hasCandles(shown);
    if (isWithoutCandles) faults.push(`No candles are available for ${shown.title}. Showing the price.`);
    const ranged = { ...view, metric: isWithoutCandles ? 'prices' : metric } as const;
    faults.push(...intervalFaults(ranged, shown, Date.now()));
    onNotice(faults.join(' '));
    return shown;
  }

  async function loadTokens(): Promise<void> {
    tokens = await session.anonymous.tokens();
    prices.setTokens(tokens);
  }

  async function loadAll({ isRefresh = false, ready = Promise.resolve() } = {}): Promise<void> {
    const user = session.user?.key;
    const isOver = () => session.user?.key !== user;
    byId('prices').setAttribute('aria-busy', 'true');
    try {
      await loadTokens();
    } catch (error) {
      if (isOver()) return;
      if (tokens.length === 0) {
        prices.setTokens([]);
        return onError(error, byId('prices-problem'), () => loadAll({ isRefresh }));
      }
    }
    await ready;
    if (isOver()) return;
    const token = requested
      ? requestedToken(requested)
      : (tokens.find(({ tokenName }) => tokenName === selected?.tokenName) ?? tokens[0]);
    if (!token) return;
    // Signing in is charged only for the prices, unless the URL names a chart.
    const isFree = !history.isWanted() && !requested?.namesChart;
    select(token);
    await Promise.all([prices.load({ refresh: isRefresh }), loadPanels(token, { isRefresh, isFree })]);
  }

  async function refresh(): Promise<void> {
    errors.clear();
    await Promise.all([loadAll({ isRefresh: true }), onRefresh()]);
    await allowance.refresh();
  }
  byId('refresh').addEventListener('click', refresh);

  currency.onChange(() => {
    if (!selected) return;
    void prices.load();
    void history.load({ isFree: !history.isWanted() });
  });

  addEventListener('popstate', () => {
    // A link to another part of the page does not change the query.
    if (!isVisible() || !selected || location.search === search) return;
    const code = currency.code;
    readView();
    const token = requested && requestedToken(requested);
    if (!requested || !token) return;
    const isFree = !requested.namesChart;
    select(token);
    if (currency.code !== code) void prices.load();
    void loadPanels(token, { isFree });
  });

  return {
    async load(): Promise<void> {
      errors.clear();
      if (!selected) details.showPlaceholders();
      readView();
      // Reads the usage before the first charged call, so that the page can count its own calls.
      await loadAll({ ready: allowance.refresh() });
    },

    clear(): void {
      marketData.clear();
      errors.clear();
      autoRefresh.stop();
      live.clear();
      snippets.clear();
      prices.clear();
      history.clear();
      statistics.clear();
      selected = undefined;
      search = undefined;
    },
  };
}
