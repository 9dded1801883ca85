import type { Gap, Token } from '../../client/index.ts';
import type { MarketData } from '../api/market-data.ts';
import type { Result } from '../api/result.ts';
import type { Currency } from '../currency.ts';
import { openDataAge } from '../dashboard/data-age.ts';
import { announce, buttonGroup, byId, make } from '../dom.ts';
import { onDate, onDateAt } from '../format.ts';
import type { OnError } from '../problem.ts';
import type { Theme } from '../theme.ts';
import type { Chart } from './chart.ts';
import { candlesToCsv, seriesToCsv } from './csv-download.ts';
import {
  candlesIn,
  DEFAULT_VIEW,
  drawnOf,
  type History,
  type HistoryView,
  hasCandles,
  historyCall,
  isoDate,
  METRICS,
  metricInWords,
  RANGES,
  rangeInWords,
} from './history-view.ts';
import { openPointsTable } from './points-table.ts';
import { openReadout } from './readout.ts';

const DAY = 86_400_000;

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
  const dates = byId('dates', HTMLFormElement);
  const [from, thru] = ['from', 'thru'].map((name) => dates.elements.namedItem(name) as HTMLInputElement);
  const showAge = openDataAge(byId('chart-age'));
  const showTable = openPointsTable();
  let chart: Chart | undefined;
  const readout = openReadout(() => chart);
  const view: HistoryView = { ...DEFAULT_VIEW };
  let title = '';
  let shown: (Result<History> & { token: string }) | undefined;
  /** Counts the loads: only the answer to the last one is shown. */
  let loads = 0;

  async function render(): Promise<void> {
    if (!shown) return;
    const drawn = drawnOf({ ...view }, shown.value);
    const { points } = drawn;
    const { openChart } = await import('./chart.ts');
    chart ??= openChart(element, theme, readout.select);
    element.classList.toggle('empty', points.length === 0);
    chart.show(drawn);
    readout.show(drawn, title);
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
    dates.hidden = range !== 'custom';
    if (range === 'custom') return from?.focus();
    view.range = range;
    void load();
  });
  dates.addEventListener('submit', (event) => {
    event.preventDefault();
    Object.assign(view, { range: 'custom', from: from?.value, thru: thru?.value });
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

  /** Limits the date inputs to the time for which the token has data. */
  function limitDates({ listed }: Token): void {
    const today = isoDate(Date.now());
    for (const input of [from, thru]) {
      if (!input) continue;
      input.min = listed;
      input.max = today;
    }
    if (from && !from.value) from.value = isoDate(Date.now() - 14 * DAY);
    if (thru && !thru.value) thru.value = today;
  }

  return {
    load,
    clear,
    /** Selects what an address asks for. */
    restore({
      metric,
      range,
      from: first,
      thru: last,
    }: Pick<HistoryView, 'metric' | 'range' | 'from' | 'thru'>) {
      Object.assign(view, { metric, range, from: first, thru: last });
      metrics.select(metric);
      ranges.select(range);
      dates.hidden = range !== 'custom';
      if (from && thru && range === 'custom') [from.value, thru.value] = [first, last];
    },
    select(token: Token): void {
      ({ title } = token);
      view.token = token.tokenName;
      view.listed = token.listed;
      byId('chart-title').textContent = `${title} history`;
      metrics.offer((metric) => metric !== 'candles' || hasCandles(token));
      if (view.metric === 'candles' && !hasCandles(token)) view.metric = 'prices';
      metrics.select(view.metric);
      limitDates(token);
    },
  };
}
