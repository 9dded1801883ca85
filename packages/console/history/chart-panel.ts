import type { Token } from '../../client/index.ts';
import { serviceNow } from '../../pages/clock.ts';
import { announce, buttonGroup, byId } from '../../pages/dom.ts';
import { inCalls } from '../../pages/format.ts';
import { toError } from '../../pages/problem.ts';
import type { Interval } from '../api/api-call.ts';
import { openOffer } from '../api/figures.ts';
import type { Context } from '../context.ts';
import type { Quote } from '../prices/quotes.ts';
import {
  DEFAULT_VIEW,
  type HistoryView,
  hasCandles,
  isComparable,
  isUnavailable,
  METRICS,
  metricInWords,
  openIntervalControl,
  RANGES,
  rangeInWords,
  unavailableNote,
} from './chart-choice.ts';
import { openChartDisplay } from './chart-display.ts';
import { openCompareControl } from './compare-control.ts';
import { type DateRange, openCustomDates } from './custom-dates.ts';
import { ageOf, costOfOneMore, type LoadedHistory, loadHistory } from './history-load.ts';
import { commonAvailability, earliestDate } from './intervals.ts';

type Restored = Omit<HistoryView, 'token' | 'currency' | 'listed' | 'interval' | 'compare'> & {
  interval: Interval | undefined;
};

export function openHistory(context: Context, onView: (view: HistoryView) => void) {
  const { marketData, theme, currency, onError } = context;
  const panel = byId('history');
  const problem = byId('chart-problem');
  const compare = openCompareControl({
    onAdd: (added) => setOthers([...others, added]),
    onRemove: (name) => setOthers(others.filter(({ tokenName }) => tokenName !== name)),
    onMode,
  });
  const display = openChartDisplay({ theme, legend: compare.legend, onScale });
  const dates = openCustomDates(showDates);
  const offer = openOffer('chart', () => void load());
  const view: HistoryView = { ...DEFAULT_VIEW };
  const intervals = openIntervalControl(view, () => void load());
  /** The user must request the chart, because each chart costs a call. */
  let isWanted = false;
  let token: Token | undefined;
  /** The tokens whose lines the chart shows besides that of `token`. */
  let others: readonly Token[] = [];
  let shown: LoadedHistory = [];
  /** Only the response of the latest load is shown. */
  let loads = 0;

  const tokens = () => (token ? [token, ...others] : []);
  const titles = () =>
    tokens()
      .map(({ title }) => title)
      .join(', ');

  async function render({ keepsPart = false } = {}): Promise<void> {
    if (shown.length > 0) await display.show({ ...view }, shown, titles(), { keepsPart });
  }

  function clear(reason: string): void {
    shown = [];
    display.clear({ ...view }, reason);
  }

  /** Shows the selected tokens in the controls. */
  function showTokens(): void {
    view.compare = others.map(({ tokenName }) => tokenName);
    byId('chart-title').textContent = `${titles()} history`;
    const isCompared = others.length > 0;
    metrics.offer((metric) =>
      isCompared ? isComparable(metric) : metric !== 'candles' || (token && hasCandles(token)) === true,
    );
    if (isCompared && !isComparable(view.metric)) view.metric = 'prices';
    metrics.select(view.metric);
    limitDates();
    compare.select(tokens());
  }

  /** With `isFree`, loads only a free chart. Otherwise, offers to load the chart. `keeps` reuses the shown figures. */
  async function load({ refresh = false, isFree = false, keeps = false } = {}): Promise<void> {
    if (!token) return;
    loads += 1;
    if (!isFree) isWanted = true;
    offer.hide();
    const ownLoad = loads;
    const now = serviceNow();
    intervals.show(commonAvailability(token, others), now);
    view.currency = currency.code;
    panel.setAttribute('aria-busy', 'true');
    const shownSeries = keeps ? shown : [];
    // Another token's figures must not appear under this token's name.
    if (shown[0]?.token.tokenName !== view.token) clear('');
    display.showLoading();
    onView({ ...view });
    try {
      const loaded = await loadHistory(
        marketData,
        { ...view },
        { tokens: tokens(), now, refresh, isFree, known: shownSeries },
      );
      if (ownLoad !== loads) return;
      const isSample = loaded?.some(({ result }) => result.isSample) ?? false;
      const calls = tokens().length;
      const cost = calls === 1 ? 'one call' : inCalls(calls);
      if (!loaded || isSample)
        offer.show(loaded ? 'The chart shows the free sample.' : `The chart costs ${cost}.`, calls);
      if (!loaded) {
        problem.replaceChildren();
        return clear('Not loaded.');
      }
      shown = loaded;
      compare.showCost(costOfOneMore(shown));
      await render();
      const { failure } = ageOf(loaded);
      if (failure) return onError(failure, problem, load, true);
      problem.replaceChildren();
      announce(`${titles()}, ${metricInWords(view.metric)}, ${rangeInWords(view)}: loaded`);
    } catch (error) {
      if (ownLoad !== loads) return;
      // The old chart does not match the selection.
      clear('No data.');
      const failed = { view, token, error: toError(error), now };
      if (isUnavailable(failed)) problem.replaceChildren(unavailableNote(failed, showOtherDates));
      else onError(error, problem, load);
    } finally {
      if (ownLoad === loads) panel.setAttribute('aria-busy', 'false');
    }
  }

  function showDates(range: DateRange): void {
    Object.assign(view, { range: 'custom', ...range });
    void load();
  }

  function showOtherDates(range: DateRange): void {
    ranges.select('custom');
    dates.show(true);
    dates.set(range);
    showDates(range);
    dates.focus();
  }

  function limitDates(): void {
    const subject = view.metric === 'candles' ? 'Candles' : 'Prices';
    const [first] = tokens()
      .map((one) => earliestDate(view.metric, one) ?? one.listed)
      .sort();
    if (first !== undefined) dates.limit(first, subject);
  }

  function onScale(isOn: boolean): void {
    view.scale = isOn ? 'log' : 'linear';
    onView({ ...view });
    void render({ keepsPart: true });
  }

  function setOthers(next: readonly Token[]): void {
    others = next;
    showTokens();
    void load({ keeps: true });
  }

  /** Prices can differ by orders of magnitude, so they are first shown on a log scale. */
  function onMode(mode: HistoryView['mode']): void {
    view.mode = mode;
    compare.selectMode(mode);
    onScale(mode === 'price');
  }

  const metrics = buttonGroup(byId('metrics'), METRICS, (metric) => {
    const isOtherCall = (metric === 'candles') !== (view.metric === 'candles');
    view.metric = metric;
    metrics.select(metric);
    limitDates();
    if (isOtherCall) return void load();
    onView({ ...view });
    void render();
  });
  const ranges = buttonGroup(byId('ranges'), RANGES, (range) => {
    ranges.select(range);
    dates.show(range === 'custom');
    if (range === 'custom') return dates.focus();
    view.range = range;
    intervals.choose(undefined);
    void load();
  });
  metrics.select(view.metric);
  ranges.select(view.range);
  compare.selectMode(view.mode);

  return {
    load,
    /** The number of calls that a refresh of the chart costs. */
    cost: () => (isWanted ? tokens().length : 0),
    isWanted: () => isWanted,
    setTokens: compare.setTokens,
    compared: () => view.compare,
    titles,
    restore({ metric, range, scale, mode, interval, from, thru }: Restored): void {
      Object.assign(view, { metric, range, scale, mode, from, thru });
      compare.selectMode(mode);
      intervals.choose(interval);
      metrics.select(metric);
      ranges.select(range);
      display.showScale(view);
      dates.show(range === 'custom');
      if (range === 'custom') dates.set({ from, thru });
    },
    select(next: Token, compared: readonly Token[]): void {
      token = next;
      others = compared;
      view.token = token.tokenName;
      view.listed = token.listed;
      if (view.metric === 'candles' && !hasCandles(token)) view.metric = 'prices';
      showTokens();
      display.compare(undefined);
    },

    async compare({ tokenName }: Token, quote: Promise<Quote | undefined>): Promise<void> {
      const change = (await quote)?.price.change_24h;
      if (view.token === tokenName) display.compare(change);
    },
  };
}
