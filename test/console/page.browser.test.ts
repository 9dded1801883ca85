import { afterEach, expect, it } from 'vitest';
import { BUILT_IN_TOKENS } from '#catalogue/token';
import { useConsole, type Visit } from '../support/browser/console.ts';
import { countBytes } from '../support/browser/transfer.ts';
import { pricesOn } from './prices/prices-page.ts';

/** The transfer size of a first visit, in bytes. */
const FIRST_LOAD = 90_000;
/** The transfer size of the dashboard's first view, with the charting library and the data. */
const DASHBOARD = 150_000;

const opened = useConsole({ BASE_PATH: '/market' });
let here: Visit;
afterEach(() => {
  const origins = new Set(here.requests.map((url) => new URL(url).origin));
  expect([...origins].filter((origin) => origin !== 'null')).toEqual([new URL(opened.service.url).origin]);
});

it('has a small transfer size before and after the sign-in', async () => {
  here = await opened.visit();
  const { bytes } = await countBytes(here.context, here.page);
  await here.page.reload();
  await here.page.locator('.sample.loaded').waitFor();
  // The page, its modules, its styles, its icon and the free sample.
  const first = bytes();
  expect(first).toBeGreaterThan(40_000);
  expect(first).toBeLessThan(FIRST_LOAD);
  await here.open(await opened.service.createUser());
  const all = bytes();
  expect(all - first, 'the charting library and the data').toBeGreaterThan(40_000);
  expect(all).toBeLessThan(DASHBOARD);
  console.log(`first load: ${Math.round(first / 1000)} KB, with the dashboard ${Math.round(all / 1000)} KB`);
});

it('prints all content in light colors without a key, and uses the theme of the system or the chosen one', async () => {
  const key = await opened.service.createUser();
  here = await opened.visit({ key, colorScheme: 'dark' });
  const { page } = here;
  const background = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
  const dark = await background();
  await page.getByLabel('Show key').check();
  expect(await page.locator('body').innerText()).toContain(key);

  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.locator('.printed-chart canvas').waitFor();
  expect(await background()).toBe('rgb(255, 255, 255)');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(720);
  const text = await page.locator('body').innerText();
  expect(text).toContain('in 30 days');
  expect(text).not.toContain(key.slice(0, 7));
  const buttons = page.locator('button:not(.prices-table button), select, input').filter({ visible: true });
  expect(await buttons.count()).toBe(0);
  expect(await pricesOn(page).rows.count()).toBe(BUILT_IN_TOKENS.length);

  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('slider').locator('canvas').first().waitFor();
  expect(await page.locator('.printed-chart').isVisible()).toBe(false);

  expect(await background()).toBe(dark);
  await page.getByLabel('Theme').selectOption('light');
  const light = await background();
  expect(light).not.toBe(dark);
  await page.reload();
  expect(await background()).toBe(light);
  await page.getByLabel('Theme').selectOption('system');
  expect(await background()).toBe(dark);
});

it('blocks inline scripts, inline styles and other hosts', async () => {
  const page = await (await opened.browser.newContext()).newPage();
  await page.goto(`${opened.service.url}/`);
  const blocked = await page.evaluate(`new Promise((resolve) => {
    const directives = [];
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
      directives.push(effectiveDirective);
      if (directives.length === 3) resolve(directives.sort());
    });
    const script = document.createElement('script');
    script.textContent = 'globalThis.hasRun = true';
    document.body.append(script);
    const style = document.createElement('style');
    style.textContent = 'body { color: red }';
    document.body.append(style);
    fetch('http://127.0.0.1:9/').catch(() => {});
  })`);
  expect(blocked).toEqual(['connect-src', 'script-src-elem', 'style-src-elem']);
  expect(await page.evaluate('globalThis.hasRun')).toBeUndefined();
  await page.context().close();
});
