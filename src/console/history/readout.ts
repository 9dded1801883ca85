import { byId } from '../dom.ts';
import { change, count, onDateAt } from '../format.ts';
import type { Chart } from './chart.ts';
import { type Drawn, formatMetric, metricInWords, rangeInWords } from './history-view.ts';

/** The last value of the series and its change since the first. */
function summary({ points, candles, view }: Drawn): [value: string, note: string] {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return ['\u00a0', 'no data'];
  const value = formatMetric(view, last.price);
  if (view.metric === 'total_volume') return [value, `on ${onDateAt(last.date)}`];
  const start = candles?.[0]?.open ?? first.price;
  const isFlat = start === 0 || (first === last && !candles);
  return [value, `${isFlat ? '' : `${change(last.price / start - 1)}, `}${rangeInWords(view)}`];
}

/** A point, or a candle with all its prices. */
function pointInWords(
  { points, candles, view }: Drawn,
  index: number,
): [value: string, note: string] | undefined {
  const point = points[index];
  if (!point) return undefined;
  const value = formatMetric(view, point.price);
  const candle = candles?.[index];
  if (!candle) return [value, onDateAt(point.date)];
  const [open, high, low] = [candle.open, candle.high, candle.low].map((price) => formatMetric(view, price));
  return [value, `${onDateAt(point.date)}: open ${open}, high ${high}, low ${low}`];
}

function extremesOf({ points, candles }: Drawn): [low: number, high: number] {
  const lows = candles?.map(({ low }) => low) ?? points.map(({ price }) => price);
  const highs = candles?.map(({ high }) => high) ?? lows;
  return [
    lows.reduce((least, low) => Math.min(least, low), Number.POSITIVE_INFINITY),
    highs.reduce((most, high) => Math.max(most, high), Number.NEGATIVE_INFINITY),
  ];
}

/** The text above the chart: a summary, or the point at the pointer or selected with the arrow keys. */
export function openReadout(chart: () => Chart | undefined) {
  const slider = byId('chart');
  let shown: Drawn | undefined;
  let index: number | undefined;

  function update(): void {
    if (!shown) return;
    const { points, candles, view } = shown;
    const point = index === undefined ? undefined : pointInWords(shown, index);
    const [value, note] = point ?? summary(shown);
    byId('readout-value').textContent = value;
    byId('readout-note').textContent = note;
    slider.setAttribute('aria-valuenow', String(index ?? Math.max(0, points.length - 1)));
    const [low, high] = extremesOf(shown).map((price) => formatMetric(view, price));
    const whole = `${count(points.length)} ${candles ? 'candles' : 'points'}, lowest ${low}, highest ${high}`;
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
    show(next: Drawn, title: string): void {
      shown = next;
      index = undefined;
      const { points, view } = next;
      slider.setAttribute('aria-label', `${title}, ${metricInWords(view.metric)}, ${rangeInWords(view)}`);
      slider.setAttribute('aria-valuemax', String(Math.max(0, points.length - 1)));
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
