import { byId } from '../dom.ts';
import { change, count, onDateAt } from '../format.ts';
import type { Chart, Points } from './chart.ts';
import { formatMetric, type HistoryView, metricInWords, rangeInWords } from './history-view.ts';

type Shown = { points: Points; view: HistoryView };

/** The last value of the series and its change since the first. */
function summary({ points, view }: Shown): [value: string, note: string] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return ['\u00a0', 'no data'];
  const value = formatMetric(view.metric, last.price);
  if (view.metric === 'total_volume') return [value, `on ${onDateAt(last.date)}`];
  const isFlat = first.price === 0 || first === last;
  return [value, `${isFlat ? '' : `${change(last.price / first.price - 1)}, `}${rangeInWords(view)}`];
}

/** The text above the chart: a summary, or the point at the pointer or selected with the arrow keys. */
export function openReadout(chart: () => Chart | undefined) {
  const slider = byId('chart');
  let shown: Shown | undefined;
  let index: number | undefined;

  function update(): void {
    if (!shown) return;
    const { points, view } = shown;
    const point = index === undefined ? undefined : points[index];
    const [value, note] = point
      ? [formatMetric(view.metric, point.price), onDateAt(point.date)]
      : summary(shown);
    byId('readout-value').textContent = value;
    byId('readout-note').textContent = note;
    slider.setAttribute('aria-valuenow', String(index ?? Math.max(0, points.length - 1)));
    const low = points.reduce((least, { price }) => Math.min(least, price), Number.POSITIVE_INFINITY);
    const high = points.reduce((most, { price }) => Math.max(most, price), Number.NEGATIVE_INFINITY);
    const whole = `${count(points.length)} points, lowest ${formatMetric(view.metric, low)}, highest ${formatMetric(view.metric, high)}`;
    slider.setAttribute('aria-valuetext', point ? `${value}, ${note}` : `${value}, ${note}. ${whole}`);
  }

  const moves: Readonly<Record<string, (from: number, last: number) => number>> = {
    ArrowLeft: (from) => from - 1,
    ArrowDown: (from) => from - 1,
    ArrowRight: (from) => from + 1,
    ArrowUp: (from) => from + 1,
    PageDown: (from, last) => from - Math.max(1, Math.round(last / 10)),
    PageUp: (from, last) => from + Math.max(1, Math.round(last / 10)),
    Home: () => 0,
    End: (_from, last) => last,
  };
  slider.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    const last = (shown?.points.length ?? 0) - 1;
    if (!move || last < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    index = Math.min(last, Math.max(0, move(index ?? last, last)));
    chart()?.select(index);
    update();
  });
  slider.addEventListener('blur', () => {
    index = undefined;
    chart()?.select(undefined);
    update();
  });

  return {
    show(next: Shown): void {
      shown = next;
      index = undefined;
      const { metric, token } = next.view;
      slider.setAttribute('aria-label', `${token}, ${metricInWords(metric)}, ${rangeInWords(next.view)}`);
      slider.setAttribute('aria-valuemax', String(Math.max(0, next.points.length - 1)));
      update();
    },
    select(point: number | undefined): void {
      index = point;
      update();
    },
    clear(): void {
      shown = undefined;
      byId('readout-value').textContent = '\u00a0';
      byId('readout-note').textContent = '\u00a0';
    },
  };
}
