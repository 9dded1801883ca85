import { untracked } from '@preact/signals';
import {
  AreaSeries,
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type LineData,
  LineSeries,
  LineStyle,
  LineType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Theme } from '../core/facts.ts';
import { axisLabels } from './axis-labels.ts';
import { type Drawn, formatMetric } from './chart-choice.ts';
import { type Comparison, endsBefore, type Line } from './comparison.ts';
import { indexInWords } from './comparison-words.ts';

/* Only this module and `chart.ts` import the charting library. It is loaded with the first chart. */

export const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000) as UTCTimestamp;

type Shape = 'line' | 'bars' | 'candles' | 'lines';
type Series = ISeriesApi<'Area'> | ISeriesApi<'Histogram'> | ISeriesApi<'Candlestick'> | ISeriesApi<'Line'>;

function shapeOf({ view, candles, comparison }: Drawn): Shape {
  if (comparison) return 'lines';
  if (candles) return 'candles';
  return view.metric === 'total_volume' ? 'bars' : 'line';
}

const COMMON = { priceLineVisible: false, lastValueVisible: false };
const MAKE: Readonly<Record<Shape, (chart: IChartApi) => Series>> = {
  bars: (chart) => chart.addSeries(HistogramSeries, COMMON),
  candles: (chart) => chart.addSeries(CandlestickSeries, COMMON),
  lines: (chart) => chart.addSeries(LineSeries, { ...COMMON, lineWidth: 2 }),
  line: (chart) => chart.addSeries(AreaSeries, { ...COMMON, lineWidth: 2, lineType: LineType.Simple }),
};

/** The styles of compared lines, in the order of the colors `--line-1` to `--line-5`. */
const STYLES = [LineStyle.Solid, LineStyle.LargeDashed, LineStyle.Dotted, LineStyle.Dashed, LineStyle.SparseDotted];
const COLORS = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5'] as const;
const NO_COLOR = 'transparent';

/** Returns about a thousandth of the spread of the values, as a power of ten, and at most 1. */
function stepOf(values: readonly number[]): number {
  const most = values.reduce((one, other) => Math.max(one, other), 0);
  const spread = most - values.reduce((one, other) => Math.min(one, other), most);
  const size = spread > 0 ? spread : most;
  return size > 0 ? Math.min(1, 10 ** (Math.floor(Math.log10(size)) - 3)) : 1;
}

/** The segment after a point has the color of the point, so the line has gaps where values are missing. */
function lineData(dates: readonly Date[], { values }: Line): LineData<UTCTimestamp>[] {
  return values.flatMap((value, row) => {
    const date = dates[row];
    if (value === undefined || !date) return [];
    return [{ time: secondsOf(date), value, ...(endsBefore(values, row) && { color: NO_COLOR }) }];
  });
}

/** The series that the chart shows. */
export function openDrawing(chart: IChartApi, theme: Theme) {
  let shape: Shape | undefined;
  let series: Series[] = [];
  let shown: Drawn | undefined;

  /** Rising candles are hollow, so that color is not the only difference. */
  function colors(place: number): object {
    const [accent, up, down] = (['--accent', '--up', '--down'] as const).map(theme.color);
    if (shape === 'bars') return { color: accent };
    if (shape === 'line') return { lineColor: accent, topColor: theme.color('--accent-wash'), bottomColor: NO_COLOR };
    if (shape === 'lines') {
      const color = theme.color(COLORS[place] ?? COLORS[0]);
      return { color, crosshairMarkerBackgroundColor: color, lineStyle: STYLES[place] };
    }
    const rising = { upColor: theme.color('--surface'), borderUpColor: up, wickUpColor: up };
    return { ...rising, downColor: down, borderDownColor: down, wickDownColor: down };
  }

  function paint(): void {
    for (const [place, one] of series.entries()) one.applyOptions(colors(place));
  }

  function prepare(next: Shape, count: number): void {
    if (next === shape && series.length === count) return;
    for (const line of series) chart.removeSeries(line);
    shape = next;
    series = Array.from({ length: count }, () => MAKE[next](chart));
    untracked(paint);
  }

  function format({ view, points, comparison }: Drawn): void {
    const { metric, currency, mode } = view;
    const isIndexed = comparison !== undefined && mode === 'indexed';
    const kind = metric === 'prices' || metric === 'candles' ? 'prices' : 'amounts';
    const values = comparison ? valuesOf(comparison) : points.map(({ price }) => price);
    const priceFormat = {
      type: 'custom',
      formatter: (value: number) => (isIndexed ? indexInWords(value) : formatMetric(view, value)),
      tickmarksFormatter: (ticks: number[]) => axisLabels(ticks, isIndexed ? undefined : currency, kind),
      minMove: stepOf(values),
    } as const;
    for (const line of series) line.applyOptions({ priceFormat });
  }

  return {
    paint,
    show(drawn: Drawn): void {
      const { points, candles, comparison } = drawn;
      shown = drawn;
      prepare(shapeOf(drawn), comparison?.lines.length ?? 1);
      format(drawn);
      const single = candles
        ? candles.map(({ date, open, high, low, close }) => ({ time: secondsOf(date), open, high, low, close }))
        : points.map(({ date, price }) => ({ time: secondsOf(date), value: price }));
      const data = comparison ? comparison.lines.map((line) => lineData(comparison.dates, line)) : [single];
      for (const [place, one] of series.entries()) one.setData(data[place] ?? []);
    },

    /** Moves the crosshair to a point. Returns false if there is none. */
    select(index: number): boolean {
      const point = shown?.points[index];
      if (!point) return false;
      const place = shown?.comparison?.lines.findIndex(({ values }) => values[index] !== undefined) ?? 0;
      const line = series[Math.max(0, place)];
      if (line) chart.setCrosshairPosition(point.price, secondsOf(point.date), line);
      return line !== undefined;
    },
  };
}

const valuesOf = ({ lines }: Comparison): number[] =>
  lines.flatMap(({ values }) => values.filter((value) => value !== undefined));
