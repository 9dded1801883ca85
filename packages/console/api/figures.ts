import { serviceNow } from '../../pages/clock.ts';
import { byId, make, makeFigure, placeholder } from '../../pages/dom.ts';
import { inCalls } from '../../pages/format.ts';
import { ageText, type DataAge, isOld } from './api-call.ts';

const UPDATE_MS = 10_000;

export function openDataAge(element: HTMLElement) {
  let shown: DataAge | undefined;
  function update(): void {
    const text = shown ? ageText(shown, serviceNow()) : '';
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle('stale', shown !== undefined && isOld(shown));
  }
  setInterval(update, UPDATE_MS);
  return (next: DataAge | undefined): void => {
    shown = next;
    update();
  };
}

export type Entry = readonly [label: string, text: string, note?: string];

export function fillList(list: HTMLElement, entries: readonly Entry[]): void {
  const noteOf = (note = '') => (note ? [make('span', { class: 'soft' }, note)] : []);
  list.replaceChildren(...entries.map(([label, text, note]) => makeFigure(label, text, ...noteOf(note))));
}

/** Keeps the layout stable until the values arrive. */
export function showPlaceholders(list: HTMLElement, rows: number): void {
  list.replaceChildren(...Array.from({ length: rows }, () => makeFigure(placeholder(), '\u2007')));
}

/** Offers to load a panel on request, so that signing in is charged only for the prices. */
export function openOffer(panel: 'chart' | 'statistics', onAccept: () => void) {
  const line = byId(`${panel}-offer`);
  const button = byId(`${panel}-load`);
  button.addEventListener('click', onAccept);
  return {
    show(text: string, calls = 1): void {
      byId(`${panel}-offer-text`).textContent = text;
      button.textContent = `Load ${panel}: ${inCalls(calls)}`;
      line.hidden = false;
    },
    hide(): void {
      line.hidden = true;
    },
  };
}
