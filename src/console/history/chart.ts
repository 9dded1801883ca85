import {
  AreaSeries,
  createChart,
  HistogramSeries,
  type ISeriesApi,
  LineType,
  TickMarkType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { PriceSeries } from '../../client/index.ts';
import { axisMoney, bigMoney, utc } from '../format.ts';
import type { Theme } from '../theme.ts';
import type { Metric } from './history-view.ts';

/*
 * The only module that imports the charting library. It is loaded when there is something to draw.
 */

export type Points = PriceSeries['prices'];

const TICKS: Readonly<Record<TickMarkType, Intl.DateTimeFormat>> = {
  [TickMarkType.Year]: utc({ year: 'numeric' }),
  [TickMarkType.Month]: utc({ month: 'short', year: 'numeric' }),
  [TickMarkType.DayOfMonth]: utc({ day: 'numeric', month: 'short' }),
  [TickMarkType.Time]: utc({ timeStyle: 'short' }),
  [TickMarkType.TimeWithSeconds]: utc({ timeStyle: 'medium' }),
};

/** The smallest step on the axis for values of a size: a ten-thousandth of it, at most a dollar. */
const stepOf = (size: number) => (size > 0 ? Math.min(1, 10 ** (Math.floor(Math.log10(size)) - 4)) : 1);

const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000) as UTCTimestamp;

/** Draws a chart into an element. `onPoint` gets the index of the point under the pointer, undefined if there is none. */
export function openChart(element: HTMLElement, theme: Theme, onPoint: (index: number | undefined) => void) {
  const chart = createChart(element, {
    autoSize: true,
    // The logo needs a style element, which the Content-Security-Policy refuses; the footer has the attribution.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    // Touch only reads the chart: the page scrolls, and the buttons select the range.
    handleScroll: false,
    handleScale: false,
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.1, bottom: 0.06 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      fixLeftEdge: true,
      fixRightEdge: true,
      tickMarkFormatter: (time: UTCTimestamp, kind: TickMarkType) => TICKS[kind].format(time * 1000),
    },
    grid: { vertLines: { visible: false } },
    crosshair: { horzLine: { visible: false, labelVisible: false }, vertLine: { labelVisible: false } },
  });
  let points: Points = [];
  let series: ISeriesApi<'Area'> | ISeriesApi<'Histogram'> | undefined;
  let metric: Metric | undefined;

  function paint(): void {
    const accent = theme.color('--accent');
    chart.applyOptions({
      layout: { background: { color: 'transparent' }, textColor: theme.color('--soft') },
      grid: { horzLines: { color: theme.color('--line') } },
      crosshair: { vertLine: { color: theme.color('--soft'), style: 0 } },
    });
    if (metric === 'total_volume') series?.applyOptions({ color: accent });
    else {
      const wash = theme.color('--accent-wash');
      const options = { lineColor: accent, topColor: wash, bottomColor: 'transparent' };
      (series as ISeriesApi<'Area'> | undefined)?.applyOptions(options);
    }
  }

  chart.subscribeCrosshairMove(({ time, sourceEvent }) => {
    // Without an event the keyboard moved the crosshair, and the readout already shows the point.
    if (sourceEvent === undefined && time !== undefined) return;
    const index = time === undefined ? -1 : points.findIndex(({ date }) => secondsOf(date) === time);
    onPoint(index < 0 ? undefined : index);
  });
  theme.onChange(paint);

  return {
    show(nextPoints: Points, nextMetric: Metric): void {
      points = nextPoints;
      if (nextMetric !== metric || !series) {
        if (series) chart.removeSeries(series);
        metric = nextMetric;
        const common = { priceLineVisible: false, lastValueVisible: false };
        series =
          metric === 'total_volume'
            ? chart.addSeries(HistogramSeries, common)
            : chart.addSeries(AreaSeries, { ...common, lineWidth: 2, lineType: LineType.Simple });
        paint();
      }
      const formatter = metric === 'prices' ? axisMoney : bigMoney;
      const minMove = stepOf(Math.max(0, ...points.map(({ price }) => price)));
      series.applyOptions({ priceFormat: { type: 'custom', formatter, minMove } });
      series.setData(points.map(({ date, price }) => ({ time: secondsOf(date), value: price })));
      chart.timeScale().fitContent();
    },

    /** Moves the crosshair to a point, or removes it. */
    select(index: number | undefined): void {
      const point = index === undefined ? undefined : points[index];
      if (point && series) chart.setCrosshairPosition(point.price, secondsOf(point.date), series);
      else chart.clearCrosshairPosition();
    },
  };
}

export type Chart = ReturnType<typeof openChart>;
