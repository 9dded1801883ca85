import { computed, signal } from '@preact/signals';
import type { Token } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import type { TokenName } from '../api/api-call.ts';
import { createMarketData } from '../api/market-data.ts';
import type { Context } from '../context.ts';
import type { HistoryView } from '../history/chart-choice.ts';
import { createHistoryStore } from '../history/store.ts';
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
import { openAutoRefresh, openReserve } from './auto-refresh.ts';
import { pageCosts } from './costs.ts';
import { openPriceList } from './list.ts';
import { openLive } from './live.ts';
import { openStatistics } from './statistics.ts';

type Options = Omit<Context, 'marketData'> & {
  onRefresh: () => Promise<unknown>;
  /** What the page cannot show, in words, or an empty text. */
  onNotice: (text: string) => void;
  onTitle: (title: string) => void;
};

/** The panels of the page. `onView` receives each view of the chart. */
function openPanels(options: Options, onView: (view: HistoryView) => void) {
  const { session, currency, allowance, failures } = options;
  const responses = signal<ReadonlyMap<string, object>>(new Map());
  const marketData = createMarketData(session, (path, response) => {
    responses.value = new Map(responses.value).set(path, response);
  });
  const context: Context = { ...options, marketData };
  const failure = failures.open();
  const onLoad = () => live.show([...list.quotes.requested.value]);
  const list = openPriceList({ marketData, currency, failure, onLoad });
  const statistics = openStatistics({ session, marketData, failure: failures.open() });
  const history = createHistoryStore(context, (name) => list.quotes.of(name)?.price.change_24h, onView);
  const reserve = openReserve(allowance);
  const live = openLive({ ...context, reserve, onPrice: list.quotes.update });
  const costs = computed(() =>
    pageCosts({
      panels: [
        ['the prices (one for every ten tokens)', list.cost.value],
        ['the chart', history.cost()],
        ['the statistics', statistics.cost.value],
      ],
      tokens: list.quotes.requested.value.size,
      isLive: live.isOn.value,
      usage: allowance.usage(),
    }),
  );
  return {
    session,
    currency,
    allowance,
    failure,
    responses,
    list,
    statistics,
    history,
    reserve,
    live,
    costs,
    token: signal<Token | undefined>(undefined),
    view: signal<HistoryView | undefined>(undefined),
    /** The chart that the user has opened, and whether it takes the focus. */
    opened: signal<{ takesFocus: boolean } | undefined>(undefined),
  };
}

type Page = Options &
  ReturnType<typeof openPanels> & {
    /** The view that the URL requests, until it is shown. */
    requested?: RequestedView | undefined;
    /** The query of the shown view. */
    search?: string;
    /** Whether the calls of the last refresh were rejected because of the key. */
    wasRejected: boolean;
  };

function showView(page: Page, view: HistoryView): void {
  const { token, history, onNotice, onTitle } = page;
  page.view.value = view;
  if (!token.value) return;
  showAddress(view, { isNew: page.search !== undefined && !page.requested });
  if (!page.requested && page.search !== searchOf(view)) onNotice('');
  page.search = searchOf(view);
  page.requested = undefined;
  onTitle(pageTitle(history.titles.value, view));
}

const loadPanels = ({ history, statistics, list }: Page, of: Token, { isRefresh = false, isFree = false } = {}) =>
  Promise.all([
    history.load({ refresh: isRefresh, isFree }),
    statistics.show(of, { refresh: isRefresh }),
    list.ensure(of.tokenName),
  ]);

function show(page: Page, { token, compared }: RequestedTokens): void {
  page.token.value = token;
  page.list.selected.value = token.tokenName;
  page.history.select(token, compared);
}

const served = ({ list }: Page, name: TokenName | undefined) =>
  list.tokens.value?.find(({ tokenName }) => tokenName === name);

function select(page: Page, name: TokenName): void {
  const next = served(page, name);
  if (!next) return;
  page.opened.value = { takesFocus: false };
  if (next === page.token.value) return;
  show(page, { token: next, compared: [] });
  void loadPanels(page, next);
}

function readView(page: Page): RequestedView {
  const { currency, history } = page;
  const requested = readAddress(location.search, serviceNow(), currency.isOffered);
  page.requested = requested;
  // A link without a currency shows US dollars to every reader.
  const isLink = isWritten() || location.search !== '';
  currency.show(requested.currency ?? (isLink ? 'usd' : currency.preferred()));
  history.restore(requested);
  return requested;
}

/** Shows what the URL requests but the page cannot show. */
function requestedTokens({ list, onNotice }: Page, wanted: RequestedView): RequestedTokens | undefined {
  const found = resolveTokens(wanted, list.tokens.value ?? [], serviceNow());
  if (found) onNotice(wanted.faults.join(' '));
  return found;
}

/** The tokens that the page shows. They may have been removed from the catalogue. */
function shownTokens(page: Page): RequestedTokens | undefined {
  const { token, list, history } = page;
  const next = served(page, token.value?.tokenName) ?? list.tokens.value?.[0];
  return next && { token: next, compared: history.view.value.compare.flatMap((name) => served(page, name) ?? []) };
}

async function loadAll(page: Page, { isRefresh = false, ready = Promise.resolve() } = {}): Promise<void> {
  const { session, list, history, failure } = page;
  list.isReading.value = true;
  try {
    const tokens = await session.anonymous.tokens();
    list.setTokens(tokens);
    history.setTokens(tokens);
  } catch (error) {
    if (!list.tokens.value?.length) {
      list.setTokens([]);
      list.isReading.value = false;
      return failure.report(error, () => loadAll(page, { isRefresh }));
    }
  }
  await ready;
  const { requested } = page;
  const chosen = requested ? requestedTokens(page, requested) : shownTokens(page);
  // Signing in is charged only for the prices, unless the URL names a chart.
  const isFree = !history.isWanted.value && !requested?.namesChart;
  if (chosen) show(page, chosen);
  const loads = chosen && [list.load({ refresh: isRefresh }), loadPanels(page, chosen.token, { isRefresh, isFree })];
  list.isReading.value = false;
  await Promise.all(loads ?? []);
}

async function refresh(page: Page): Promise<void> {
  const { failures, allowance, onRefresh } = page;
  const isRejected = page.wasRejected && failures.isBlocked();
  failures.clear();
  // One free call shows whether the key is still rejected.
  if (isRejected) await allowance.refresh();
  if (failures.isBlocked()) return;
  await Promise.all([loadAll(page, { isRefresh: true }), onRefresh()]);
  await allowance.refresh();
  page.wasRejected = failures.isBlocked();
}

/** Shows the view of another entry of the browser's history. */
function followAddress(page: Page): void {
  const { token, currency, list, isVisible, search } = page;
  // A link to another page of the console does not change the query.
  if (!isVisible() || !token.value || location.search === search) return;
  const { code } = currency;
  const requested = readView(page);
  const chosen = requestedTokens(page, requested);
  if (!chosen) return;
  show(page, chosen);
  if (currency.code !== code) void list.load();
  void loadPanels(page, chosen.token, { isFree: !requested.namesChart });
}

/** The state of the page. Selecting a token in one panel updates the other panels. Each selection has its own URL. */
export function createPricesStore(options: Options) {
  const { currency, allowance, failures } = options;
  const panels = openPanels(options, (view) => showView(page, view));
  const page: Page = { ...options, ...panels, wasRejected: false };
  const { token, list, history, reserve } = panels;
  addEventListener('popstate', () => followAddress(page));
  return {
    ...panels,
    autoRefresh: openAutoRefresh({ reserve, isBlocked: failures.isBlocked, refresh: () => refresh(page) }),
    select: (name: TokenName) => select(page, name),
    openChart(takesFocus = false): void {
      panels.opened.value = { takesFocus };
    },
    refresh: () => refresh(page),
    chooseCurrency(code: string): void {
      currency.choose(code);
      if (!token.value) return;
      void list.load();
      void history.load({ isFree: !history.isWanted.value });
    },
    async load(): Promise<void> {
      failures.clear();
      readView(page);
      // Reads the usage before the first charged call, so that the page can count its own calls.
      await loadAll(page, { ready: allowance.refresh() });
    },
  };
}

export type PricesStore = ReturnType<typeof createPricesStore>;
