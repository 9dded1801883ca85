import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { inject } from 'vitest';
import { startService } from '../service/service.ts';
import { launchBrowser } from './browser.ts';

/** The browser's log line for a 4xx, a 5xx or a missing response. The page itself shows these failures. */
const FAILED_REQUEST = /^Failed to load resource: /;

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/**
 * Opens the console in a separate browser context. `complaints` lists uncaught errors, violations of the page's policy
 * and warnings. `requests` lists every requested URL, and `charged` lists the charged responses.
 */
export async function visit(browser: Browser, url: string, options: Options = {}) {
  const context: BrowserContext = await browser.newContext(options);
  const page: Page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  const charged: Response[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !FAILED_REQUEST.test(text)) complaints.push(text);
  });
  context.on('request', (request) => requests.push(request.url()));
  context.on('response', (response) => {
    if (response.ok() && new URL(response.url()).pathname.includes('/v1/prices/')) charged.push(response);
  });
  await page.goto(`${url}/`);
  await page.locator('#welcome, #dashboard').filter({ visible: true }).waitFor();

  /** Signs in, and resolves when the initial data is loaded. */
  async function open(key: string): Promise<void> {
    await page.getByLabel('API key', { exact: true }).fill(key);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('#dashboard').waitFor();
    await settled(page);
  }

  return {
    context,
    page,
    complaints: complaints as readonly string[],
    requests: requests as readonly string[],
    charged: charged as readonly Response[],

    open,
    /** Signs in, and also loads the chart and the statistics with their buttons. */
    async openWhole(key: string): Promise<void> {
      await open(key);
      for (const name of ['chart', 'statistics']) {
        await page.locator(`#${name}-load`).click();
        await page.locator(`#${name}-offer`).waitFor({ state: 'hidden' });
      }
      await settled(page);
    },
    settled: () => settled(page),
    close: () => context.close(),
  };
}

export type Visit = Awaited<ReturnType<typeof visit>>;

/** Resolves when no panel is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.locator('.placeholder').first().waitFor({ state: 'detached' });
}

/** A service with the console, and a browser. */
export async function openTestConsole(settings: NonNullable<Parameters<typeof startService>[0]>['settings'] = {}) {
  const browser = await launchBrowser();
  const service = await startService({ settings, consoleFolder: inject('consoleFolder') });
  return {
    browser,
    service,
    async close(): Promise<void> {
      await browser.close();
      await service.close();
    },
  };
}

export type TestConsole = Awaited<ReturnType<typeof openTestConsole>>;
