import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { isLong } from '../long.ts';
import { barriers } from './accessibility.ts';

export type Look = { name: string; colorScheme: 'light' | 'dark'; width: number };

const SCHEMES = ['light', 'dark'] as const;

/**
 * Shows the current page in each color scheme and at each width, and calls `check` after the color transitions.
 * Overflow depends on the width, and contrast on the colors, so only the long form combines all of them.
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
 * Expects that nothing overflows the page in each look, and that the page is accessible at the smallest and the largest
 * width. Only the long form checks the accessibility at the widths between.
 * @param view the name of the view in failure messages
 * @param part the selector of the checked part; the whole page by default
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
