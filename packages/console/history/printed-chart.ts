import { byId } from '../core/dom.ts';
import type { Chart } from './chart.ts';

/** Puts a picture of the chart, in the colors of paper, in its place before the page is printed. */
export function openPrintedChart(chart: () => Chart | undefined): void {
  const place = byId('printed-chart');
  const { style } = document.documentElement;

  function take(): void {
    style.colorScheme = 'light';
    const picture = chart()?.picture();
    style.colorScheme = '';
    chart()?.paint();
    place.replaceChildren(...(picture ? [picture] : []));
  }
  addEventListener('beforeprint', take);
  matchMedia('print').addEventListener('change', ({ matches }) => matches && take());
}
