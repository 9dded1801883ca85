type Point = { x: number; y: number };

type Gestures = {
  /** Receives a finger's distance from the left edge in px, or undefined when the finger scrolls the page. */
  read: (x: number | undefined) => void;
  zoom: (factor: number, x: number) => void;
  /** Moves the visible part right by `px`. Returns false if the whole chart is visible. */
  pan: (px: number) => boolean;
};

/** The height of a wheel line and the largest wheel movement per event, in px. */
const LINE_PX = 16;
const MAX_TURNED = 25;

/**
 * A finger that moves sideways selects points, and a finger that moves vertically scrolls the page. Two fingers zoom
 * and pan. The wheel zooms with Ctrl and pans with Shift.
 */
export function openGestures(element: HTMLElement, { read, zoom, pan }: Gestures): void {
  const fingers = new Map<number, Point>();

  const xOf = ({ clientX }: MouseEvent) => clientX - element.getBoundingClientRect().left;
  function pinch(): { center: number; width: number } {
    const [one = { x: 0, y: 0 }, other = one] = fingers.values();
    return { center: (one.x + other.x) / 2, width: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)) };
  }
  const pointOf = (event: PointerEvent): Point => ({ x: xOf(event), y: event.clientY });

  // Otherwise, the library would handle a long touch and prevent the page from scrolling.
  element.addEventListener('touchstart', (event) => event.stopPropagation(), { capture: true, passive: true });
  element.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'mouse') fingers.set(event.pointerId, pointOf(event));
  });
  element.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = pinch();
    fingers.set(event.pointerId, pointOf(event));
    if (fingers.size === 1) return read(xOf(event));
    const after = pinch();
    zoom(after.width / before.width, after.center);
    pan(before.center - after.center);
  });
  element.addEventListener('pointerup', (event) => {
    if (fingers.size === 1 && fingers.has(event.pointerId)) {
      read(xOf(event));
      // While the element has the focus, the readout stays visible.
      element.focus({ preventScroll: true });
    }
    fingers.delete(event.pointerId);
  });
  element.addEventListener('pointercancel', ({ pointerId }) => {
    if (fingers.delete(pointerId)) read(undefined);
  });

  element.addEventListener(
    'wheel',
    (event) => {
      const { ctrlKey, metaKey, shiftKey, deltaMode, deltaX, deltaY } = event;
      const unit = deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      if (ctrlKey || metaKey) {
        const turned = Math.max(-MAX_TURNED, Math.min(MAX_TURNED, deltaY * unit));
        zoom(Math.exp(-turned / 100), xOf(event));
        event.preventDefault();
      } else if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
        if (pan((deltaX || deltaY) * unit)) event.preventDefault();
      }
    },
    { passive: false },
  );
}

/** The visible range of point indices. It can start and end between two points. */
export type Part = { from: number; to: number };

/** The minimum number of visible points, unless the chart has fewer points. */
const LEAST = 8;
const lengthOf = ({ from, to }: Part) => to - from + 1;
const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

function within(from: number, length: number, points: number): Part {
  const start = clamp(from, 0, points - length);
  return { from: start, to: start + length - 1 };
}

export const wholeOf = (points: number): Part => ({ from: 0, to: points - 1 });

/** Returns the part that shows `factor` times fewer points. The index `center` keeps its position. */
export function zoomed(part: Part, points: number, factor: number, center = (part.from + part.to) / 2): Part {
  const before = lengthOf(part);
  const length = clamp(before / factor, Math.min(LEAST, points), points);
  // Each point is one unit wide, and its index is the middle.
  const share = (center - part.from + 0.5) / before;
  return within(center + 0.5 - share * length, length, points);
}

export const panned = (part: Part, points: number, by: number): Part => within(part.from + by, lengthOf(part), points);
export const isWhole = (part: Part, points: number): boolean => lengthOf(part) > points - 0.01;
export const isClosest = (part: Part, points: number): boolean => lengthOf(part) < Math.min(LEAST, points) + 0.01;

/** Returns the indices of the first and the last point that are completely visible. */
export function indicesIn({ from, to }: Part, points: number): [first: number, last: number] {
  const last = Math.max(0, points - 1);
  return [clamp(Math.ceil(from - 0.01), 0, last), clamp(Math.floor(to + 0.01), 0, last)];
}
