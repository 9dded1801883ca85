import { candlesToCsv, seriesToCsv } from '../api/csv-download.ts';
import { byId, make } from '../core/dom.ts';
import { defaultInterval } from '../range/intervals.ts';
import type { History, HistoryView } from './chart-choice.ts';

/** How long a saved file stays in memory, in ms: some browsers read it after the click. */
const KEPT_MS = 10_000;

/** `bitcoin-30d-hourly-eur-candles.csv`; defaults are left out. */
function fileName(view: HistoryView): string {
  const { token, range, from, thru, interval, currency, metric } = view;
  const days = range === '36500' ? 'all' : `${range}d`;
  const parts = [token, range === 'custom' ? `${from}_${thru}` : days];
  if (interval !== defaultInterval(view)) parts.push(interval);
  if (currency !== 'usd') parts.push(currency);
  if (metric === 'candles') parts.push('candles');
  return `${parts.join('-')}.csv`;
}

export function openExportButton(shown: () => { view: HistoryView; value: History } | undefined) {
  const button = byId('export', HTMLButtonElement);
  button.addEventListener('click', () => {
    const saved = shown();
    if (!saved) return;
    const { view, value } = saved;
    const text = Array.isArray(value)
      ? candlesToCsv(value, view.currency)
      : seriesToCsv(value, view.currency);
    const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    make('a', { href: url, download: fileName(view) }).click();
    setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
  });
  return {
    enable(isEnabled: boolean): void {
      button.disabled = !isEnabled;
    },
  };
}
