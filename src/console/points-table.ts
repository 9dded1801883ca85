import { byId, make } from './dom.ts';
import { count, onDateAt } from './format.ts';
import type { Points } from './plot.ts';
import { METRICS, type Metric, write } from './view.ts';

/** More rows than this nobody reads; the file has them all. */
const ROWS = 400;

/** The chart as a table, made when it is opened: newest first. */
export function openPointsTable() {
  const details = byId('points', HTMLDetailsElement);
  let points: Points = [];
  let metric: Metric = 'prices';

  function fill(): void {
    if (!details.open) return;
    byId('points-figure').textContent = METRICS.find(([name]) => name === metric)?.[1] ?? '';
    const rows = points
      .slice(-ROWS)
      .reverse()
      .map(({ date, price }) =>
        make('tr', {}, make('td', {}, onDateAt(date)), make('td', { class: 'num' }, write(metric, price))),
      );
    byId('points-body').replaceChildren(...rows);
    const isCut = points.length > ROWS;
    byId('points-note').textContent = isCut
      ? `The newest ${ROWS} of ${count(points.length)}; the CSV has them all.`
      : '';
  }
  details.addEventListener('toggle', fill);

  return (next: Points, of: Metric): void => {
    points = next;
    metric = of;
    fill();
  };
}
