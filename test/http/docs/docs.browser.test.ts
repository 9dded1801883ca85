import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROBLEM_CODES } from '#problems';
import { barriers } from '../../support/browser/accessibility.ts';
import { complaintsOf, launchBrowser } from '../../support/browser/browser.ts';
import { inEachLook } from '../../support/browser/looks.ts';
import { type Service, startService } from '../../support/service/service.ts';

/** What axe finds in Swagger UI's own markup, which no style sheet can mend. */
const FAULTS_OF_SWAGGER_UI = [
  // The line of an operation is a button with a link to itself in it.
  'nested-interactive',
  // The choices of a parameter and of an example have a text beside them that is no label.
  'select-name',
  // The command that was sent scrolls sideways, and only a pointer can do it.
  'scrollable-region-focusable',
];

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

/** Opens a path, hands the page over, and sees to it that nothing went amiss meanwhile. */
async function on(path: string, act: (opened: Opened) => Promise<void>) {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const complaints = await complaintsOf(page, new URL(service.url).origin);
    await page.goto(`${service.url}${path}`);
    if (path === '/docs') await page.locator('.opblock').first().waitFor();
    await act({ page, context });
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

const operation = (page: Page) => page.locator('#operations-prices-getLatestPrice');

/** Hands a key to the page, and has it call for the latest price. */
async function tryOut(page: Page, key: string): Promise<void> {
  await page.locator('.btn.authorize').click();
  await page.locator('#api_key_value').fill(key);
  await page
    .locator('.auth-container', { has: page.locator('#api_key_value') })
    .locator('button.authorize')
    .click();
  await page.locator('.btn-done').first().click();
  await call(page);
}

async function call(page: Page): Promise<void> {
  await operation(page).locator('.opblock-summary-control').click();
  await operation(page).locator('.try-out__btn').click();
  await operation(page).locator('.execute').click();
  await operation(page).locator('.live-responses-table').waitFor();
}

const answered = (page: Page) =>
  operation(page).locator('.live-responses-table tbody .response-col_status').innerText();

const sideways = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** The luminance of a CSS colour like rgb(28, 32, 34), roughly: 0 is black, 1 white. */
const luminance = (color: string) =>
  (color.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;

it('the docs can be read and tried, in both colour schemes, on a phone and on a desk', () =>
  on('/docs', async ({ page }) => {
    await tryOut(page, await service.register());
    expect(await answered(page)).toBe('200');
    await inEachLook(page, async (look) => {
      expect(await sideways(page), look.name).toBe(0);
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(luminance(background) > 0.5, look.name).toBe(look.colorScheme === 'light');
      expect(await barriers(page, { exclude: [['#swagger-ui']] }), look.name).toEqual([]);
      const unmended = (await barriers(page, { include: [['#swagger-ui']] })).filter(
        (one) => !FAULTS_OF_SWAGGER_UI.some((rule) => one.startsWith(`${rule}:`)),
      );
      expect(unmended, look.name).toEqual([]);
    });
  }));

it('the problems can be read, and the one that was asked for stands out', () =>
  on('/docs/problems#quota_exceeded', async ({ page }) => {
    for (const summary of await page.locator('summary').all()) await summary.click();
    await inEachLook(page, async ({ name }) => {
      expect(await page.locator('#quota_exceeded h2').isVisible(), name).toBe(true);
      expect(await page.locator('.problem pre:visible').count(), name).toBe(PROBLEM_CODES.length);
      const backgrounds = await page.evaluate<string[]>(
        `['quota_exceeded', 'rate_limited'].map((id) => getComputedStyle(document.getElementById(id)).backgroundColor)`,
      );
      expect(backgrounds[0], name).not.toBe(backgrounds[1]);
      expect(await sideways(page), name).toBe(0);
      expect(await barriers(page), name).toEqual([]);
    });
  }));

it('keeps no key: a reload has forgotten it, and nothing is stored', () =>
  on('/docs', async ({ page, context }) => {
    await tryOut(page, await service.register());
    expect(await answered(page)).toBe('200');
    const kept = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]');
    expect(kept).toEqual([0, 0, '']);
    expect(await context.storageState({ indexedDB: true })).toEqual({ cookies: [], origins: [] });
    await page.reload();
    await page.locator('.opblock').first().waitFor();
    await page.locator('.btn.authorize').click();
    expect(await page.locator('#api_key_value').inputValue()).toBe('');
  }));

it('has examples that work against this very service', () =>
  on('/docs', async ({ page }) => {
    const examples = await page.locator('section > .copied > pre').allInnerTexts();
    const [create = '', pageKey = '', latest = '', csv = ''] = examples;
    const url = (command: string) => /'(http[^']+)'/.exec(command)?.[1] ?? '';
    expect(create).toMatch(/^curl -X POST '/);
    const created = await fetch(url(create), { method: 'POST' });
    expect(created.status).toBe(201);
    const { apiKey } = (await created.json()) as { apiKey: string };
    const owner = { method: 'POST', headers: { 'x-api-key': apiKey } };
    expect((await fetch(url(pageKey), owner)).status).toBe(201);
    expect(latest).toContain('curl -i -H "X-API-KEY: $KEY"');
    const headers = { 'x-api-key': apiKey };
    expect((await fetch(url(latest), { headers })).status).toBe(200);
    expect(csv).toContain("-H 'Accept: text/csv'");
    const table = await fetch(url(csv), { headers: { ...headers, accept: 'text/csv' } });
    expect(await table.text()).toMatch(/^date,price,market_cap,total_volume\r\n/);
    for (const text of [create, pageKey, latest, csv]) expect(url(text)).toContain(`${service.url}/v1/`);
  }));

it('copies an example', () =>
  on('/docs', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const first = page.locator('.copied').first();
    await first.locator('button').click();
    await first.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      await first.locator('pre').innerText(),
    );
  }));

it('leads from the type of a problem to its section', () =>
  on('/docs', async ({ page }) => {
    const missing = await service.get('/v1/user/usage');
    const { type } = (await missing.json()) as { type: string };
    await page.goto(new URL(type, service.url).href);
    expect(await page.locator(':target h2').innerText()).toBe('api_key_missing');
  }));

it('would complain of what its policy refuses', async () => {
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
