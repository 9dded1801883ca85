import type { Token } from '../../client/index.ts';
import { announce, buttonGroup, byId } from '../../pages/dom.ts';
import { type OnError, toError } from '../../pages/problem.ts';
import type { Interval, Result } from '../api/api-call.ts';
import { openDataAge, openOffer } from '../api/figures.ts';
import type { MarketData } from '../api/market-data.ts';
import type { Currency } from '../core/currency.ts';
import type { Theme } from '../core/facts.ts';
import type { Quote } from '../prices/quotes.ts';
import type { Chart } from './chart.ts';
import {
  DEFAULT_VIEW,
  drawnOf,
  type History,
  type HistoryView,
  hasCandles,
  hasLogScale,
  historyCall,
  inView,
  isLog,
  isUnavailable,
  METRICS,
  metricInWords,
  openIntervalControl,
  RANGES,
  rangeInWords,
  unavailableNote,
} from './chart-choice.ts';
import { openChartTools, openExportButton } from './chart-tools.ts';
import { type DateRange, openCustomDates } from './custom-dates.ts';
import { earliestDate, openGapNote } from './intervals.ts';
import { openPointsTable, openPrintedChart, openReadout } from './readout.ts';

type Options = {
  marketData: MarketData;
  theme: Theme;
  currency: Currency;
  onError: OnError;
  onView: (view: HistoryView) => void;
};

type Restored = Omit<HistoryView, 'token' | 'currency' | 'listed' | 'interval'> & { interval: Interval | undefined };

export function openHistory({ marketData, theme, currency, onError, onView }: Options) {
  const [panel, problem] = [byId('history'), byId('chart-problem')];
  const state = byId('chart-state');
  const element = byId('chart');
  const download = openExportButton(() => shown && { view, value: shown.value });
  const showAge = openDataAge(byId('chart-age'));
  const showTable = openPointsTable();
  const showGaps = openGapNote();
  let chart: Chart | undefined;
  const readout = openReadout(() => chart);
  const tools = openChartTools({ chart: () => chart, index: readout.index, onScale });
  const dates = openCustomDates(showDates);
  const offer = openOffer('chart', () => void load());
  const view: HistoryView = { ...DEFAULT_VIEW };
  const intervals = openIntervalControl(view, () => void load());
  /** The user must request the chart, because each chart costs a call. */
  let isWanted = false;
  let token: Token | undefined;
  let shown: (Result<History> & { token: string }) | undefined;
  /** Only the response of the latest load is shown. */
  let loads = 0;

  function onPart(): void {
    if (!chart) return;
    tools.showPart(chart.zoom());
    readout.follow();
  }

  async function render({ keepsPart = false } = {}): Promise<void> {
    if (!shown || !token) return;
    const drawn = drawnOf({ ...view }, shown.value);
    const { points } = drawn;
    const { openChart } = await import('./chart.ts');
    chart ??= openChart(element, theme, { onPoint: readout.select, onPart });
    element.classList.toggle('empty', points.length === 0);
    tools.showScale(isLog(view), hasLogScale(view));
    readout.show(drawn, token);
    chart.show(drawn, keepsPart);
    showTable(drawn);
    state.textContent = points.length > 0 ? '' : `No ${metricInWords(view.metric)} data in this time range.`;
  }

  function clear(reason = ''): void {
    shown = undefined;
    state.textContent = reason;
    element.classList.add('empty');
    readout.clear();
    showTable({ view: { ...view }, points: [], candles: undefined });
    showAge(undefined);
    showGaps([]);
  }

  /** With `isFree`, loads only a free chart. Otherwise, offers to load the chart. */
  async function load({ refresh = false, isFree = false } = {}): Promise<void> {
    if (!token) return;
    loads += 1;
    if (!isFree) isWanted = true;
    offer.hide();
    const mine = loads;
    const now = Date.now();
    intervals.show(token, now);
    view.currency = currency.code;
    panel.setAttribute('aria-busy', 'true');
    // Another token's figures must not appear under this token's name.
    if (shown?.token !== view.token) clear();
    state.textContent = 'Loading…';
    download.enable(false);
    onView({ ...view });
    try {
      const call = historyCall(view, now);
      const result = isFree ? await marketData.free(call) : await marketData.fetch(call, { refresh });
      if (mine !== loads) return;
      if (!result || result.isSample)
        offer.show(result ? 'The chart shows the free sample.' : 'The chart costs one call.');
      if (!result) {
        problem.replaceChildren();
        return clear('Not loaded.');
      }
      shown = { ...result, token: view.token, value: inView(view, result.value, now) };
      await render();
      showAge(result);
      showGaps(result.gaps);
      download.enable(true);
      if (result.failure) return onError(result.failure, problem, load, true);
      problem.replaceChildren();
      announce(`${token.title}, ${metricInWords(view.metric)}, ${rangeInWords(view)}: loaded`);
    } catch (error) {
      if (mine !== loads) return;
      // The old chart does not match the selection.
      clear('No data.');
      const failed = { view, token, error: toError(error), now };
      if (isUnavailable(failed)) problem.replaceChildren(unavailableNote(failed, showOtherDates));
      else onError(error, problem, load);
    } finally {
      if (mine === loads) panel.setAttribute('aria-busy', 'false');
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
    if (token) dates.limit(earliestDate(view.metric, token) ?? token.listed, subject);
  }

  function onScale(isOn: boolean): void {
    view.scale = isOn ? 'log' : 'linear';
    onView({ ...view });
    void render({ keepsPart: true });
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
  openPrintedChart(() => chart);

  return {
    load,
    isWanted: () => isWanted,
    clear(): void {
      isWanted = false;
      clear();
    },
    restore({ metric, range, scale, interval, from, thru }: Restored): void {
      Object.assign(view, { metric, range, scale, from, thru });
      intervals.choose(interval);
      metrics.select(metric);
      ranges.select(range);
      tools.showScale(isLog(view), hasLogScale(view));
      dates.show(range === 'custom');
      if (range === 'custom') dates.set({ from, thru });
    },
    select(next: Token): void {
      token = next;
      view.token = token.tokenName;
      view.listed = token.listed;
      byId('chart-title').textContent = `${token.title} history`;
      metrics.offer((metric) => metric !== 'candles' || hasCandles(next));
      if (view.metric === 'candles' && !hasCandles(token)) view.metric = 'prices';
      metrics.select(view.metric);
      limitDates();
      readout.compare(undefined);
    },

    async compare({ tokenName }: Token, quote: Promise<Quote | undefined>): Promise<void> {
      const change = (await quote)?.price.change_24h;
      if (view.token === tokenName) readout.compare(change);
    },
  };
}
