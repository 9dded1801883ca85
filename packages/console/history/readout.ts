import { byId } from '../../pages/dom.ts';
import { count, onDateAt } from '../../pages/format.ts';
import { type Cell, headCells, makeRow } from '../../pages/table.ts';
import { money } from '../core/currency.ts';
import type { Chart } from './chart.ts';
import { type Drawn, formatMetric, metricInWords, metricTitle, rangeInWords } from './chart-choice.ts';
import type { Legend } from './compare-control.ts';
import { comparisonRows, rowsInWords, rowTitle } from './comparison-words.ts';
import { changeInWords } from './gestures.ts';

/** Returns the last value and its change. `dayChange` is the service's 24-hour change, in percent. */
function summary(drawn: Drawn, dayChange: number | null | undefined): [value: string, note: string] {
  const { points, view } = drawn;
  const last = points.at(-1);
  if (!last) return ['\u00a0', 'no data'];
  const value = formatMetric(view, last.price);
  if (view.metric === 'total_volume') return [value, `on ${onDateAt(last.date)}`];
  return [value, changeInWords(drawn, dayChange)];
}

function pointInWords(
  { points, candles, view }: Drawn,
  index: number,
  symbol: string,
): [value: string, note: string] | undefined {
  const point = points[index];
  if (!point) return undefined;
  const value = formatMetric(view, point.price);
  const candle = candles?.[index];
  if (!candle) return [value, onDateAt(point.date)];
  const prices = (['open', 'high', 'low', 'close'] as const).map(
    (name) => `${name} ${formatMetric(view, candle[name])}`,
  );
  const volume = `volume ${count(candle.volume)} ${symbol.toUpperCase()}`;
  return [value, `${onDateAt(point.date)}: ${[...prices, volume].join(', ')}`];
}

function extremesOf({ points, candles }: Drawn): [low: number, high: number] {
  const lows = candles?.map(({ low }) => low) ?? points.map(({ price }) => price);
  const highs = candles?.map(({ high }) => high) ?? lows;
  return [
    lows.reduce((least, low) => Math.min(least, low), Number.POSITIVE_INFINITY),
    highs.reduce((most, high) => Math.max(most, high), Number.NEGATIVE_INFINITY),
  ];
}

export function openReadout(chart: () => Chart | undefined, legend: Legend) {
  const slider = byId('chart');
  let shown: Drawn | undefined;
  let symbol = '';
  let index: number | undefined;
  let dayChange: number | null | undefined;

  const limits = () => chart()?.shownIndices() ?? [0, Math.max(0, (shown?.points.length ?? 0) - 1)];

  function update(): void {
    if (!shown) return;
    const { points, candles, view, comparison } = shown;
    const [first, last] = limits();
    const point = index === undefined ? undefined : pointInWords(shown, index, symbol);
    const [value, note] = comparison ? rowTitle(comparison, index ?? last, view) : (point ?? summary(shown, dayChange));
    legend.read(index, view);
    slider.setAttribute('aria-valuemin', String(first));
    slider.setAttribute('aria-valuemax', String(last));
    byId('readout-value').textContent = value;
    byId('readout-note').textContent = note;
    slider.setAttribute('aria-valuenow', String(index ?? last));
    if (comparison) {
      slider.setAttribute('aria-valuetext', `${value}: ${rowsInWords(comparison, index ?? last, view)}`);
      return;
    }
    const [low, high] = extremesOf(shown).map((price) => formatMetric(view, price));
    const whole = `${count(points.length)} ${candles ? 'candles' : 'points'}, lowest ${low}, highest ${high}`;
    slider.setAttribute('aria-valuetext', point ? `${value}, ${note}` : `${value}, ${note}. ${whole}`);
  }

  /** The step of each key, in points. `shown` is the number of visible points. */
  const moves: Readonly<Record<string, (shown: number) => number>> = {
    ArrowLeft: () => -1,
    ArrowDown: () => -1,
    ArrowRight: () => 1,
    ArrowUp: () => 1,
    PageDown: (all) => -Math.max(1, Math.round(all / 10)),
    PageUp: (all) => Math.max(1, Math.round(all / 10)),
    Home: () => Number.NEGATIVE_INFINITY,
    End: () => Number.POSITIVE_INFINITY,
  };

  function read(next: number): void {
    const [first, last] = limits();
    index = Math.min(last, Math.max(first, next));
    chart()?.select(index);
    update();
  }

  slider.addEventListener('keydown', (event) => {
    const move = moves[event.key];
    if (!move || !shown?.points.length) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const [first, last] = limits();
    read((index ?? last) + move(last - first));
  });
  slider.addEventListener('blur', () => {
    index = undefined;
    chart()?.select(undefined);
    update();
  });

  return {
    /** `title` names the tokens. `symbol` is that of the first token. */
    show(next: Drawn, title: string, unit: string): void {
      shown = next;
      symbol = unit;
      const { lines = [], dates = [] } = next.comparison ?? {};
      legend.show(lines, dates);
      index = undefined;
      const { view, candles } = next;
      byId('readout-note').classList.toggle('long', candles !== undefined);
      slider.setAttribute('aria-label', `${title}, ${metricInWords(view.metric)}, ${rangeInWords(view)}`);
      update();
    },
    index: () => index,
    follow(): void {
      if (index === undefined) update();
      else read(index);
    },
    /** Sets the service's 24-hour change, in percent. */
    compare(next: number | null | undefined): void {
      dayChange = next;
      update();
    },
    select(point: number | undefined): void {
      index = point;
      update();
    },
    clear(): void {
      shown = undefined;
      legend.clear();
      byId('readout-value').textContent = '\u00a0';
      byId('readout-note').textContent = '\u00a0';
    },
  };
}

const MAX_ROWS = 400;

function columnsOf({ points, candles, view, comparison }: Drawn): { heads: string[]; rows: (readonly Cell[])[] } {
  if (comparison)
    return { heads: comparison.lines.map(({ token }) => token.title), rows: comparisonRows(comparison, view) };
  if (!candles) {
    const rows = points.map(({ date, price }) => [[onDateAt(date)], [formatMetric(view, price), 'num']] as const);
    return { heads: [metricTitle(view.metric)], rows };
  }
  const rows = candles.map(({ date, open, high, low, close, volume }): Cell[] => {
    const prices = [open, high, low, close].map((price) => [money(price, view.currency), 'num'] as const);
    return [[onDateAt(date)], ...prices, [count(volume), 'num']];
  });
  return { heads: ['Open', 'High', 'Low', 'Close', 'Volume, tokens'], rows };
}

/** Lists the newest points first. Opening the table fills it. */
export function openPointsTable() {
  const details = byId('points', HTMLDetailsElement);
  let drawn: Drawn | undefined;

  function fill(): void {
    if (!details.open || !drawn) return;
    const { heads, rows } = columnsOf(drawn);
    byId('points-head').replaceChildren(...headCells([['Time (UTC)'], ...heads.map((head) => [head, 'num'] as const)]));
    byId('points-body').replaceChildren(
      ...rows
        .slice(-MAX_ROWS)
        .reverse()
        .map((row) => makeRow(...row)),
    );
    byId('points-note').textContent =
      rows.length > MAX_ROWS
        ? `The latest ${MAX_ROWS} of ${count(rows.length)} points. The CSV file contains all points.`
        : '';
  }
  details.addEventListener('toggle', fill);

  return (next: Drawn): void => {
    drawn = next;
    fill();
  };
}

/** Replaces the chart with an image in light colors before the page is printed. */
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
