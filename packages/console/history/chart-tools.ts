import { announce, byId } from '../core/dom.ts';
import { onDateAt } from '../core/format.ts';
import type { Chart } from './chart.ts';
import { panned, zoomed } from './zoom.ts';

const STEP = 1.5;

type Options = {
  chart: () => Chart | undefined;
  /** The point that is read. */
  index: () => number | undefined;
  onScale: (isLog: boolean) => void;
};

/** The buttons and keys that zoom and pan, and the switch of the log scale. */
export function openChartTools({ chart, index, onScale }: Options) {
  const slider = byId('chart');
  const [closer, wider, reset] = [byId('zoom-in'), byId('zoom-out'), byId('zoom-reset')];
  const log = byId('log-scale');

  /** Says what part is shown, to those who do not see the axis. */
  function tell(): void {
    const [from, thru] = chart()?.shownTimes() ?? [];
    if (from && thru) announce(`Shows ${onDateAt(from)} to ${onDateAt(thru)}`);
  }
  const zoom = (factor: number) => {
    chart()?.showPart((part, points) => zoomed(part, points, factor, index()));
    tell();
  };
  /** By a fifth of what is shown, so that the eye finds its place again. */
  const pan = (direction: number) => {
    chart()?.showPart((part, points) => panned(part, points, (direction * (part.to - part.from + 1)) / 5));
    tell();
  };
  const showAll = () => {
    chart()?.showAll();
    tell();
  };

  const keys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(STEP),
    '=': () => zoom(STEP),
    '-': () => zoom(1 / STEP),
    '0': showAll,
  };
  const shiftKeys: Readonly<Record<string, () => void>> = {
    '+': () => zoom(STEP),
    ArrowLeft: () => pan(-1),
    ArrowRight: () => pan(1),
  };
  slider.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const act = (event.shiftKey ? shiftKeys : keys)[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  closer.addEventListener('click', () => zoom(STEP));
  wider.addEventListener('click', () => zoom(1 / STEP));
  reset.addEventListener('click', showAll);
  log.addEventListener('click', () => onScale(log.getAttribute('aria-pressed') !== 'true'));

  return {
    /** Whether the scale is logarithmic, and whether it can be. */
    showScale(isLog: boolean, isOffered: boolean): void {
      log.setAttribute('aria-pressed', String(isLog));
      log.hidden = !isOffered;
    },
    /** What can be done with the part that is shown. They are not `disabled`, which would take the focus away. */
    showPart({ isWhole, isClosest }: { isWhole: boolean; isClosest: boolean }): void {
      for (const button of [wider, reset]) button.setAttribute('aria-disabled', String(isWhole));
      closer.setAttribute('aria-disabled', String(isClosest));
    },
  };
}
