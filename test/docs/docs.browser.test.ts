import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROBLEM_CODES } from '#core/problems';
import { barriers } from '../support/browser/accessibility.ts';
import { complaintsOf, launchBrowser } from '../support/browser/browser.ts';
import { inEachLook } from '../support/browser/looks.ts';
import { isLong } from '../support/long.ts';
import { type Service, startService } from '../support/service/service.ts';

/** The maximum transfer size of a first visit, in bytes. */
const FIRST_LOAD = 200_000;
/** The maximum height of an operation, in desktop screens. */
const THREE_SCREENS = 3 * 900;
/** One example of each kind of element. */
const EXCERPT = 'header, .sidebar, .guide, .part > h2, #shared-problems, #getLatestPrice, footer';

let service: Service;
let browser: Browser;
beforeAll(async () => {
  service = await startService({ settings: { BASE_PATH: '/market' } });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

type Opened = { page: Page; context: BrowserContext };
type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Opens a path, passes the page to `act`, and expects no console errors or blocked requests. */
async function on(path: string, act: (opened: Opened) => Promise<void>, options: Options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  try {
    const page = await context.newPage();
    const complaints = await complaintsOf(page, new URL(service.url).origin);
    await page.goto(`${service.url}${path}`);
    await act({ page, context });
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

const isDark = (page: Page) =>
  page.evaluate<boolean>(
    `getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).slice(0, 3).every((part) => part < 128)`,
  );

const inView = (page: Page, id: string) =>
  page.waitForFunction(`Math.abs(document.getElementById('${id}').getBoundingClientRect().top) < 100`);

it('is accessible and fits the screen, on phones and desktops', () =>
  on('/docs', async ({ page }) => {
    const operation = page.locator('#getLatestPrice');
    await operation.locator('.try > summary').click();
    await operation.getByLabel('API key').waitFor();
    await inEachLook(
      page,
      async ({ name, width }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
        // All operations have the same structure, and together they contain thousands of elements.
        const include = [[isLong ? 'html' : EXCERPT]];
        if (isLong || width !== 390) expect(await barriers(page, { include }), name).toEqual([]);
      },
      [320, 390, 1440],
    );
  }));

it('shows each operation within three screens on a desktop, and prints the text', () =>
  on('/docs', async ({ page }) => {
    const heights = await page.evaluate<[string, number][]>(
      `[...document.querySelectorAll('.operation')].map((one) => [one.id, one.getBoundingClientRect().height])`,
    );
    expect(heights.length).toBeGreaterThan(30);
    expect(heights.filter(([, height]) => height > THREE_SCREENS)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.sidebar', '.try', '.languages', '.pages', '.theme'])
      expect(await page.locator(part).first().isVisible(), part).toBe(false);
    expect(await page.locator('#getLatestPrice h3').isVisible()).toBe(true);
  }));

it('has a small transfer size', () =>
  on('/docs/problems', async ({ page, context }) => {
    // Leaving the page would cancel pending requests.
    await page.waitForLoadState('networkidle');
    const session = await context.newCDPSession(page);
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.goto(`${service.url}/docs`, { waitUntil: 'networkidle' });
    expect(bytes).toBeGreaterThan(20_000);
    expect(bytes).toBeLessThan(FIRST_LOAD);
    console.log(`first load: ${Math.round(bytes / 1000)} KB`);
  }));

it('is readable without scripts, with each sample in every language', () =>
  on(
    '/docs#getLatestPrice',
    async ({ page }) => {
      const operation = page.locator('#getLatestPrice');
      for (const text of ['curl -H', 'await fetch', 'urlopen', 'current_price'])
        expect(await operation.getByText(text).first().isVisible(), text).toBe(true);
      for (const part of ['.find', '.try', '.theme'])
        expect(await page.locator(part).first().isVisible(), part).toBe(false);
    },
    { javaScriptEnabled: false },
  ));

it('finds operations, parameters and problems with the keyboard only', () =>
  on('/docs', async ({ page }) => {
    await page.keyboard.press('/');
    await page.keyboard.type('candle');
    const chosen = page.locator('#found [aria-selected=true]');
    expect(await chosen.innerText()).toContain('/v1/prices/history/ohlc');
    await page.keyboard.press('Enter');
    await inView(page, 'getCandles');
    expect(page.url()).toContain('/docs#getCandles');
    await page.locator('#getCandles h3 a:focus').waitFor();
    await page.locator('.contents [aria-current]', { hasText: '/v1/prices/history/ohlc' }).waitFor();

    await page.keyboard.press('/');
    await page.keyboard.type('quota_exc');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/problems#quota_exceeded');
    expect(await page.locator(':target h2').innerText()).toBe('quota_exceeded');
  }));

/** Typical searches of new users, and the title of the section that answers each. */
const ANSWERS: [query: string, title: string][] = [
  ['currencies', 'currency'],
  ['etag', 'Caching and freshness'],
  ['unchanged', 'Caching and freshness'],
  ['hourly', 'History and CSV'],
  ['null', 'The first call'],
  ['cors', 'Get a key'],
  ['client', 'The JavaScript client'],
  ['python', 'The first call'],
  ['delete account', 'Your account'],
  ['sign out', 'Your account'],
  ['renew', 'Renew a key'],
  ['iso', 'Dates'],
  ['candles', 'Read candles between two dates'],
];

it('searches the text as well, and states when nothing is found', () =>
  on('/docs', async ({ page }) => {
    const found = page.locator('#found [aria-selected=true] > span:first-child');
    const nothing = page.locator('#nothing-found');
    for (const [query, title] of ANSWERS) {
      await page.fill('#find', query);
      expect(await found.innerText(), query).toBe(title);
      expect(await nothing.isVisible(), query).toBe(false);
    }
    await page.fill('#find', 'zebra');
    expect(await nothing.innerText()).toBe('Nothing found for “zebra”');
    expect(await page.locator('#found').isVisible()).toBe(false);
    await page.fill('#find', '');
    expect(await nothing.isVisible()).toBe(false);
  }));

it('has its contents in a menu on phones', () =>
  on(
    '/docs',
    async ({ page }) => {
      const contents = page.getByRole('navigation', { name: 'On this page' });
      expect(await contents.isVisible()).toBe(false);
      await page.getByRole('button', { name: 'Contents' }).click();
      await contents.getByText('/v1/user/usage').click();
      await inView(page, await page.evaluate<string>('location.hash.slice(1)'));
      expect(await contents.isVisible()).toBe(false);
    },
    { viewport: { width: 390, height: 844 } },
  ));

it('applies the chosen theme on every page, from the first paint', () =>
  on(
    '/docs',
    async ({ page }) => {
      expect(await isDark(page)).toBe(false);
      await page.getByLabel('Theme').selectOption('dark');
      expect(await isDark(page)).toBe(true);
      // An open page follows the choice, and a new page has the theme before its body is parsed.
      await page.context().addInitScript(`
        new MutationObserver((_, observer) => {
          if (!document.body) return;
          globalThis.themeAtFirst = document.documentElement.dataset.theme;
          observer.disconnect();
        }).observe(document, { childList: true, subtree: true });
      `);
      const other = await page.context().newPage();
      await other.goto(`${service.url}/docs/problems`);
      expect(await other.evaluate('themeAtFirst')).toBe('dark');
      expect(await isDark(other)).toBe(true);
      await other.getByLabel('Theme').selectOption('light');
      await expect.poll(() => isDark(page)).toBe(false);
    },
    { colorScheme: 'light' },
  ));

it('shows the problems and highlights the linked one', () =>
  on('/docs/problems#quota_exceeded', async ({ page }) => {
    await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
    await inEachLook(
      page,
      async ({ name, width }) => {
        expect(await page.locator('.problem pre:visible').count(), name).toBe(PROBLEM_CODES.length);
        const backgrounds = await page.evaluate<string[]>(
          `['quota_exceeded', 'rate_limited'].map((id) => getComputedStyle(document.getElementById(id)).backgroundColor)`,
        );
        expect(backgrounds[0], name).not.toBe(backgrounds[1]);
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
        if (isLong || width !== 390) expect(await barriers(page), name).toEqual([]);
      },
      [320, 390, 1440],
    );
  }));

it('violations of the content security policy are detected by these tests', async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const complaints = await complaintsOf(page, new URL(service.url).origin);
    await page.goto(`${service.url}/docs/problems`);
    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<p style="color: red">red</p>')`);
    await expect.poll(() => complaints.join()).toContain('refused: style-src-attr inline');
  } finally {
    await context.close();
  }
});
