type Point = { x: number; y: number };

type Gestures = {
  /** A finger is at this distance from the left edge, in px; undefined: it scrolls the page. */
  read: (x: number | undefined) => void;
  zoom: (factor: number, x: number) => void;
  /** So many px to the right; tells whether there was anything to move. */
  pan: (px: number) => boolean;
};

/** What a line of a wheel is in px, and the most that one turn counts. */
const LINE_PX = 16;
const MOST_TURNED = 25;

/** One finger reads sideways and scrolls up and down, two zoom and pan; the wheel zooms with Ctrl. */
export function openGestures(element: HTMLElement, { read, zoom, pan }: Gestures): void {
  const fingers = new Map<number, Point>();

  const xOf = ({ clientX }: MouseEvent) => clientX - element.getBoundingClientRect().left;
  function pinch(): { center: number; width: number } {
    const [one = { x: 0, y: 0 }, other = one] = fingers.values();
    return {
      center: (one.x + other.x) / 2,
      width: Math.max(1, Math.hypot(one.x - other.x, one.y - other.y)),
    };
  }
  const pointOf = (event: PointerEvent): Point => ({ x: xOf(event), y: event.clientY });

  // The library takes a long touch for itself and then holds the page.
  element.addEventListener('touchstart', (event) => event.stopPropagation(), {
    capture: true,
    passive: true,
  });
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
      // What is read stays until another place is touched.
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
        const turned = Math.max(-MOST_TURNED, Math.min(MOST_TURNED, deltaY * unit));
        zoom(Math.exp(-turned / 100), xOf(event));
        event.preventDefault();
      } else if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
        if (pan((deltaX || deltaY) * unit)) event.preventDefault();
      }
    },
    { passive: false },
  );
}
