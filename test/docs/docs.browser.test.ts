import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY } from '#core/clock';
import { PROBLEM_CODES } from '#core/problems';
import { barriers } from '../support/browser/accessibility.ts';
import { complaintsOf, launchBrowser } from '../support/browser/browser.ts';
import { inEachLook } from '../support/browser/looks.ts';
import { countBytes } from '../support/browser/transfer.ts';
import { isLong } from '../support/long.ts';
import { OPERATOR } from '../support/operator.ts';
import { type Service, startService } from '../support/service/service.ts';

/** The maximum transfer size of a first visit to a page, in bytes. */
const FIRST_LOAD = 60_000;
/** The maximum sum of the layout shifts of a page. */
const SHIFTS = 0.1;
/** The maximum height of an operation, in desktop screens. */
const THREE_SCREENS = 3 * 900;
/** The operations of a page have the same structure, and together they contain thousands of elements. */
const OTHER_OPERATIONS = [['.operation ~ .operation']];

let service: Service;
let browser: Browser;
let paths: string[];
beforeAll(async () => {
  service = await startService({ settings: { BASE_PATH: '/market' } });
  browser = await launchBrowser();
  const start = await (await service.get('/docs')).text();
  const contents = start.split('<nav id="contents"')[1]?.split('</nav>')[0] ?? '';
  paths = [...contents.matchAll(/ href="\/market(\/docs[^"#]*)"/g)].map(([, path]) => path ?? '');
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

/** Sums up the layout shifts that no input has caused. */
const RECORD_SHIFTS = `globalThis.shifts = 0;
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shifts += value;
}).observe({ type: 'layout-shift', buffered: true });`;

/** Opens a page with an empty cache. Returns the transferred bytes. */
async function firstLoad(page: Page, context: BrowserContext, path: string): Promise<number> {
  const { bytes, end } = await countBytes(context, page);
  await page.goto(`${service.url}${path}`, { waitUntil: 'load' });
  await end();
  return bytes();
}

it('shows the announcement of the operator', async () => {
  const { announcements } = service.parts.operator;
  await announcements.set(OPERATOR, { text: 'Synthetic data', until: Date.now() + DAY });
  await on('/docs/prices', ({ page }) => page.getByText('Synthetic data').waitFor());
  await announcements.set(OPERATOR, { text: null, until: null });
});

/**
 * The pages of a kind have the same elements and styles, so the short form checks the accessibility of one page of each
 * kind in each color scheme.
 */
it('every page is small, does not shift, fits the screen and is accessible', async () => {
  expect(paths.length).toBeGreaterThan(20);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(RECORD_SHIFTS);
  const checked = new Set<string>();
  for (const [place, path] of paths.entries()) {
    const isNarrow = place % 2 === 0;
    const width = isNarrow ? 320 : 1440;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: isNarrow ? 'dark' : 'light' });
    const bytes = await firstLoad(page, context, path);
    expect(bytes, path).toBeGreaterThan(10_000);
    expect(bytes, path).toBeLessThan(FIRST_LOAD);
    expect(await page.evaluate<number>('shifts'), path).toBeLessThan(SHIFTS);
    const kind = `${path.includes('/reference') ? 'reference' : 'guide'}, ${width} px`;
    if (isLong || !checked.has(kind))
      expect(await barriers(page, { exclude: isLong ? [] : OTHER_OPERATIONS }), path).toEqual([]);
    checked.add(kind);
    for (const one of new Set([width, 320, 768, ...(isLong ? [1920] : [])])) {
      await page.setViewportSize({ width: one, height: 900 });
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${path}, ${one} px`).toBe(one);
    }
  }
  await context.close();
}, 240_000);

it('is accessible with an open form, on phones and desktops', () =>
  on('/docs/reference/prices', async ({ page }) => {
    const operation = page.locator('#getLatestPrice');
    await operation.locator('.try > summary').click();
    await operation.getByLabel('API key').waitFor();
    await inEachLook(
      page,
      async ({ name, width }) => {
        expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
        if (isLong || width === 320) expect(await barriers(page, { include: [['#getLatestPrice']] }), name).toEqual([]);
      },
      [320, 390, 1440],
    );
  }));

it('shows each operation within three screens on a desktop, and prints the text', () =>
  on('/docs/reference/users', async ({ page }) => {
    const heights = await page.evaluate<[string, number][]>(
      `[...document.querySelectorAll('.operation')].map((one) => [one.id, one.getBoundingClientRect().height])`,
    );
    expect(heights.length).toBeGreaterThan(5);
    expect(heights.filter(([, height]) => height > THREE_SCREENS)).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    for (const part of ['.sidebar', '.try', '.languages', '.pages', '.theme', '.neighbors'])
      expect(await page.locator(part).first().isVisible(), part).toBe(false);
    expect(await page.locator('#createUser h2').isVisible()).toBe(true);
  }));

it('can be read in forced colors, and at twice the zoom', () =>
  on('/docs/history', async ({ page }) => {
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 640, height: 450 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(640);
    await page.fill('#find', 'candles');
    const [chosen, other] = [page.locator('#found [aria-selected=true]'), page.locator('#found [aria-selected=false]')];
    expect(await chosen.evaluate((option) => getComputedStyle(option).outlineStyle)).toBe('solid');
    expect(await other.first().evaluate((option) => getComputedStyle(option).outlineStyle)).toBe('none');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Contents' }).click();
    const current = page.locator('.contents [aria-current="page"]');
    expect(await current.evaluate((link) => getComputedStyle(link).borderLeftWidth)).toBe('6px');
    expect(await barriers(page)).toEqual([]);
  }));

it('leads from a page to the next one, and from old addresses to the current ones', () =>
  on('/docs', async ({ page }) => {
    await page.getByRole('link', { name: 'Get started in five minutes' }).click();
    await page.waitForURL('**/docs/getting-started');
    await page.locator('.neighbors [rel=next]').click();
    await page.waitForURL('**/docs/api');
    await page.locator('.neighbors [rel=prev]').click();
    await page.waitForURL('**/docs/getting-started');
    for (const [from, to] of [
      ['#renewal', '/docs/plans#expiry-and-renewal'],
      ['#getCandles', '/docs/reference/history#getCandles'],
      ['#header-ETag', '/docs/reference#header-ETag'],
    ] as const) {
      await page.goto(`${service.url}/docs${from}`, { waitUntil: 'commit' });
      await page.waitForURL(`**${to}`);
    }
  }));

it('is readable without scripts, with each sample in every language', () =>
  on(
    '/docs/reference/prices#getLatestPrice',
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
    /** Types a query, and waits for its first result, because each page loads the search index again. */
    const find = async (query: string, result: string) => {
      await page.keyboard.press('/');
      await page.keyboard.type(query);
      await page.locator('#found [aria-selected=true]', { hasText: result }).waitFor();
    };
    await find('history/ohlc', '/v1/prices/history/ohlc');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/reference/history#getCandles');
    await inView(page, 'getCandles');
    await page.locator('.contents [aria-current=location]', { hasText: '/v1/prices/history/ohlc' }).waitFor();
    // On the same page, the focus moves to the section.
    await find('/v1/prices/history/days', '/v1/prices/history/days');
    await page.keyboard.press('Enter');
    await page.locator('#getPriceHistoryByDays h2 a:focus').waitFor();

    await find('quota_exc', 'quota_exceeded');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/problems#quota_exceeded');
    expect(await page.locator(':target h2').innerText()).toBe('quota_exceeded');
  }));

/** Typical searches of new users, and the title and the note of the first result. */
const RESPONSES: [query: string, title: string, note: string][] = [
  ['currencies', 'Currencies', 'History, candles and currencies'],
  ['etag', 'ETag', 'API reference'],
  ['unchanged', 'Caching', 'API'],
  ['cors', 'Use in a web page', 'Keys'],
  ['client', 'JavaScript client', 'Guides'],
  ['python', 'Getting started', 'Start'],
  ['delete account', 'Deleting the account', 'Keys'],
  ['renew', 'Renew the plan', 'POST /v1/user/renew'],
  ['csv', 'CSV', 'API'],
  ['webhook', 'Webhooks', 'Guides'],
  ['lost key', 'Lost keys', 'Keys'],
  ['candles', 'Candles', 'History, candles and currencies'],
  ['backup', 'Backups on a timer', 'In production'],
];

it('searches the text as well, and states when nothing is found', () =>
  on('/docs', async ({ page }) => {
    const found = page.locator('#found [aria-selected=true] > span');
    const nothing = page.locator('#nothing-found');
    await page.fill('#find', 'prices');
    await found.first().waitFor();
    for (const [query, ...texts] of RESPONSES) {
      await page.fill('#find', query);
      expect(await found.allInnerTexts(), query).toEqual(texts);
      expect(await nothing.isVisible(), query).toBe(false);
    }
    await page.fill('#find', 'zebra');
    expect(await nothing.innerText()).toBe('Nothing found for “zebra”');
    expect(await page.locator('#found').isVisible()).toBe(false);
    await page.fill('#find', '');
    expect(await nothing.isVisible()).toBe(false);
  }));

it('reports that the search index is unavailable, and tries again', async () => {
  const page = await browser.newPage();
  await page.goto(`${service.url}/docs`);
  await page.route('**/search.json', (route) => route.fulfill({ status: 503, body: '' }));
  await page.fill('#find', 'prices');
  await page.getByText('The search is unavailable. Use the contents instead.').waitFor();
  await page.unroute('**/search.json');
  await page.fill('#find', 'candles');
  await page.locator('#found li').first().waitFor();
  expect(await page.locator('#nothing-found').isVisible()).toBe(false);
  await page.close();
});

it('has its contents in a menu on phones', () =>
  on(
    '/docs/reference/users',
    async ({ page }) => {
      const contents = page.getByRole('navigation', { name: 'Docs' });
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
        if (isLong || width === 320) expect(await barriers(page), name).toEqual([]);
      },
      [320, 390, 1440],
    );
  }));
