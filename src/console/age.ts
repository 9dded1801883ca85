import { type Aged, ageText } from './shown.ts';

/** How often ages are told anew, in ms. */
const TICK_MS = 10_000;

/** Tells in an element how old what is shown beside it is, and goes on telling. */
export function tellAge(element: HTMLElement) {
  let shown: Aged | undefined;
  function tell(): void {
    const text = shown ? ageText(shown, Date.now()) : '';
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle('stale', shown?.stale !== undefined);
  }
  setInterval(tell, TICK_MS);
  return (next: Aged | undefined): void => {
    shown = next;
    tell();
  };
}
