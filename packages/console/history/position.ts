import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { onDateAt } from '../../pages/format.ts';
import type { Drawn } from './chart-choice.ts';
import { indicesIn, type Part, panned, wholeOf, zoomed } from './gestures.ts';

/** The visible part of the chart and the selected point. */
export function createPosition(drawn: ReadonlySignal<Drawn | undefined>) {
  const part = signal<Part>(wholeOf(0));
  const index = signal<number | undefined>(undefined);
  /** The last change of the visible part, for screen readers. */
  const said = signal('');
  const count = computed(() => drawn.value?.points.length ?? 0);
  const limits = computed(() => indicesIn(part.value, count.value));

  /** Selects a point, within the visible part. */
  function read(at: number | undefined): void {
    const [first, last] = limits.value;
    index.value = at === undefined ? undefined : Math.min(last, Math.max(first, at));
  }
  const show = (next: Part) =>
    batch(() => {
      part.value = next;
      read(index.value);
    });

  function move(next: Part): void {
    if (count.value === 0) return;
    show(next);
    const [from, thru] = limits.value.map((at) => drawn.value?.points[at]?.date);
    if (from && thru) said.value = `Showing ${onDateAt(from)} to ${onDateAt(thru)}`;
  }

  return {
    drawn,
    part,
    index,
    limits,
    count,
    said,
    read,
    show,
    showAll: () => move(wholeOf(count.value)),
    zoom: (factor: number) => move(zoomed(part.value, count.value, factor, index.value)),
    /** Moves by a fifth of the visible part, so that most of it stays in view. */
    pan(direction: number): void {
      const { from, to } = part.value;
      move(panned(part.value, count.value, (direction * (to - from + 1)) / 5));
    },
    /** Selects no point, and shows all points unless the visible part stays. */
    reset(isSamePart: boolean): void {
      index.value = undefined;
      if (!isSamePart) part.value = wholeOf(count.value);
    },
    /** Selects the point that is `by` points after the selected or the last one. */
    step: (by: number) => read((index.value ?? limits.value[1]) + by),
  };
}

export type Position = ReturnType<typeof createPosition>;
