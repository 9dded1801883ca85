import { beforeEach, expect, it } from 'vitest';
import { useConsole, type Visit } from '../support/browser/console.ts';

const opened = useConsole({}, { viewport: { width: 390, height: 844 } });
let here: Visit;
beforeEach(async () => {
  here = await opened.visit({ key: await opened.service.createUser({ limit: 10_000 }) });
});

/** The opacity of the shadows at the left and the right edge of the price table. */
const shadows = () =>
  here.page
    .locator('.prices .scroll-frame')
    .evaluate((frame) =>
      ['::before', '::after'].map((edge) => frame.ownerDocument.defaultView?.getComputedStyle(frame, edge).opacity),
    );
const scrollTo = (left: number) =>
  here.page.locator('#prices-scroll').evaluate((box, x) => Reflect.set(box, 'scrollLeft', x), left);

it('the price table marks the edges with hidden content', async () => {
  await expect.poll(shadows).toEqual(['0', '1']);
  await scrollTo(20);
  await expect.poll(shadows).toEqual(['1', '1']);
  await scrollTo(10_000);
  await expect.poll(shadows).toEqual(['1', '0']);
  await here.page.setViewportSize({ width: 1280, height: 900 });
  await expect.poll(shadows, { message: 'the whole table is visible' }).toEqual(['0', '0']);
});

it('keeps the pages at the bottom and the remaining calls at the top', async () => {
  const { page } = here;
  const account = page.getByRole('link', { name: 'Ada Lovelace 9,999 left' });
  await account.waitFor();
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    const left = await account.boundingBox();
    expect((left?.x ?? 0) + (left?.width ?? 0)).toBeLessThanOrEqual(width);
    expect(left?.y).toBeLessThan(60);
    for (const link of await page.getByRole('navigation', { name: 'Views' }).getByRole('link').all()) {
      const box = await link.boundingBox();
      expect(box?.y, `${width} px`).toBeGreaterThan(780);
      expect(box?.width).toBeGreaterThan(48);
    }
  }
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
});
