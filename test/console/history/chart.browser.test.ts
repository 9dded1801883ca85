import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole({}, { hasTouch: true, viewport: { width: 800, height: 700 } });
let here: Visit;

const slider = () => here.page.locator('#chart');
const press = (name: string) => here.page.getByRole('button', { name, exact: true }).click();
const readout = () => here.page.locator('#readout-note').innerText();

/** The first and the last visible index, and the selected one. */
const shown = () =>
  slider().evaluate((element) =>
    ['min', 'max', 'now'].map((name) => Number(element.getAttribute(`aria-value${name}`))),
  );
const showsAll = (points: number) => expect.poll(shown).toEqual([0, points - 1, points - 1]);

async function open(range: string, prepare?: (page: Page) => Promise<unknown>): Promise<number> {
  here = await opened.visit({ key: await opened.service.createUser(), prepare });
  await press(range);
  await here.settled();
  const [, last = 0] = await shown();
  return last + 1;
}

/** The middle of the chart. */
async function middle(): Promise<{ x: number; y: number }> {
  await slider().scrollIntoViewIfNeeded();
  const box = await slider().boundingBox();
  return { x: (box?.x ?? 0) + (box?.width ?? 0) / 2, y: (box?.y ?? 0) + (box?.height ?? 0) / 2 };
}

describe('the visible part', () => {
  it('is zoomed and panned with keys, and limits the selected point', async () => {
    const points = await open('90D');
    const { keyboard } = here.page;
    await slider().focus();
    await keyboard.press('+');
    await expect.poll(async () => (await shown())[0]).toBeGreaterThan(5);
    const [first = 0, last = 0] = await shown();
    expect(last).toBeLessThan(points - 6);

    await keyboard.press('Home');
    await keyboard.press('ArrowLeft');
    expect((await shown())[2], 'the selected point stays in the visible part').toBe(first);
    await keyboard.press('End');
    await keyboard.press('ArrowRight');
    expect((await shown())[2]).toBe(last);

    await keyboard.press('Shift+ArrowLeft');
    await expect.poll(async () => (await shown())[0]).toBeLessThan(first);
    const moved = await shown();
    expect(moved[2], 'the selected point moves into the visible part').toBe(moved[1]);
    await keyboard.press('0');
    await expect.poll(async () => (await shown()).slice(0, 2)).toEqual([0, points - 1]);
    await keyboard.press('ArrowLeft');
    expect((await shown())[2], 'the selected point stays there').toBe((moved[2] ?? 0) - 1);
  });

  it('is zoomed and reset with buttons, and the table and the file contain all points', async () => {
    const points = await open('30D');
    const { page } = here;
    const reset = page.getByRole('button', { name: 'Reset zoom' });
    expect(await reset.getAttribute('aria-disabled')).toBe('true');
    await press('Zoom in');
    await press('Zoom in');
    await expect.poll(() => reset.getAttribute('aria-disabled')).toBe('false');
    await expect.poll(() => page.locator('#announcements').innerText()).toMatch(/^Showing .+ 2\d{3}, 12:00 AM to .+$/);
    expect(await readout(), 'the change covers the whole range').toMatch(/ in 30 days$/);
    await page.getByText('Show as a table').click();
    await expect.poll(() => page.locator('#points-body tr').count()).toBe(points);
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download CSV')]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines).toHaveLength(points + 1);

    const zoomed = await shown();
    await press('Log scale');
    await expect.poll(() => page.getByRole('button', { name: 'Log scale' }).getAttribute('aria-pressed')).toBe('true');
    expect((await shown()).slice(0, 2), 'another scale keeps the visible part').toEqual(zoomed.slice(0, 2));
    await reset.click();
    await showsAll(points);
    for (let i = 0; i < 9; i += 1) await slider().press('+');
    await expect.poll(() => page.getByRole('button', { name: 'Zoom in' }).getAttribute('aria-disabled')).toBe('true');
    await press('90D');
    await here.settled();
    expect((await shown())[0], 'another range is not zoomed').toBe(0);
  });

  it('is zoomed with Ctrl and the wheel, and panned with the mouse; the wheel alone scrolls the page', async () => {
    const points = await open('90D');
    const { page } = here;
    const { x, y } = await middle();
    await page.mouse.move(x, y);
    const before = await page.evaluate<number>('scrollY');
    await page.mouse.wheel(0, 60);
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(before);
    expect((await shown()).slice(0, 2)).toEqual([0, points - 1]);

    await page.keyboard.down('Control');
    for (let turns = 0; turns < 4; turns += 1) await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await expect.poll(async () => (await shown())[0]).toBeGreaterThan(5);
    const [first = 0] = await shown();
    await page.mouse.down();
    await page.mouse.move(x + 200, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(async () => (await shown())[0]).toBeLessThan(first);
  });

  it('has its scale in the URL, and keeps it after a reload', async () => {
    await open('7D');
    const { page } = here;
    const log = page.getByRole('button', { name: 'Log scale' });
    await log.click();
    await expect.poll(() => new URL(page.url()).search).toBe('?range=7d&scale=log');
    await page.reload();
    await here.settled();
    expect(await log.getAttribute('aria-pressed')).toBe('true');
    await log.click();
    await expect.poll(() => new URL(page.url()).search).toBe('?range=7d');
    await page.goBack();
    await expect.poll(() => log.getAttribute('aria-pressed')).toBe('true');
  });

  it('still contains all points when the window changes its width', async () => {
    const points = await open('90D');
    for (const width of [360, 1500, 800]) {
      await here.page.setViewportSize({ width, height: 700 });
      await showsAll(points);
    }
  });
});

describe('fingers', () => {
  /** Moves fingers from one set of positions to another, in small steps. */
  async function drag(from: [x: number, y: number][], to: [x: number, y: number][]): Promise<void> {
    const cdp = await here.context.newCDPSession(here.page);
    const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', share: number) =>
      cdp.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : from.map(([x, y], id) => {
                const [toX, toY] = to[id] ?? [x, y];
                return { id, x: x + (toX - x) * share, y: y + (toY - y) * share };
              }),
      });
    await send('touchStart', 0);
    for (let step = 1; step <= 10; step += 1) await send('touchMove', step / 10);
    await send('touchEnd', 1);
  }

  it('select points sideways, and scroll the page up and down', async () => {
    const points = await open('30D');
    const { page } = here;
    // The page scrolls, so the chart could move under the mouse, which would then select a point.
    await page.mouse.move(0, 0);
    const { x, y } = await middle();
    const before = await page.evaluate<number>('scrollY');
    await drag([[x, y]], [[x - 150, y + 5]]);
    await expect.poll(async () => (await shown())[2]).toBeLessThan(points / 2);
    expect(await readout()).toMatch(/^\w+ \d+, 2\d{3}, \d+:\d\d [AP]M$/);
    expect(await page.evaluate('scrollY'), 'the page does not scroll').toBe(before);
    expect((await shown()).slice(0, 2), 'the chart does not zoom').toEqual([0, points - 1]);

    await drag([[x, y]], [[x + 3, y - 200]]);
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(before + 100);
    // The readout stays until the user touches another place.
    await page.locator('#chart-title').tap();
    await expect.poll(readout).toMatch(/ in 30 days$/);
  });

  it('zoom if there are two', async () => {
    await open('90D');
    const { x, y } = await middle();
    await drag(
      [
        [x - 20, y],
        [x + 20, y],
      ],
      [
        [x - 120, y],
        [x + 120, y],
      ],
    );
    await expect.poll(async () => (await shown())[0]).toBeGreaterThan(10);
  });
});

it.each([
  ['no point', []],
  ['one point', [7]],
  ['two points', [7, 7]],
  ['zeros only', [0, 0, 0]],
  ['a zero and other values', [1000, 0, 1e12, 1e-9]],
])('a series of %s is drawn on both scales', async (_, prices) => {
  const series = prices.map((price, day) => ({
    date: new Date(Date.UTC(2026, 0, 1 + day)).toUTCString(),
    price,
  }));
  await open('30D', (page) =>
    page.route('**/v1/prices/history/days?*', (route) =>
      route.fulfill({ json: [{ prices: series, market_cap: series, total_volume: series }] }),
    ),
  );
  const { page } = here;
  for (const metric of ['Market cap', 'Price', 'Volume', 'Price']) {
    await page.locator('#metrics').getByRole('button', { name: metric }).click();
    const log = page.getByRole('button', { name: 'Log scale' });
    if (metric === 'Volume') await log.waitFor({ state: 'hidden' });
    else await log.click();
  }
  if (prices.length === 0) return expect.poll(readout).toMatch(/^no data$/);
  const readLast = async () => {
    await slider().press('End');
    await slider().press('+');
    return readout();
  };
  // The chart may not have drawn the last scale yet.
  await expect.poll(readLast).toMatch(/^Jan \d, 2026, 12:00 AM$/);
});
