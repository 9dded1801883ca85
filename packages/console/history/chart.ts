import { createChart, PriceScaleMode, TickMarkType, type UTCTimestamp } from 'lightweight-charts';
import type { Theme } from '../core/facts.ts';
import { type TimeUnit, timeLabel } from './axis-labels.ts';
import { type Drawn, isLog, type Points } from './chart-choice.ts';
import { openDrawing, secondsOf } from './drawing.ts';
import { indicesIn, isClosest, isWhole, openGestures, type Part, panned, wholeOf, zoomed } from './gestures.ts';

const UNITS: Readonly<Record<TickMarkType, TimeUnit>> = {
  [TickMarkType.Year]: 'year',
  [TickMarkType.Month]: 'month',
  [TickMarkType.DayOfMonth]: 'day',
  [TickMarkType.Time]: 'time',
  [TickMarkType.TimeWithSeconds]: 'time',
};

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
  const drawing = openDrawing(chart, theme);
  let points: Points = [];
  let part = wholeOf(0);

  function paint(): void {
    chart.applyOptions({
      layout: { background: { color: 'transparent' }, textColor: theme.color('--soft') },
      grid: { horzLines: { color: theme.color('--line') } },
      crosshair: { vertLine: { color: theme.color('--soft'), style: 0 } },
    });
    drawing.paint();
  }

  chart.subscribeCrosshairMove(({ time, sourceEvent }) => {
    // Without an event, `select` moved the crosshair, and the readout already shows the point.
    if (sourceEvent === undefined && time !== undefined) return;
    const index = time === undefined ? -1 : points.findIndex(({ date }) => secondsOf(date) === time);
    onPoint(index < 0 ? undefined : index);
  });
  theme.onChange(paint);
  paint();

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
    if (index === undefined || !drawing.select(index)) chart.clearCrosshairPosition();
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
      points = drawn.points;
      drawing.show(drawn);
      const mode = isLog(drawn.view) ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal;
      chart.priceScale('right').applyOptions({ mode });
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
