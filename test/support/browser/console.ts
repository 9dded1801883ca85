import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { inject } from 'vitest';
import { startService } from '../service/service.ts';
import { launchBrowser } from './browser.ts';

/** The browser's log for a 4xx, a 5xx or a missing response: the page shows those itself. */
const FAILED_REQUEST = /^Failed to load resource: /;

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/**
 * The console in a browser context of its own. `complaints` is what the browser found wrong: an uncaught error, a
 * breach of the page's policy, a warning; `requests` is every URL that it requested, `charged` the answers that
 * were charged for.
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

  /** Signs in, and resolves when everything is loaded that is loaded then. */
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
    /** Signs in, and loads the chart and the statistics too, each with its button. */
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
export async function openTestConsole(settings: Readonly<Record<string, string>> = {}) {
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
