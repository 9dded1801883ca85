import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';
import { buildTestConsole } from './built-console.ts';
import { startService } from './service.ts';

/** What a browser complains of when an answer is a 4xx or 5xx, or there is none: the page tells of it itself. */
const OF_AN_ANSWER = /^Failed to load resource: /;

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/**
 * The console in a browser of its own, as somebody who was never here finds it. `complaints` is what the browser
 * found wrong: an uncaught error, a breach of the page's policy, a warning; `requests` every URL that was asked for.
 */
export async function visit(browser: Browser, url: string, options: Options = {}) {
  const context: BrowserContext = await browser.newContext(options);
  const page: Page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !OF_AN_ANSWER.test(text)) complaints.push(text);
  });
  context.on('request', (request) => requests.push(request.url()));
  await page.goto(`${url}/`);
  await page.locator('#welcome, #board').filter({ visible: true }).waitFor();

  return {
    context,
    page,
    complaints: complaints as readonly string[],
    requests: requests as readonly string[],

    /** Brings a key, and resolves when all that was asked for with it has been answered. */
    async open(key: string): Promise<void> {
      await page.getByLabel('API key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Open', exact: true }).click();
      await page.locator('#board').waitFor();
      await settled(page);
    },
    settled: () => settled(page),
    close: () => context.close(),
  };
}

export type Visit = Awaited<ReturnType<typeof visit>>;

/** Resolves when no panel waits for an answer. */
async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
}

/** A service with a freshly built console, and a browser to look at it. */
export async function openTestConsole(settings: Readonly<Record<string, string>> = {}) {
  const built = await buildTestConsole();
  const browser = await launchBrowser();
  const service = await startService({ settings, consoleFolder: built.folder });
  return {
    /** Where the page was built. */
    folder: built.folder,
    browser,
    service,
    async close(): Promise<void> {
      await browser.close();
      await service.close();
      await built.remove();
    },
  };
}

export type TestConsole = Awaited<ReturnType<typeof openTestConsole>>;
