import { announce, byId } from '../../pages/dom.ts';
import { saveFile } from '../../pages/download.ts';
import { onDateAt } from '../../pages/format.ts';
import { candlesToCsv, seriesToCsv } from '../api/history-csv.ts';
import type { Chart } from './chart.ts';
import type { History, HistoryView } from './chart-choice.ts';
import type { Comparison } from './comparison.ts';
import { comparisonCsv } from './comparison-words.ts';
import { panned, zoomed } from './gestures.ts';
import { defaultInterval } from './intervals.ts';

const STEP = 1.5;

type Options = {
  chart: () => Chart | undefined;
  index: () => number | undefined;
  onScale: (isLog: boolean) => void;
};

export function openChartTools({ chart, index, onScale }: Options) {
  const slider = byId('chart');
  const closer = byId('zoom-in');
  const wider = byId('zoom-out');
  const reset = byId('zoom-reset');
  const log = byId('log-scale');

  function announceRange(): void {
    const [from, thru] = chart()?.shownTimes() ?? [];
    if (from && thru) announce(`Showing ${onDateAt(from)} to ${onDateAt(thru)}`);
  }
  const zoom = (factor: number) => {
    chart()?.showPart((part, points) => zoomed(part, points, factor, index()));
    announceRange();
  };
  /** Moves by a fifth of the visible part, so that most of it stays in view. */
  const pan = (direction: number) => {
    chart()?.showPart((part, points) => panned(part, points, (direction * (part.to - part.from + 1)) / 5));
    announceRange();
  };
  const showAll = () => {
    chart()?.showAll();
    announceRange();
  };

  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(STEP),
    '=': () => zoom(STEP),
    '-': () => zoom(1 / STEP),
    '0': showAll,
  };
  const shiftKeys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(STEP),
    ArrowLeft: () => pan(-1),
    ArrowRight: () => pan(1),
  };
  slider.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = (event.shiftKey ? shiftKeys : keys)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  closer.addEventListener('click', () => zoom(STEP));
  wider.addEventListener('click', () => zoom(1 / STEP));
  reset.addEventListener('click', showAll);
  log.addEventListener('click', () => onScale(log.getAttribute('aria-pressed') !== 'true'));

  return {
    showScale(isLog: boolean, isOffered: boolean): void {
      log.setAttribute('aria-pressed', String(isLog));
      log.hidden = !isOffered;
    },
    /** Uses `aria-disabled`, because `disabled` would remove the focus. */
    showPart({ isWhole, isClosest }: { isWhole: boolean; isClosest: boolean }): void {
      for (const button of [wider, reset]) button.setAttribute('aria-disabled', String(isWhole));
      closer.setAttribute('aria-disabled', String(isClosest));
    },
  };
}

/** Returns a name such as `bitcoin-30d-hourly-eur-candles.csv` or `bitcoin-solana-30d-indexed.csv`, without defaults. */
function fileName(view: HistoryView): string {
  const { token, compare, mode, range, from, thru, interval, currency, metric } = view;
  const days = range === '36500' ? 'all' : `${range}d`;
  const parts = [token, ...compare, range === 'custom' ? `${from}_${thru}` : days];
  if (interval !== defaultInterval(view)) parts.push(interval);
  if (currency !== 'usd') parts.push(currency);
  if (metric === 'candles') parts.push('candles');
  if (compare.length > 0 && mode === 'indexed') parts.push(mode);
  return `${parts.join('-')}.csv`;
}

type Shown = { view: HistoryView; value: History; comparison: Comparison | undefined };

function csvOf({ view, value, comparison }: Shown): string {
  if (comparison) return comparisonCsv(comparison, view);
  return Array.isArray(value) ? candlesToCsv(value, view.currency) : seriesToCsv(value, view.currency);
}

export function openExportButton(shown: () => Shown | undefined) {
  const button = byId('export', HTMLButtonElement);
  button.addEventListener('click', () => {
    const saved = shown();
    if (!saved) return;
    saveFile(fileName(saved.view), new Blob([csvOf(saved)], { type: 'text/csv' }));
  });
  return {
    enable(isEnabled: boolean): void {
      button.disabled = !isEnabled;
    },
  };
}
