import type { Gap, Token } from '../../client/index.ts';
import type { MarketData } from '../api/market-data.ts';
import type { Result } from '../api/result.ts';
import type { Currency } from '../currency.ts';
import { openDataAge } from '../dashboard/data-age.ts';
import { announce, buttonGroup, byId, make } from '../dom.ts';
import { onDate, onDateAt } from '../format.ts';
import type { Quote } from '../prices/quotes.ts';
import type { OnError } from '../problem.ts';
import { openCustomDates } from '../range/custom-dates.ts';
import type { Theme } from '../theme.ts';
import type { Chart } from './chart.ts';
import {
  candlesIn,
  DEFAULT_VIEW,
  drawnOf,
  type History,
  type HistoryView,
  hasCandles,
  hasLogScale,
  historyCall,
  isLog,
  METRICS,
  metricInWords,
  RANGES,
  rangeInWords,
} from './chart-choice.ts';
import { openChartTools } from './chart-tools.ts';
import { candlesToCsv, seriesToCsv } from './csv-download.ts';
import { openPointsTable } from './points-table.ts';
import { openPrintedChart } from './printed-chart.ts';
import { openReadout } from './readout.ts';

type Options = {
  marketData: MarketData;
  theme: Theme;
  currency: Currency;
  onError: OnError;
  /** Another view was selected. */
  onView: (view: HistoryView) => void;
};

/** `bitcoin-30d-eur-candles.csv`; dollars and lines go without saying. */
function fileName({ token, range, from, thru, currency, metric }: HistoryView): string {
  const days = range === '36500' ? 'all' : `${range}d`;
  const parts = [token, range === 'custom' ? `${from}_${thru}` : days];
  if (currency !== 'usd') parts.push(currency);
  if (metric === 'candles') parts.push('candles');
  return `${parts.join('-')}.csv`;
}

/** The panel with the chart and its controls. */
export function openHistory({ marketData, theme, currency, onError, onView }: Options) {
  const [panel, problem] = [byId('history'), byId('chart-problem')];
  const [state, gaps] = [byId('chart-state'), byId('chart-gaps')];
  const element = byId('chart');
  const download = byId('export', HTMLButtonElement);
  const showAge = openDataAge(byId('chart-age'));
  const showTable = openPointsTable();
  let chart: Chart | undefined;
  const readout = openReadout(() => chart);
  const tools = openChartTools({ chart: () => chart, index: readout.index, onScale });
  const dates = openCustomDates((range) => {
    Object.assign(view, { range: 'custom', ...range });
    void load();
  });
  const view: HistoryView = { ...DEFAULT_VIEW };
  let title = '';
  let shown: (Result<History> & { token: string }) | undefined;
  /** Counts the loads: only the answer to the last one is shown. */
  let loads = 0;

  function onPart(): void {
    if (!chart) return;
    tools.showPart(chart.zoom);
    readout.follow();
  }

  /** `keepsPart`: what is shown of the points stays. */
  async function render({ keepsPart = false } = {}): Promise<void> {
    if (!shown) return;
    const drawn = drawnOf({ ...view }, shown.value);
    const { points } = drawn;
    const { openChart } = await import('./chart.ts');
    chart ??= openChart(element, theme, { onPoint: readout.select, onPart });
    element.classList.toggle('empty', points.length === 0);
    tools.showScale(isLog(view), hasLogScale(view));
    readout.show(drawn, title);
    chart.show(drawn, keepsPart);
    showTable(drawn);
    state.textContent = points.length > 0 ? '' : `No ${metricInWords(view.metric)} data in this time range.`;
  }

  function showGaps(missing: readonly Gap[]): void {
    gaps.hidden = missing.length === 0;
    // Gaps between daily points are dates, gaps between finer points are times.
    const format = (text: string) => (text.includes('T') ? onDateAt : onDate)(new Date(text));
    const spans = missing.map((gap) => `${format(gap.from)} to ${format(gap.thru)}`);
    gaps.textContent = `No data for ${spans.join('; ')}: the source does not go back that far or is unavailable.`;
  }

  function clear(): void {
    shown = undefined;
    element.classList.add('empty');
    readout.clear();
    showTable({ view: { ...view }, points: [], candles: undefined });
    showAge(undefined);
    gaps.hidden = true;
  }

  async function load({ refresh = false } = {}): Promise<void> {
    loads += 1;
    const mine = loads;
    view.currency = currency.code;
    panel.setAttribute('aria-busy', 'true');
    // No token's figures stand under the name of another.
    if (shown?.token !== view.token) clear();
    state.textContent = 'Loading…';
    download.disabled = true;
    onView({ ...view });
    try {
      const now = Date.now();
      const result = await marketData.fetch(historyCall(view, now), { refresh });
      if (mine !== loads) return;
      const { value } = result;
      const drawable = Array.isArray(value) ? candlesIn(view, value, now) : value;
      shown = { ...result, token: view.token, value: drawable };
      await render();
      showAge(result);
      showGaps(result.gaps);
      download.disabled = false;
      if (result.failure) return onError(result.failure, problem, load, true);
      problem.replaceChildren();
      announce(`${title}, ${metricInWords(view.metric)}, ${rangeInWords(view)}: loaded`);
    } catch (error) {
      if (mine !== loads) return;
      // The old chart does not match the selection.
      clear();
      state.textContent = 'No data.';
      onError(error, problem, load);
    } finally {
      if (mine === loads) panel.setAttribute('aria-busy', 'false');
    }
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
    if (isOtherCall) return void load();
    onView({ ...view });
    // The loaded answer has every metric.
    void render();
  });
  const ranges = buttonGroup(byId('ranges'), RANGES, (range) => {
    ranges.select(range);
    dates.show(range === 'custom');
    if (range === 'custom') return dates.focus();
    view.range = range;
    void load();
  });
  download.addEventListener('click', () => {
    if (!shown) return;
    const { value } = shown;
    const { currency } = view;
    const text = Array.isArray(value) ? candlesToCsv(value, currency) : seriesToCsv(value, currency);
    const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    make('a', { href: url, download: fileName(view) }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  });
  metrics.select(view.metric);
  ranges.select(view.range);
  openPrintedChart(() => chart);

  return {
    load,
    clear,
    /** Selects what an address asks for. */
    restore({ metric, range, scale, from, thru }: Omit<HistoryView, 'token' | 'currency' | 'listed'>): void {
      Object.assign(view, { metric, range, scale, from, thru });
      metrics.select(metric);
      ranges.select(range);
      tools.showScale(isLog(view), hasLogScale(view));
      dates.show(range === 'custom');
      if (range === 'custom') dates.set({ from, thru });
    },
    select(token: Token): void {
      ({ title } = token);
      view.token = token.tokenName;
      view.listed = token.listed;
      byId('chart-title').textContent = `${title} history`;
      metrics.offer((metric) => metric !== 'candles' || hasCandles(token));
      if (view.metric === 'candles' && !hasCandles(token)) view.metric = 'prices';
      metrics.select(view.metric);
      dates.limit(token);
      readout.compare(undefined);
    },

    /** Tells the change in 24 hours of a token's latest price, once that is there: a day's change is the same. */
    async compare({ tokenName }: Token, quote: Promise<Quote | undefined>): Promise<void> {
      const change = (await quote)?.price.change_24h;
      if (view.token === tokenName) readout.compare(change);
    },
  };
}
