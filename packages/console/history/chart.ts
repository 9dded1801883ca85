import { effect } from '@preact/signals';
import { createChart, type IChartApi, PriceScaleMode, type TickMarkType, type UTCTimestamp } from 'lightweight-charts';
import { DAY } from '../../pages/dates.ts';
import type { Theme } from '../core/facts.ts';
import { timeLabel } from './axis-labels.ts';
import { isLog } from './chart-choice.ts';
import { openDrawing, secondsOf } from './drawing.ts';
import { isWhole, openGestures, type Part, panned, zoomed } from './gestures.ts';
import { lengthOf } from './intervals.ts';
import type { Position } from './position.ts';

/** In the order of `TickMarkType`. */
const UNITS = ['year', 'month', 'day', 'time', 'time'] as const;

/** In px, from the top left corner of the window. */
export type Mouse = { x: number; y: number } | undefined;

function newChart(element: HTMLElement, { drawn }: Position): IChartApi {
  /** Among dates, the latest point also has a date. */
  function unitOf(kind: TickMarkType) {
    const isDaily = drawn.value !== undefined && lengthOf(drawn.value.view.interval) >= DAY;
    return isDaily && UNITS[kind] === 'time' ? 'day' : UNITS[kind];
  }
  return createChart(element, {
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
      tickMarkFormatter: (time: UTCTimestamp, kind: TickMarkType) => timeLabel(time, unitOf(kind)),
    },
    grid: { vertLines: { visible: false } },
    crosshair: { horzLine: { visible: false, labelVisible: false }, vertLine: { labelVisible: false } },
  });
}

function handleGestures(element: HTMLElement, chart: IChartApi, position: Position): void {
  const { part, count } = position;
  /** `x` is the distance from the left edge in px. */
  const placeAt = (x: number) => chart.timeScale().coordinateToLogical(x) ?? undefined;
  openGestures(element, {
    read(x) {
      const place = x === undefined ? undefined : placeAt(x);
      position.read(place === undefined ? undefined : Math.round(place));
    },
    zoom: (factor, x) => position.show(zoomed(part.value, count.value, factor, placeAt(x))),
    pan(px) {
      if (isWhole(part.value, count.value)) return false;
      const perPoint = chart.timeScale().width() / (part.value.to - part.value.from + 1);
      position.show(panned(part.value, count.value, px / perPoint));
      return true;
    },
  });
}

/**
 * Draws `drawn` into an element, until `close`. The visible part and the selected point follow `position` and set it.
 * `mouse` returns the last position of the mouse.
 */
export function openChart(element: HTMLElement, theme: Theme, position: Position, mouse: () => Mouse) {
  const { drawn, part, index, count } = position;
  const chart = newChart(element, position);
  const drawing = openDrawing(chart, theme);
  /** The last part and point that the library reported, and therefore already shows. */
  let reported: Part | undefined;
  let pointed: number | undefined;

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
    // When the page scrolls, the chart moves under a mouse that stands still.
    const last = mouse();
    if (last && sourceEvent?.clientX === last.x && sourceEvent.clientY === last.y) return showPoint();
    const at = drawn.value?.points.findIndex(({ date }) => secondsOf(date) === time) ?? -1;
    pointed = time === undefined || at < 0 ? undefined : at;
    index.value = pointed;
  });
  chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
    if (!range) return;
    reported = { from: range.from, to: range.to };
    position.show(reported);
  });

  function showPoint(): void {
    const { value } = index;
    pointed = value;
    if (value === undefined || !drawing.select(value)) chart.clearCrosshairPosition();
  }
  function showPart(next: Part): void {
    if (count.peek() > 0) chart.timeScale().setVisibleLogicalRange(next);
  }
  const effects = [
    effect(paint),
    effect(() => {
      if (!drawn.value) return;
      // The library reports its own range while the data changes.
      const next = part.peek();
      drawing.show(drawn.value);
      const mode = isLog(drawn.value.view) ? PriceScaleMode.Logarithmic : PriceScaleMode.Normal;
      chart.priceScale('right').applyOptions({ mode });
      showPart(next);
    }),
    effect(() => {
      if (part.value !== reported) showPart(part.value);
    }),
    effect(() => {
      if (index.value !== pointed) showPoint();
    }),
  ];

  handleGestures(element, chart, position);

  return {
    /** Returns an image in the colors of the current theme. */
    picture(): HTMLCanvasElement {
      paint();
      return chart.takeScreenshot();
    },
    paint,
    close(): void {
      for (const stop of effects) stop();
      chart.remove();
    },
  };
}

export type Chart = ReturnType<typeof openChart>;
