import { byId } from '../core/dom.ts';

/** The line with a button that loads a panel's figures, so that a sign-in costs no more than the prices. */
export function openOffer(panel: 'chart' | 'statistics', onTaken: () => void) {
  const line = byId(`${panel}-offer`);
  byId(`${panel}-load`).addEventListener('click', onTaken);
  return {
    show(text: string): void {
      byId(`${panel}-offer-text`).textContent = text;
      line.hidden = false;
    },
    hide(): void {
      line.hidden = true;
    },
  };
}
