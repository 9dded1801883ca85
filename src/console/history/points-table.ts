import { byId, makeRow } from '../dom.ts';
import { count, onDateAt } from '../format.ts';
import type { Points } from './chart.ts';
import { formatMetric, type Metric, metricTitle } from './history-view.ts';

/** Nobody reads more rows than this; the CSV has all of them. */
const MAX_ROWS = 400;

/** The points of the chart as a table, newest first. It is filled when it is opened. */
export function openPointsTable() {
  const details = byId('points', HTMLDetailsElement);
  let points: Points = [];
  let metric: Metric = 'prices';

  function fill(): void {
    if (!details.open) return;
    byId('points-metric').textContent = metricTitle(metric);
    const rows = points
      .slice(-MAX_ROWS)
      .reverse()
      .map(({ date, price }) => makeRow([onDateAt(date)], [formatMetric(metric, price), 'num']));
    byId('points-body').replaceChildren(...rows);
    byId('points-note').textContent =
      points.length > MAX_ROWS
        ? `The latest ${MAX_ROWS} of ${count(points.length)} points. The CSV has all of them.`
        : '';
  }
  details.addEventListener('toggle', fill);

  return (nextPoints: Points, nextMetric: Metric): void => {
    points = nextPoints;
    metric = nextMetric;
    fill();
  };
}
