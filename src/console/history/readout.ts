import { byId } from './dom.ts';
import { change, count, onDateAt } from './format.ts';
import type { Plot, Points } from './plot.ts';
import { metricInWords, spanInWords, type View, write } from './view.ts';

type Looked = { points: Points; view: View };

/** The last figure of a series and how far it is from the first, in words. */
function summary({ points, view }: Looked): [value: string, note: string] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return ['\u00a0', 'no points'];
  const moved = first.price === 0 || first === last ? '' : `${change(last.price / first.price - 1)} over `;
  const note = view.metric === 'total_volume' ? `on ${onDateAt(last.date)}` : `${moved}${spanInWords(view)}`;
  return [write(view.metric, last.price), note];
}

/** Says what the chart shows: of the whole, or of the one point that the pointer or the arrow keys are at. */
export function openReading(plot: () => Plot | undefined) {
  const slider = byId('chart');
  let looked: Looked | undefined;
  let index: number | undefined;

  function tell(): void {
    if (!looked) return;
    const { points, view } = looked;
    const point = index === undefined ? undefined : points[index];
    const [value, note] = point ? [write(view.metric, point.price), onDateAt(point.date)] : summary(looked);
    byId('reading-value').textContent = value;
    byId('reading-note').textContent = note;
    slider.setAttribute('aria-valuenow', String(index ?? Math.max(0, points.length - 1)));
    const low = points.reduce((least, { price }) => Math.min(least, price), Number.POSITIVE_INFINITY);
    const high = points.reduce((most, { price }) => Math.max(most, price), Number.NEGATIVE_INFINITY);
    const whole = `${count(points.length)} points, lowest ${write(view.metric, low)}, highest ${write(view.metric, high)}`;
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
    const last = (looked?.points.length ?? 0) - 1;
    if (!move || last < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    index = Math.min(last, Math.max(0, move(index ?? last, last)));
    plot()?.point(index);
    tell();
  });
  slider.addEventListener('blur', () => {
    index = undefined;
    plot()?.point(undefined);
    tell();
  });

  return {
    show(next: Looked): void {
      looked = next;
      index = undefined;
      const { metric, token } = next.view;
      slider.setAttribute('aria-label', `${token}, ${metricInWords(metric)}, ${spanInWords(next.view)}`);
      slider.setAttribute('aria-valuemax', String(Math.max(0, next.points.length - 1)));
      tell();
    },
    at(point: number | undefined): void {
      index = point;
      tell();
    },
  };
}
