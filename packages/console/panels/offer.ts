import { byId } from '../core/dom.ts';

/**
 * The line of a panel whose figures cost a call: it has a button that loads them, and is shown until the user asks for
 * them. So a sign-in costs no more than the prices.
 */
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
