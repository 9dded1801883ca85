import type { Token } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { byId } from '../../pages/dom.ts';
import type { TokenName } from '../api/api-call.ts';
import { createMarketData } from '../api/market-data.ts';
import type { Context } from '../context.ts';
import { openHistory } from '../history/panel.tsx';
import { openPriceDetails } from '../prices/price-row.ts';
import { openPrices } from '../prices/prices.ts';
import {
  isWritten,
  pageTitle,
  type RequestedTokens,
  type RequestedView,
  readAddress,
  resolveTokens,
  searchOf,
  showAddress,
} from './address.ts';
import { costInWords, openAutoRefresh } from './auto-refresh.ts';
import { openCallSnippets } from './call-snippets.ts';
import { openLivePrices } from './live-prices.ts';
import { openStatistics, statisticsSymbolOf } from './statistics.ts';

type Options = Omit<Context, 'marketData' | 'onError'> & {
  onRefresh: () => Promise<void>;
  onNotice: (text: string) => void;
  /** Receives the title of the document. */
  onTitle: (title: string) => void;
};

/** Selecting a token in one panel updates the other panels. Each selection has its own URL. */
export function openDashboard(options: Options) {
  const { session, currency, allowance, failures, isVisible, onRefresh, onNotice, onTitle } = options;
  const { onError } = failures;
  const marketData = createMarketData(session, (path, response) => snippets.noteResponse(path, response));
  const context: Context = { ...options, marketData, onError };
  let tokens: readonly Token[] = [];
  let selected: Token | undefined;
  /** The view that the URL requests, until it is shown. */
  let requested: RequestedView | undefined;
  let search: string | undefined;

  const prices = openPrices(context, { onSelect: selectByName, onLoad: showLoaded });
  const details = openPriceDetails();
  const snippets = openCallSnippets(context, prices.batchOf);
  const statistics = openStatistics(context, showCost);
  const history = openHistory(context, (view) => {
    snippets.show(view, selected && statisticsSymbolOf(selected));
    if (!selected) return;
    showCost();
    showAddress(view, { isNew: search !== undefined && !requested });
    if (!requested && search !== searchOf(view)) onNotice('');
    search = searchOf(view);
    requested = undefined;
    onTitle(pageTitle(history.titles(), view));
  });
  const live = openLivePrices(context, (price) => {
    prices.update(price);
    if (selected?.tokenName === price.tokenName) void showQuote(selected);
  });
  const autoRefresh = openAutoRefresh({ allowance, isBlocked: failures.isBlocked, refresh });

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
    const chart = history.cost();
    const statisticsCalls = selected && statistics.isLoaded(selected) ? 1 : 0;
    const panels = [['the chart', chart] as const, ['the statistics', statisticsCalls] as const];
    byId('cost').textContent = costInWords(prices.cost(), panels, currency.code);
    autoRefresh.setCost(prices.cost() + chart + statisticsCalls);
  }

  function select({ token, compared }: RequestedTokens): void {
    selected = token;
    prices.select(token.tokenName);
    history.select(token, compared);
    showCost();
  }

  function selectByName(name: TokenName): void {
    const token = tokens.find(({ tokenName }) => tokenName === name);
    if (!token || token === selected) return;
    select({ token, compared: [] });
    void loadPanels(token);
  }

  function readView(): void {
    requested = readAddress(location.search, serviceNow(), currency.isOffered);
    // A link without a currency shows US dollars to every reader.
    const isLink = isWritten() || location.search !== '';
    currency.show(requested.currency ?? (isLink ? 'usd' : currency.preferred()));
    history.restore(requested);
  }

  /** Shows what the URL requests but the page cannot show. */
  function requestedTokens(view: RequestedView): RequestedTokens | undefined {
    const found = resolveTokens(view, tokens, serviceNow());
    if (found) onNotice(view.faults.join(' '));
    return found;
  }

  /** The tokens that the page shows. They may have been removed from the catalogue. */
  function shownTokens(): RequestedTokens | undefined {
    const served = (name: TokenName | undefined) => tokens.find(({ tokenName }) => tokenName === name);
    const token = served(selected?.tokenName) ?? tokens[0];
    return token && { token, compared: history.compared().flatMap((name) => served(name) ?? []) };
  }

  async function loadTokens(): Promise<void> {
    tokens = await session.anonymous.tokens();
    prices.setTokens(tokens);
    history.setTokens(tokens);
  }

  async function loadAll({ isRefresh = false, ready = Promise.resolve() } = {}): Promise<void> {
    byId('prices').setAttribute('aria-busy', 'true');
    try {
      await loadTokens();
    } catch (error) {
      if (tokens.length === 0) {
        prices.setTokens([]);
        return onError(error, byId('prices-problem'), () => loadAll({ isRefresh }));
      }
    }
    await ready;
    const chosen = requested ? requestedTokens(requested) : shownTokens();
    if (!chosen) return;
    // Signing in is charged only for the prices, unless the URL names a chart.
    const isFree = !history.isWanted() && !requested?.namesChart;
    select(chosen);
    await Promise.all([prices.load({ refresh: isRefresh }), loadPanels(chosen.token, { isRefresh, isFree })]);
  }

  async function refresh(): Promise<void> {
    failures.clear();
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
    const chosen = requested && requestedTokens(requested);
    if (!requested || !chosen) return;
    const isFree = !requested.namesChart;
    select(chosen);
    if (currency.code !== code) void prices.load();
    void loadPanels(chosen.token, { isFree });
  });

  return {
    async load(): Promise<void> {
      failures.clear();
      if (!selected) details.showPlaceholders();
      readView();
      // Reads the usage before the first charged call, so that the page can count its own calls.
      await loadAll({ ready: allowance.refresh() });
    },
  };
}
