import type { PriceSeries, Token } from '../../client/index.ts';
import type { MarketData } from '../api/market-data.ts';
import type { Result } from '../api/result.ts';
import { openDataAge } from '../dashboard/data-age.ts';
import { titleOf } from '../dashboard/token-titles.ts';
import { announce, buttonGroup, byId, make } from '../dom.ts';
import { onDate, onDateAt } from '../format.ts';
import type { OnError } from '../problem.ts';
import type { Theme } from '../theme.ts';
import type { Chart } from './chart.ts';
import { seriesToCsv } from './csv-download.ts';
import {
  type HistoryView,
  historyCall,
  METRICS,
  metricInWords,
  RANGES,
  rangeInWords,
} from './history-view.ts';
import { openPointsTable } from './points-table.ts';
import { openReadout } from './readout.ts';

const DAY = 86_400_000;
const isoDate = (ms: number) => new Date(ms).toISOString().slice(0, 10);

type Options = {
  marketData: MarketData;
  theme: Theme;
  onError: OnError;
  /** Another view was selected. */
  onView: (view: HistoryView) => void;
};

/** The panel with the chart and its controls. */
export function openHistory({ marketData, theme, onError, onView }: Options) {
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
  const view: HistoryView = { token: 'bitcoin', metric: 'prices', range: '30', from: '', thru: '' };
  let shown: Result<PriceSeries> | undefined;
  /** Counts the loads: only the answer to the last one is shown. */
  let loads = 0;

  async function render(): Promise<void> {
    if (!shown) return;
    const points = shown.value[view.metric];
    const { openChart } = await import('./chart.ts');
    chart ??= openChart(element, theme, readout.select);
    element.classList.toggle('empty', points.length === 0);
    chart.show(points, view.metric);
    readout.show({ points, view: { ...view } });
    showTable(points, view.metric);
    state.textContent = points.length > 0 ? '' : `No ${metricInWords(view.metric)} data in this time range.`;
  }

  function showGaps(missing: Result<PriceSeries>['gaps']): void {
    gaps.hidden = missing.length === 0;
    // Gaps between daily points are dates, gaps between finer points are times.
    const format = (text: string) => (text.includes('T') ? onDateAt : onDate)(new Date(text));
    const spans = missing.map((gap) => `${format(gap.from)} to ${format(gap.thru)}`);
    gaps.textContent = `No data for ${spans.join('; ')}: the source does not go back that far or is unavailable.`;
  }

  async function load({ refresh = false } = {}): Promise<void> {
    loads += 1;
    const mine = loads;
    panel.setAttribute('aria-busy', 'true');
    problem.replaceChildren();
    state.textContent = 'Loading…';
    download.disabled = true;
    onView({ ...view });
    try {
      const result = await marketData.fetch(historyCall(view), { refresh });
      if (mine !== loads) return;
      shown = result;
      await render();
      showAge(result);
      showGaps(result.gaps);
      download.disabled = false;
      announce(`${titleOf(view.token)}, ${metricInWords(view.metric)}, ${rangeInWords(view)}: loaded`);
    } catch (error) {
      if (mine !== loads) return;
      // The old chart does not match the selection.
      shown = undefined;
      element.classList.add('empty');
      readout.clear();
      state.textContent = 'No data.';
      showAge(undefined);
      gaps.hidden = true;
      onError(error, problem, () => void load());
    } finally {
      if (mine === loads) panel.setAttribute('aria-busy', 'false');
    }
  }

  const metrics = buttonGroup(byId('metrics'), METRICS, (metric) => {
    view.metric = metric;
    metrics.select(metric);
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
    const url = URL.createObjectURL(new Blob([seriesToCsv(shown.value)], { type: 'text/csv' }));
    const days = view.range === '36500' ? 'all' : `${view.range}d`;
    const range = view.range === 'custom' ? `${view.from}_${view.thru}` : days;
    make('a', { href: url, download: `${view.token}-${range}.csv` }).click();
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
    select(token: Token): void {
      view.token = token.tokenName;
      byId('chart-title').textContent = `${titleOf(token.tokenName)} history`;
      limitDates(token);
    },
  };
}
