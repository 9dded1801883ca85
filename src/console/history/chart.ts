import {
  AreaSeries,
  createChart,
  HistogramSeries,
  type ISeriesApi,
  LineType,
  TickMarkType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { PriceSeries } from '../client/index.ts';
import { axisMoney, bigMoney } from './format.ts';
import type { Theme } from './theme.ts';
import type { Metric } from './view.ts';

/*
 * The only module that knows the charting library. It is loaded when there is something to draw.
 */

export type Points = PriceSeries['prices'];

const ticks = new Map<TickMarkType, Intl.DateTimeFormat>(
  (
    [
      [TickMarkType.Year, { year: 'numeric' }],
      [TickMarkType.Month, { month: 'short', year: 'numeric' }],
      [TickMarkType.DayOfMonth, { day: 'numeric', month: 'short' }],
      [TickMarkType.Time, { timeStyle: 'short' }],
      [TickMarkType.TimeWithSeconds, { timeStyle: 'medium' }],
    ] as const
  ).map(([kind, format]) => [kind, new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' })]),
);

/** The step below which figures of a size are not told apart on the axis: a ten-thousandth of it, a dollar at most. */
const stepOf = (size: number) => (size > 0 ? Math.min(1, 10 ** (Math.floor(Math.log10(size)) - 4)) : 1);

const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000) as UTCTimestamp;

/** Draws into an element; `onPoint` is told which point the pointer is at, and undefined when at none. */
export function openPlot(element: HTMLElement, theme: Theme, onPoint: (index: number | undefined) => void) {
  const chart = createChart(element, {
    autoSize: true,
    // Its logo would bring a style element along, which the page's policy refuses: the footer names the maker.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    // The page scrolls and the buttons choose the span: a finger on the chart only reads it.
    handleScroll: false,
    handleScale: false,
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.1, bottom: 0.06 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      fixLeftEdge: true,
      fixRightEdge: true,
      tickMarkFormatter: (time: UTCTimestamp, kind: TickMarkType) =>
        ticks.get(kind)?.format(time * 1000) ?? null,
    },
    grid: { vertLines: { visible: false } },
    crosshair: { horzLine: { visible: false, labelVisible: false }, vertLine: { labelVisible: false } },
  });
  let points: Points = [];
  let series: ISeriesApi<'Area'> | ISeriesApi<'Histogram'> | undefined;
  let metric: Metric | undefined;

  function paint(): void {
    const accent = theme.colour('--accent');
    chart.applyOptions({
      layout: { background: { color: 'transparent' }, textColor: theme.colour('--soft') },
      grid: { horzLines: { color: theme.colour('--line') } },
      crosshair: { vertLine: { color: theme.colour('--soft'), style: 0 } },
    });
    if (metric === 'total_volume') series?.applyOptions({ color: accent });
    else {
      const wash = theme.colour('--accent-wash');
      const options = { lineColor: accent, topColor: wash, bottomColor: 'transparent' };
      (series as ISeriesApi<'Area'> | undefined)?.applyOptions(options);
    }
  }

  chart.subscribeCrosshairMove(({ time, sourceEvent }) => {
    // What the keyboard moves, the keyboard tells of.
    if (sourceEvent === undefined && time !== undefined) return;
    const index = time === undefined ? -1 : points.findIndex(({ date }) => secondsOf(date) === time);
    onPoint(index < 0 ? undefined : index);
  });
  theme.onChange(paint);

  return {
    show(next: Points, of: Metric): void {
      points = next;
      if (of !== metric || !series) {
        if (series) chart.removeSeries(series);
        metric = of;
        const common = { priceLineVisible: false, lastValueVisible: false };
        series =
          of === 'total_volume'
            ? chart.addSeries(HistogramSeries, common)
            : chart.addSeries(AreaSeries, { ...common, lineWidth: 2, lineType: LineType.Simple });
        paint();
      }
      const formatter = of === 'prices' ? axisMoney : bigMoney;
      const minMove = stepOf(Math.max(0, ...points.map(({ price }) => price)));
      series.applyOptions({ priceFormat: { type: 'custom', formatter, minMove } });
      series.setData(points.map(({ date, price }) => ({ time: secondsOf(date), value: price })));
      chart.timeScale().fitContent();
    },

    /** Sets the crosshair on a point, or takes it away. */
    point(index: number | undefined): void {
      const point = index === undefined ? undefined : points[index];
      if (point && series) chart.setCrosshairPosition(point.price, secondsOf(point.date), series);
      else chart.clearCrosshairPosition();
    },
  };
}

export type Plot = ReturnType<typeof openPlot>;
