import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The presses of Tab between two looks at the page. Each look takes as long as several presses. */
const BATCH = 10;

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

/** Runs in the page: records the element that has the focus after each key, and whether it shows the focus. */
const RECORD_FOCUS = `globalThis.focused = [];
document.addEventListener('keyup', () => {
  const target = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(target);
  const { width, height, top, bottom } = target.getBoundingClientRect();
  const isShown = width > 0 && height > 0 && bottom > 0 && top < innerHeight;
  const hasOutline = outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
  focused.push({ stop: target.dataset.stop, isVisible: isShown && hasOutline });
});`;

type Focus = { stop?: string; isVisible: boolean };

/** Expects that Tab reaches every control of a part of the page in the order of the document, with a visible focus. */
export async function expectKeyboardAccess(page: Page, view: string, part: string): Promise<void> {
  const names = (await page.evaluate(`(${NUMBER_STOPS})(${JSON.stringify(part)})`)) as string[];
  await page.evaluate(`globalThis.focused?.splice(0) ?? (() => { ${RECORD_FOCUS} })()`);
  const reached = [0];
  const unseen: string[] = [];
  // Date fields have several stops, and browsers add scrollable boxes.
  for (let pressed = 0; pressed < 2 * names.length + 20 && reached.at(-1) !== names.length - 1; pressed += BATCH) {
    const presses = Array.from({ length: BATCH }, () => [page.keyboard.down('Tab'), page.keyboard.up('Tab')]);
    await Promise.all(presses.flat());
    for (const { stop, isVisible } of (await page.evaluate('focused.splice(0)')) as Focus[]) {
      if (stop === undefined || reached.at(-1) === Number(stop) || reached.at(-1) === names.length - 1) continue;
      reached.push(Number(stop));
      if (!isVisible) unseen.push(names[Number(stop)] ?? stop);
    }
  }
  expect(
    reached.map((stop) => names[stop]),
    `${view}: the order of Tab`,
  ).toEqual(names);
  expect(unseen, `${view}: without a visible focus`).toEqual([]);
}
