import { make, placeholder } from '../core/dom.ts';

/** A label, its value as text, and a note below it. */
export type Entry = readonly [label: string, text: string, note?: string];

const makeEntry = (label: Node | string, text: string, note = '') =>
  make(
    'div',
    {},
    make('dt', {}, label),
    make('dd', {}, text, ...(note ? [make('span', { class: 'soft' }, note)] : [])),
  );

export function fillList(list: HTMLElement, entries: readonly Entry[]): void {
  list.replaceChildren(...entries.map((entry) => makeEntry(...entry)));
}

/** Shows placeholders, so that the page does not move when the values arrive. */
export function showPlaceholders(list: HTMLElement, rows: number): void {
  list.replaceChildren(...Array.from({ length: rows }, () => makeEntry(placeholder(), '\u2007')));
}
