import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Runs in the page: numbers the elements of `part` that Tab should reach, in the order of the document. */
const NUMBER_STOPS = `(part) => {
  const isStop = (element) => {
    if (element.tabIndex < 0 || element.disabled || !element.checkVisibility({ visibilityProperty: true })) return false;
    if (element.closest('[inert]')) return false;
    // Tab reaches only the selected radio button of a group.
    if (element.type !== 'radio') return true;
    const group = [...element.form.elements].filter(({ type, name }) => type === 'radio' && name === element.name);
    return element.checked || !group.some(({ checked }) => checked);
  };
  const root = document.querySelector(part);
  for (const element of document.querySelectorAll('[data-stop]')) element.removeAttribute('data-stop');
  const stops = [...root.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter(isStop);
  for (const [place, stop] of stops.entries()) stop.dataset.stop = place;
  stops[0].focus();
  const nameOf = ({ id, tagName, textContent }) => tagName + (id ? '#' + id : ' ' + textContent.trim().slice(0, 30));
  return stops.map(nameOf);
}`;

/** Runs in the page: describes the element that has the focus. */
const DESCRIBE_FOCUS = `(() => {
  const element = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  const { width, height, top, bottom } = element.getBoundingClientRect();
  const isShown = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  return { stop: element.dataset.stop, isVisible: isShown && hasOutline };
})()`;

type Focus = { stop?: string; isVisible: boolean };

/** Expects that Tab reaches every control of a part of the page in the order of the document, with a visible focus. */
export async function expectKeyboardAccess(page: Page, view: string, part: string): Promise<void> {
  const names = (await page.evaluate(`(${NUMBER_STOPS})(${JSON.stringify(part)})`)) as string[];
  const reached: number[] = [];
  const unseen: string[] = [];
  // Date fields have several stops, and browsers add scrollable boxes.
  for (let presses = 0; presses < 2 * names.length + 20; presses += 1) {
    const { stop, isVisible } = (await page.evaluate(DESCRIBE_FOCUS)) as Focus;
    if (stop !== undefined && reached.at(-1) !== Number(stop)) {
      reached.push(Number(stop));
      // The first stop received its focus from the script.
      if (!isVisible && reached.length > 1) unseen.push(names[Number(stop)] ?? stop);
    }
    if (reached.length > 0 && reached.at(-1) === names.length - 1) break;
    await page.keyboard.press('Tab');
  }
  expect(
    reached.map((stop) => names[stop]),
    `${view}: the order of Tab`,
  ).toEqual(names);
  expect(unseen, `${view}: without a visible focus`).toEqual([]);
}
