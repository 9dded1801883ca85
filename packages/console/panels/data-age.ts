import { ageText, type DataAge, isOld } from '../api/result.ts';

const UPDATE_MS = 10_000;

export function openDataAge(element: HTMLElement) {
  let shown: DataAge | undefined;
  function update(): void {
    const text = shown ? ageText(shown, Date.now()) : '';
    if (element.textContent !== text) element.textContent = text;
    element.classList.toggle('stale', shown !== undefined && isOld(shown));
  }
  setInterval(update, UPDATE_MS);
  return (next: DataAge | undefined): void => {
    shown = next;
    update();
  };
}
