import { byId } from '../dom.ts';
import type { Chart } from './chart.ts';

/** Puts a picture of the chart in its place while the page is printed: on paper it has other colors and another width. */
export function openPrintedChart(chart: () => Chart | undefined): void {
  const place = byId('printed-chart');
  matchMedia('print').addEventListener('change', ({ matches }) => {
    const picture = chart()?.picture();
    place.replaceChildren(...(matches && picture ? [picture] : []));
  });
}
