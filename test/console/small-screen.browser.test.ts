import { beforeEach, expect, it } from 'vitest';
import { useConsole, type Visit } from '../support/browser/console.ts';
import { pricesOn } from './prices/prices-page.ts';

const opened = useConsole({}, { viewport: { width: 390, height: 844 } });
let here: Visit;
beforeEach(async () => {
  here = await opened.visit({ key: await opened.service.createUser({ limit: 10_000 }) });
});

it('the price table shows every figure without scrolling sideways', async () => {
  const { rows } = pricesOn(here.page);
  for (const width of [390, 320]) {
    await here.page.setViewportSize({ width, height: 844 });
    const cells = await rows.first().getByRole('cell').all();
    expect(cells).toHaveLength(5);
    for (const cell of cells) {
      const box = await cell.boundingBox();
      expect(box?.width).toBeGreaterThan(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
    }
  }
});

it('sorts the prices with a choice', async () => {
  const { names } = pricesOn(here.page);
  const byName = (await names()).toSorted();
  await here.page.getByLabel('Sort').selectOption('Token, A to Z');
  expect(await names()).toEqual(byName);
  await here.page.getByLabel('Sort').selectOption('Token, Z to A');
  expect(await names()).toEqual(byName.toReversed());
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
