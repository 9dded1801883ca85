import { byId } from '../../pages/dom.ts';
import { openDataAge } from '../api/figures.ts';
import type { Theme } from '../core/facts.ts';
import type { Chart } from './chart.ts';
import { type HistoryView, hasLogScale, isLog, metricInWords } from './chart-choice.ts';
import { openChartTools, openExportButton } from './chart-tools.ts';
import type { Legend } from './compare-control.ts';
import { ageOf, drawnOfLoaded, type LoadedHistory } from './history-load.ts';
import { openGapNote } from './intervals.ts';
import { openPointsTable, openPrintedChart, openReadout } from './readout.ts';

type Options = {
  theme: Theme;
  legend: Legend;
  onScale: (isLog: boolean) => void;
};

/** Everything that shows the loaded histories: the chart with its readout and tools, the table, the file and the age. */
export function openChartDisplay({ theme, legend, onScale }: Options) {
  const state = byId('chart-state');
  const element = byId('chart');
  const showAge = openDataAge(byId('chart-age'));
  const showTable = openPointsTable();
  const showGaps = openGapNote();
  let chart: Chart | undefined;
  let shown: { view: HistoryView; loaded: LoadedHistory } | undefined;
  const readout = openReadout(() => chart, legend);
  const tools = openChartTools({ chart: () => chart, index: readout.index, onScale });
  const download = openExportButton(() => {
    const [first] = shown?.loaded ?? [];
    if (!shown || !first) return undefined;
    const { view, loaded } = shown;
    return { view, value: first.result.value, comparison: drawnOfLoaded(view, loaded).comparison };
  });
  openPrintedChart(() => chart);

  function onPart(): void {
    if (!chart) return;
    tools.showPart(chart.zoom());
    readout.follow();
  }

  const showScale = (view: HistoryView) => tools.showScale(isLog(view), hasLogScale(view));

  return {
    showScale,
    /** Sets the service's 24-hour change, in percent. */
    compare: readout.compare,

    showLoading(): void {
      state.textContent = 'Loading…';
      download.enable(false);
    },

    /** `title` names the tokens. `keepsPart` means that the visible part remains the same. */
    async show(view: HistoryView, loaded: LoadedHistory, title: string, { keepsPart = false } = {}): Promise<void> {
      shown = { view, loaded };
      const drawn = drawnOfLoaded(view, loaded);
      const { points } = drawn;
      const { openChart } = await import('./chart.ts');
      chart ??= openChart(element, theme, { onPoint: readout.select, onPart });
      element.classList.toggle('empty', points.length === 0);
      showScale(view);
      readout.show(drawn, title, loaded[0]?.token.symbol ?? '');
      chart.show(drawn, keepsPart);
      showTable(drawn);
      state.textContent = points.length > 0 ? '' : `No ${metricInWords(view.metric)} data in this time range.`;
      showAge(ageOf(loaded));
      const isAlone = loaded.length === 1;
      showGaps(loaded.map(({ token, result }) => ({ title: isAlone ? '' : token.title, gaps: result.gaps })));
      download.enable(true);
    },

    clear(view: HistoryView, reason: string): void {
      shown = undefined;
      state.textContent = reason;
      element.classList.add('empty');
      readout.clear();
      showTable({ view, points: [], candles: undefined });
      showAge(undefined);
      showGaps([]);
    },
  };
}
