import {
  AreaSeries,
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type ISeriesApi,
  LineType,
  TickMarkType,
  type UTCTimestamp,
} from 'lightweight-charts';
import { axisMoney, bigMoney, utc } from '../format.ts';
import type { Theme } from '../theme.ts';
import type { Drawn, Points } from './history-view.ts';

/*
 * The only module that imports the charting library. It is loaded when there is something to draw.
 */

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

type Shape = 'line' | 'bars' | 'candles';
type Drawing = ISeriesApi<'Area'> | ISeriesApi<'Histogram'> | ISeriesApi<'Candlestick'>;

const shapeOf = ({ view, candles }: Drawn): Shape =>
  candles ? 'candles' : view.metric === 'total_volume' ? 'bars' : 'line';

/** Draws a chart into an element. `onPoint` gets the index of the point under the pointer, undefined if there is none. */
export function openChart(element: HTMLElement, theme: Theme, onPoint: (index: number | undefined) => void) {
  const chart = createChart(element, {
    autoSize: true,
    // The logo needs a style element, which the Content-Security-Policy refuses; the footer has the attribution.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    // Touch only reads the chart: the page scrolls, and the buttons select the range.
    handleScroll: false,
    handleScale: false,
    rightPriceScale: {
      borderVisible: false,
      entireTextOnly: true,
      scaleMargins: { top: 0.1, bottom: 0.06 },
    },
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
  let shape: Shape | undefined;
  let series: Drawing | undefined;

  /** The colors of each shape. A candle that rose is hollow, so that its color is not all that tells it. */
  function colors(): object {
    const accent = theme.color('--accent');
    if (shape === 'bars') return { color: accent };
    if (shape === 'line') {
      return { lineColor: accent, topColor: theme.color('--accent-wash'), bottomColor: 'transparent' };
    }
    const [up, down] = [theme.color('--up'), theme.color('--down')];
    return {
      ...{ upColor: theme.color('--surface'), borderUpColor: up, wickUpColor: up },
      ...{ downColor: down, borderDownColor: down, wickDownColor: down },
    };
  }

  function paint(): void {
    chart.applyOptions({
      layout: { background: { color: 'transparent' }, textColor: theme.color('--soft') },
      grid: { horzLines: { color: theme.color('--line') } },
      crosshair: { vertLine: { color: theme.color('--soft'), style: 0 } },
    });
    series?.applyOptions(colors());
  }

  function add(next: Shape): Drawing {
    const common = { priceLineVisible: false, lastValueVisible: false };
    if (next === 'bars') return chart.addSeries(HistogramSeries, common);
    if (next === 'candles') return chart.addSeries(CandlestickSeries, common);
    return chart.addSeries(AreaSeries, { ...common, lineWidth: 2, lineType: LineType.Simple });
  }

  chart.subscribeCrosshairMove(({ time, sourceEvent }) => {
    // Without an event the keyboard moved the crosshair, and the readout already shows the point.
    if (sourceEvent === undefined && time !== undefined) return;
    const index = time === undefined ? -1 : points.findIndex(({ date }) => secondsOf(date) === time);
    onPoint(index < 0 ? undefined : index);
  });
  theme.onChange(paint);

  return {
    show(drawn: Drawn): void {
      const { currency, metric } = drawn.view;
      points = drawn.points;
      const next = shapeOf(drawn);
      if (next !== shape || !series) {
        if (series) chart.removeSeries(series);
        shape = next;
        series = add(next);
        paint();
      }
      const isPrice = metric === 'prices' || metric === 'candles';
      const formatter = (value: number) => (isPrice ? axisMoney : bigMoney)(value, currency);
      const minMove = stepOf(Math.max(0, ...points.map(({ price }) => price)));
      series.applyOptions({ priceFormat: { type: 'custom', formatter, minMove } });
      series.setData(
        drawn.candles
          ? drawn.candles.map(({ date, open, high, low, close }) => ({
              time: secondsOf(date),
              ...{ open, high, low, close },
            }))
          : points.map(({ date, price }) => ({ time: secondsOf(date), value: price })),
      );
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
