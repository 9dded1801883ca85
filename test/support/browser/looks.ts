import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isLong } from '../long.ts';
import { barriers } from './accessibility.ts';

export type Look = { name: string; colorScheme: 'light' | 'dark'; width: number };

const SCHEMES = ['light', 'dark'] as const;

/**
 * Shows the page that is there in each colour scheme and at each width, and hands every look over once its colours have
 * stopped changing. Overflow depends on the width, and contrast on the colours: only the long form
 * combines all of them.
 */
export async function inEachLook(
  page: Page,
  check: (look: Look) => Promise<void>,
  widths: readonly number[] = [390, 1440],
): Promise<void> {
  const looks = widths.flatMap((width, place) =>
    SCHEMES.filter((_, scheme) => isLong || scheme === place % SCHEMES.length).map((colorScheme) => ({
      name: `${colorScheme}, ${width} px`,
      colorScheme,
      width,
    })),
  );
  await page.mouse.move(0, 0);
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme });
    await page.setViewportSize({ width: look.width, height: 900 });
    await page.evaluate(
      'Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => undefined)',
    );
    await check(look);
  }
}

/**
 * Expects that nothing of what the page shows sticks out, in each look, and that it is accessible at the least
 * and the greatest width; at those between only the long form asks.
 * @param view names it where it is not
 * @param part the selector of what is looked at, where that is not all
 */
export const expectSoundLooks = (page: Page, view: string, widths: readonly number[], part = 'html') =>
  inEachLook(
    page,
    async ({ name, width }) => {
      if (isLong || width === widths.at(0) || width === widths.at(-1))
        expect(await barriers(page, { include: [[part]] }), `${view}, ${name}`).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${view}, ${name}`).toBe(width);
    },
    widths,
  );
