import { useEffect, useRef } from 'preact/hooks';
import type { Chart, Mouse } from './chart.ts';
import { hasLogScale, isLog, metricInWords, rangeInWords } from './chart-choice.ts';
import { isClosest, isWhole } from './gestures.ts';
import type { HistoryStore } from './store.ts';

const STEP = 1.5;

type Act = (position: HistoryStore['position']) => void;

/** A tenth of the visible points. */
const tenthOf = ({ limits: { value } }: HistoryStore['position']) =>
  Math.max(1, Math.round((value[1] - value[0]) / 10));

const KEYS: Readonly<Record<string, Act>> = {
  ArrowLeft: ({ step }) => step(-1),
  ArrowDown: ({ step }) => step(-1),
  ArrowRight: ({ step }) => step(1),
  ArrowUp: ({ step }) => step(1),
  PageDown: (position) => position.step(-tenthOf(position)),
  PageUp: (position) => position.step(tenthOf(position)),
  Home: ({ step }) => step(Number.NEGATIVE_INFINITY),
  End: ({ step }) => step(Number.POSITIVE_INFINITY),
  '+': ({ zoom }) => zoom(STEP),
  '=': ({ zoom }) => zoom(STEP),
  '-': ({ zoom }) => zoom(1 / STEP),
  '0': ({ showAll }) => showAll(),
  'Shift +': ({ zoom }) => zoom(STEP),
  'Shift ArrowLeft': ({ pan }) => pan(-1),
  'Shift ArrowRight': ({ pan }) => pan(1),
};

const HINT =
  'To move between points, use the left and right arrow keys. Home and End select the first and the last visible ' +
  'point. Plus and minus zoom in and out. 0 resets the zoom. Shift with an arrow key moves the visible part.';
const ZOOM = 'To zoom, use Ctrl and the mouse wheel, or two fingers. To move a zoomed chart, drag it.';

/** Where the mouse last moved. This includes its movements before the chart is loaded. */
function useMouse(): { readonly current: Mouse } {
  const mouse = useRef<Mouse>(undefined);
  useEffect(() => {
    // This runs after the library's handlers, so that they see the position before a movement.
    const follow = ({ clientX: x, clientY: y }: MouseEvent) => (mouse.current = { x, y });
    addEventListener('mousemove', follow);
    return () => removeEventListener('mousemove', follow);
  }, []);
  return mouse;
}

/** Loads the charting library with the first data, and draws it. Before the page is printed, an image replaces it. */
function useChart({ theme, position }: HistoryStore) {
  const plot = useRef<HTMLDivElement>(null);
  const printed = useRef<HTMLDivElement>(null);
  const isNeeded = useRef(false);
  const mouse = useMouse();
  isNeeded.current ||= position.drawn.value !== undefined;
  useEffect(() => {
    const element = plot.current;
    if (!isNeeded.current || !element) return undefined;
    let chart: Chart | undefined;
    const end = new AbortController();
    const { signal } = end;
    void import('./chart.ts').then(({ openChart }) => {
      if (!signal.aborted) chart = openChart(element, theme, position, () => mouse.current);
    });
    function print(): void {
      const { style } = document.documentElement;
      style.colorScheme = 'light';
      const picture = chart?.picture();
      style.colorScheme = '';
      chart?.paint();
      printed.current?.replaceChildren(...(picture ? [picture] : []));
    }
    addEventListener('beforeprint', print, { signal });
    matchMedia('print').addEventListener('change', ({ matches }) => matches && print(), { signal });
    return () => {
      end.abort();
      chart?.close();
    };
  }, [isNeeded.current]);
  return { plot, printed };
}

export function Plot({ store }: { store: HistoryStore }) {
  const { titles, view, reading, position } = store;
  const { plot, printed } = useChart(store);
  const [first, last] = position.limits.value;
  function onKeyDown(event: KeyboardEvent): void {
    const { key, shiftKey, altKey, ctrlKey, metaKey } = event;
    const act = KEYS[shiftKey ? `Shift ${key}` : key];
    if (!act || altKey || ctrlKey || metaKey || position.count.value === 0) return;
    event.preventDefault();
    act(position);
  }
  return (
    <>
      {/* The library adds its elements to this one. */}
      <div
        ref={plot}
        class="chart"
        role="slider"
        tabIndex={0}
        aria-label={`${titles.value || 'History'}, ${metricInWords(view.value.metric)}, ${rangeInWords(view.value)}`}
        aria-valuemin={first}
        aria-valuemax={last}
        aria-valuenow={position.index.value ?? last}
        aria-valuetext={reading.value.spoken}
        aria-description={HINT}
        onKeyDown={onKeyDown}
        onBlur={() => position.read(undefined)}
      />
      <div ref={printed} class="printed-chart" aria-hidden="true" />
    </>
  );
}

/** `aria-disabled` is used because `disabled` would remove the focus. */
export function Tools({ store: { view, position, choose, fault } }: { store: HistoryStore }) {
  const { part, count, zoom, showAll } = position;
  const whole = isWhole(part.value, count.value);
  const closest = isClosest(part.value, count.value);
  const scaleFault = hasLogScale(view.value) ? '' : 'Volumes have no log scale.';
  return (
    <fieldset class="button-group" title={ZOOM}>
      <legend class="unseen">Scale and zoom</legend>
      <button
        type="button"
        aria-pressed={isLog(view.value)}
        aria-disabled={scaleFault !== ''}
        title={scaleFault || undefined}
        onClick={() => {
          if (scaleFault) fault.value = scaleFault;
          else choose({ scale: isLog(view.value) ? 'linear' : 'log' });
        }}
      >
        Log scale
      </button>
      <button type="button" aria-label="Zoom out" aria-disabled={whole} onClick={() => zoom(1 / STEP)}>
        −
      </button>
      <button type="button" aria-label="Zoom in" aria-disabled={closest} onClick={() => zoom(STEP)}>
        +
      </button>
      <button type="button" aria-disabled={whole} onClick={showAll}>
        Reset zoom
      </button>
    </fieldset>
  );
}
