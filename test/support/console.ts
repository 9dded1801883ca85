import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

/** What a browser complains of when an answer is a 4xx or 5xx, or there is none: the page tells of it itself. */
const OF_AN_ANSWER = /^Failed to load resource: /;

export async function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('there is no Chromium');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

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
