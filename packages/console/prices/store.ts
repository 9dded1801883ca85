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

/** The state of the page. Selecting a token in one panel updates the other panels. Each selection has its own URL. */
export function createPricesStore(options: Options) {
  const { session, currency, allowance, failures, isVisible, onRefresh, onNotice, onTitle } = options;
  const responses = signal<ReadonlyMap<string, object>>(new Map());
  const marketData = createMarketData(session, (path, response) => {
    responses.value = new Map(responses.value).set(path, response);
  });
  const context: Context = { ...options, marketData };
  const token = signal<Token | undefined>(undefined);
  const view = signal<HistoryView | undefined>(undefined);
  /** The chart that the user has opened, and whether it takes the focus. */
  const opened = signal<{ takesFocus: boolean } | undefined>(undefined);
  /** The view that the URL requests, until it is shown. */
  let requested: RequestedView | undefined;
  let search: string | undefined;
  /** Whether the calls of the last refresh were rejected because of the key. */
  let wasRejected = false;

  const failure = failures.open();
  const list = openPriceList({ marketData, currency, failure, onLoad: showLoaded });
  const statistics = openStatistics({ session, marketData, failure: failures.open() });
  const changeOf = (name: TokenName) => list.quotes.of(name)?.price.change_24h;
  const history = createHistoryStore(context, changeOf, (next) => {
    view.value = next;
    if (!token.value) return;
    showAddress(next, { isNew: search !== undefined && !requested });
    if (!requested && search !== searchOf(next)) onNotice('');
    search = searchOf(next);
    requested = undefined;
    onTitle(pageTitle(history.titles(), next));
  });
  const reserve = openReserve(allowance);
  const live = openLive({ ...context, reserve, onPrice: list.quotes.update });
  const autoRefresh = openAutoRefresh({ reserve, isBlocked: failures.isBlocked, refresh });

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

  const loadPanels = (of: Token, { isRefresh = false, isFree = false } = {}): Promise<unknown> =>
    Promise.all([
      history.load({ refresh: isRefresh, isFree }),
      statistics.show(of, { refresh: isRefresh }),
      list.ensure(of.tokenName),
    ]);

  function showLoaded(): void {
    live.show([...list.quotes.requested.value]);
  }

  function show({ token: next, compared }: RequestedTokens): void {
    token.value = next;
    list.selected.value = next.tokenName;
    history.select(next, compared);
  }

  const served = (name: TokenName | undefined) => list.tokens.value?.find(({ tokenName }) => tokenName === name);

  function openChart(takesFocus = false): void {
    opened.value = { takesFocus };
  }

  function select(name: TokenName): void {
    const next = served(name);
    if (!next) return;
    openChart();
    if (next === token.value) return;
    show({ token: next, compared: [] });
    void loadPanels(next);
  }

  function readView(): void {
    requested = readAddress(location.search, serviceNow(), currency.isOffered);
    // A link without a currency shows US dollars to every reader.
    const isLink = isWritten() || location.search !== '';
    currency.show(requested.currency ?? (isLink ? 'usd' : currency.preferred()));
    history.restore(requested);
  }

  /** Shows what the URL requests but the page cannot show. */
  function requestedTokens(wanted: RequestedView): RequestedTokens | undefined {
    const found = resolveTokens(wanted, list.tokens.value ?? [], serviceNow());
    if (found) onNotice(wanted.faults.join(' '));
    return found;
  }

  /** The tokens that the page shows. They may have been removed from the catalogue. */
  function shownTokens(): RequestedTokens | undefined {
    const next = served(token.value?.tokenName) ?? list.tokens.value?.[0];
    return next && { token: next, compared: history.compared().flatMap((name) => served(name) ?? []) };
  }

  async function loadTokens(): Promise<void> {
    const tokens = await session.anonymous.tokens();
    list.setTokens(tokens);
    history.setTokens(tokens);
  }

  async function loadAll({ isRefresh = false, ready = Promise.resolve() } = {}): Promise<void> {
    list.isReading.value = true;
    try {
      await loadTokens();
    } catch (error) {
      if (!list.tokens.value?.length) {
        list.setTokens([]);
        list.isReading.value = false;
        return failure.report(error, () => loadAll({ isRefresh }));
      }
    }
    await ready;
    const chosen = requested ? requestedTokens(requested) : shownTokens();
    // Signing in is charged only for the prices, unless the URL names a chart.
    const isFree = !history.isWanted() && !requested?.namesChart;
    if (chosen) show(chosen);
    const loads = chosen && [list.load({ refresh: isRefresh }), loadPanels(chosen.token, { isRefresh, isFree })];
    list.isReading.value = false;
    await Promise.all(loads ?? []);
  }

  async function refresh(): Promise<void> {
    const isRejected = wasRejected && failures.isBlocked();
    failures.clear();
    // One free call shows whether the key is still rejected.
    if (isRejected) await allowance.refresh();
    if (failures.isBlocked()) return;
    await Promise.all([loadAll({ isRefresh: true }), onRefresh()]);
    await allowance.refresh();
    wasRejected = failures.isBlocked();
  }

  addEventListener('popstate', () => {
    // A link to another page of the console does not change the query.
    if (!isVisible() || !token.value || location.search === search) return;
    const code = currency.code;
    readView();
    const chosen = requested && requestedTokens(requested);
    if (!requested || !chosen) return;
    const isFree = !requested.namesChart;
    show(chosen);
    if (currency.code !== code) void list.load();
    void loadPanels(chosen.token, { isFree });
  });

  return {
    session,
    currency,
    allowance,
    failure,
    responses,
    token,
    view,
    opened,
    list,
    statistics,
    history,
    reserve,
    live,
    autoRefresh,
    costs,
    select,
    openChart,
    refresh,
    chooseCurrency(code: string): void {
      currency.choose(code);
      if (!token.value) return;
      void list.load();
      void history.load({ isFree: !history.isWanted() });
    },
    async load(): Promise<void> {
      failures.clear();
      readView();
      // Reads the usage before the first charged call, so that the page can count its own calls.
      await loadAll({ ready: allowance.refresh() });
    },
  };
}

export type PricesStore = ReturnType<typeof createPricesStore>;
