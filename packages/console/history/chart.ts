import {
  AreaSeries,
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type ISeriesApi,
  LineType,
  PriceScaleMode,
  TickMarkType,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { Theme } from '../core/facts.ts';
import { axisLabels, type TimeUnit, timeLabel } from './axis-labels.ts';
import { type Drawn, formatMetric, isLog, type Points } from './chart-choice.ts';
import { indicesIn, isClosest, isWhole, openGestures, type Part, panned, wholeOf, zoomed } from './gestures.ts';

/* Only this module imports the charting library. It is loaded with the first chart. */

const UNITS: Readonly<Record<TickMarkType, TimeUnit>> = {
  [TickMarkType.Year]: 'year',
  [TickMarkType.Month]: 'month',
  [TickMarkType.DayOfMonth]: 'day',
  [TickMarkType.Time]: 'time',
  [TickMarkType.TimeWithSeconds]: 'time',
};

/** Returns about a thousandth of the spread of the values, as a power of ten, and at most 1. */
function stepOf(points: Points): number {
  const prices = points.map(({ price }) => price);
  const most = prices.reduce((one, other) => Math.max(one, other), 0);
  const spread = most - prices.reduce((one, other) => Math.min(one, other), most);
  const size = spread > 0 ? spread : most;
  return size > 0 ? Math.min(1, 10 ** (Math.floor(Math.log10(size)) - 3)) : 1;
}

const secondsOf = (date: Date) => Math.floor(date.getTime() / 1000) as UTCTimestamp;

type Shape = 'line' | 'bars' | 'candles';
type Drawing = ISeriesApi<'Area'> | ISeriesApi<'Histogram'> | ISeriesApi<'Candlestick'>;

const shapeOf = ({ view, candles }: Drawn): Shape =>
  candles ? 'candles' : view.metric === 'total_volume' ? 'bars' : 'line';

type Events = {
  onPoint: (index: number | undefined) => void;
  onPart: () => void;
};

export function openChart(element: HTMLElement, theme: Theme, { onPoint, onPart }: Events) {
  const chart = createChart(element, {
    autoSize: true,
    // The Content-Security-Policy blocks the logo's style element, so the footer has the attribution.
    layout: { attributionLogo: false, fontFamily: getComputedStyle(document.body).fontFamily, fontSize: 12 },
    // The mouse pans a zoomed chart. `gestures.ts` handles fingers and the wheel, so that the page still scrolls.
    handleScroll: { pressedMouseMove: true, mouseWheel: false, horzTouchDrag: false, vertTouchDrag: false },
    handleScale: false,
    rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.1, bottom: 0.06 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      fixLeftEdge: true,
      fixRightEdge: true,
      lockVisibleTimeRangeOnResize: true,
      tickMarkFormatter: (time: UTCTimestamp, kind: TickMarkType) => timeLabel(time, UNITS[kind]),
    },
    grid: { vertLines: { visible: false } },
    crosshair: { horzLine: { visible: false, labelVisible: false }, vertLine: { labelVisible: false } },
  });
  let points: Points = [];
  let shape: Shape | undefined;
  let series: Drawing | undefined;
  let part = wholeOf(0);

  /** Rising candles are hollow, so that color is not the only difference. */
  function colors(): object {
    const accent = theme.color('--accent');
    if (shape === 'bars') return { color: accent };
    if (shape === 'line') {
      return { lineColor: accent, topColor: theme.color('--accent-wash'), bottomColor: 'transparent' };
    }
    const [up, down] = [theme.color('--up'), theme.color('--down')];
    return {
      upColor: theme.color('--surface'),
      borderUpColor: up,
      wickUpColor: up,
      downColor: down,
      borderDownColor: down,
      wickDownColor: down,
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
    // Without an event, `select` moved the crosshair, and the readout already shows the point.
    if (sourceEvent === undefined && time !== undefined) return;
    const index = time === undefined ? -1 : points.findIndex(({ date }) => secondsOf(date) === time);
    onPoint(index < 0 ? undefined : index);
  });
  theme.onChange(paint);

  function showPart(next: (part: Part, points: number) => Part): void {
    if (points.length === 0) return;
    part = next(part, points.length);
    chart.timeScale().setVisibleLogicalRange(part);
    onPart();
  }
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (!range) return;
    part = { from: range.from, to: range.to };
    onPart();
  });
  const shownIndices = () => indicesIn(part, points.length);

  function select(index: number | undefined): void {
    const point = index === undefined ? undefined : points[index];
    if (point && series) chart.setCrosshairPosition(point.price, secondsOf(point.date), series);
    else chart.clearCrosshairPosition();
  }

  /** `x` is the distance from the left edge in px. */
  function indexAt(x: number): number | undefined {
    const place = chart.timeScale().coordinateToLogical(x);
    const [first, last] = shownIndices();
    return place === null ? undefined : Math.max(first, Math.min(last, Math.round(place)));
  }
  openGestures(element, {
    read(x) {
      const index = x === undefined ? undefined : indexAt(x);
      select(index);
      onPoint(index);
    },
    zoom: (factor, x) =>
      showPart((now, count) => zoomed(now, count, factor, chart.timeScale().coordinateToLogical(x) ?? undefined)),
    pan(px) {
      if (isWhole(part, points.length)) return false;
      const perPoint = chart.timeScale().width() / (part.to - part.from + 1);
      showPart((now, count) => panned(now, count, px / perPoint));
      return true;
    },
  });

  return {
    /** `keepsPart` means that the points are unchanged, so the visible part remains the same. */
    show(drawn: Drawn, keepsPart: boolean): void {
      const { view } = drawn;
      const { currency, metric } = view;
      points = drawn.points;
      const next = shapeOf(drawn);
      if (next !== shape || !series) {
        if (series) chart.removeSeries(series);
        shape = next;
        series = add(next);
        paint();
      }
      const isPrice = metric === 'prices' || metric === 'candles';
      series.applyOptions({
        priceFormat: {
          type: 'custom',
          formatter: (value: number) => formatMetric(view, value),
          tickmarksFormatter: (ticks: number[]) => axisLabels(ticks, currency, isPrice ? 'prices' : 'amounts'),
          minMove: stepOf(points),
        },
      });
      chart.priceScale('right').applyOptions({
        mode: isLog(view) ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal,
      });
      series.setData(
        drawn.candles
          ? drawn.candles.map(({ date, open, high, low, close }) => ({ time: secondsOf(date), open, high, low, close }))
          : points.map(({ date, price }) => ({ time: secondsOf(date), value: price })),
      );
      if (!keepsPart) chart.clearCrosshairPosition();
      // Set here, because the library reports the range only in the next frame.
      showPart(() => (keepsPart ? part : wholeOf(points.length)));
    },

    select,
    paint,
    showPart,
    showAll: () => showPart((_, count) => wholeOf(count)),
    shownIndices,
    shownTimes: () => shownIndices().map((index) => points[index]?.date),
    zoom: () => ({ isWhole: isWhole(part, points.length), isClosest: isClosest(part, points.length) }),
    picture(): HTMLCanvasElement {
      paint();
      return chart.takeScreenshot();
    },
  };
}

export type Chart = ReturnType<typeof openChart>;
