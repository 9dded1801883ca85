import { expect, it } from 'vitest';
import { useConsole } from '../support/browser/console.ts';
import { pricesOn } from './prices/prices-page.ts';

const opened = useConsole();

it('shows every figure without scrolling sideways, sorts with a choice, and has the pages at the bottom', async () => {
  const key = await opened.service.createUser({ limit: 10_000 });
  const { page } = await opened.visit({ key, viewport: { width: 390, height: 844 } });
  const { rows, names } = pricesOn(page);
  const account = page.getByRole('link', { name: 'Ada Lovelace 9,999 left' });
  await account.waitFor();
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    const cells = await rows.first().getByRole('cell').all();
    expect(cells).toHaveLength(5);
    for (const place of [account, ...cells]) {
      const box = await place.boundingBox();
      expect(box?.width).toBeGreaterThan(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    }
    expect((await account.boundingBox())?.y).toBeLessThan(60);
    for (const link of await page.getByRole('navigation', { name: 'Views' }).getByRole('link').all()) {
      const box = await link.boundingBox();
      expect(box?.y, `${width} px`).toBeGreaterThan(780);
      expect(box?.width).toBeGreaterThan(48);
    }
  }
  const byName = (await names()).toSorted();
  await page.getByLabel('Sort').selectOption('Token, A to Z');
  expect(await names()).toEqual(byName);
  await page.getByLabel('Sort').selectOption('Token, Z to A');
  expect(await names()).toEqual(byName.toReversed());
});
