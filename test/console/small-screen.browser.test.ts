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

it('the account button keeps showing the remaining calls', async () => {
  const { page } = here;
  const left = page.locator('#account-left');
  await expect.poll(() => left.innerText()).toBe('9,999 left');
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await left.isVisible()).toBe(true);
    const [outer, inner] = await Promise.all([page.locator('#account-button').boundingBox(), left.boundingBox()]);
    expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
  }
  const button = page.getByRole('button', { name: 'Ada Lovelace 9,999 left' });
  expect(await button.count(), 'its accessible name contains the user name').toBe(1);
});
