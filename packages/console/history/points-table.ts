import { byId, make, makeRow } from '../core/dom.ts';
import { count, money, onDateAt } from '../core/format.ts';
import { type Drawn, formatMetric, metricTitle } from './chart-choice.ts';

const MAX_ROWS = 400;

type Cells = readonly (readonly [text: string, kind?: string])[];

/** The heads of the columns after the time, and the cells of each row. */
function columnsOf({ points, candles, view }: Drawn): { heads: string[]; rows: Cells[] } {
  if (!candles) {
    const rows = points.map(
      ({ date, price }) => [[onDateAt(date)], [formatMetric(view, price), 'num']] as Cells,
    );
    return { heads: [metricTitle(view.metric)], rows };
  }
  const rows = candles.map(({ date, open, high, low, close, volume }): Cells => {
    const prices = [open, high, low, close].map((price) => [money(price, view.currency), 'num'] as const);
    return [[onDateAt(date)], ...prices, [count(volume), 'num']];
  });
  return { heads: ['Open', 'High', 'Low', 'Close', 'Volume, tokens'], rows };
}

/** The points of the chart as a table, newest first. It is filled when it is opened. */
export function openPointsTable() {
  const details = byId('points', HTMLDetailsElement);
  let drawn: Drawn | undefined;

  function fill(): void {
    if (!details.open || !drawn) return;
    const { heads, rows } = columnsOf(drawn);
    const cells = heads.map((head) => make('th', { scope: 'col', class: 'num' }, head));
    byId('points-head').replaceChildren(make('th', { scope: 'col' }, 'Time (UTC)'), ...cells);
    byId('points-body').replaceChildren(
      ...rows
        .slice(-MAX_ROWS)
        .reverse()
        .map((row) => makeRow(...row)),
    );
    byId('points-note').textContent =
      rows.length > MAX_ROWS
        ? `The latest ${MAX_ROWS} of ${count(rows.length)} points. The CSV has all of them.`
        : '';
  }
  details.addEventListener('toggle', fill);

  return (next: Drawn): void => {
    drawn = next;
    fill();
  };
}
