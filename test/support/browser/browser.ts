import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

/** The browsers of this worker, by their arguments. They end with the worker, because a start takes a second. */
const browsers = new Map<string, Promise<Browser>>();

function launch(args: readonly string[]): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium is not installed');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage', ...args] });
}

/** Opens a headless Chromium, which the test files of a worker share. `close` closes all of its pages. */
export async function launchBrowser(args: readonly string[] = []): Promise<Browser> {
  const opened = browsers.get(args.join()) ?? launch(args);
  browsers.set(args.join(), opened);
  const browser = await opened;
  const close = () => Promise.all(browser.contexts().map((context) => context.close()));
  return Object.create(browser, { close: { value: close } });
}

/**
 * Resolves when a condition has held in a page for three frames, in which a click or a link starts its calls. The page
 * itself checks each frame, because Playwright soon looks for an element only every half a second.
 * @param condition a JavaScript expression
 */
export async function waitUntil(page: Page, condition: string): Promise<void> {
  const held = `new Promise((resolve) => {
    let frames = 0;
    const look = () => {
      frames = (${condition}) ? frames + 1 : 0;
      if (frames === 3) resolve();
      else requestAnimationFrame(look);
    };
    look();
  })`;
  for (;;) {
    try {
      return await page.evaluate(held);
    } catch (error) {
      // The next page needs its own check.
      if (!String(error).includes('navigation')) throw error;
    }
  }
}

/** Makes a page report violations of its Content-Security-Policy to a function with this name. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
  refusedByPolicy(effectiveDirective + ' ' + blockedURI);
});`;

/**
 * Records the faults of a page from now on: console errors and warnings, violations of its Content-Security-Policy,
 * requests to other origins, and failed requests.
 */
export async function complaintsOf(page: Page, origin: string): Promise<readonly string[]> {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin: requestOrigin } = new URL(request.url());
    if (protocol !== 'data:' && requestOrigin !== origin) complaints.push(`left the origin: ${request.url()}`);
  });
  page.on('requestfailed', (request) => {
    // A navigation aborts the requests of the page before it.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED') complaints.push(`failed: ${request.url()}`);
  });
  await page.exposeFunction('refusedByPolicy', (what: string) => complaints.push(`refused: ${what}`));
  await page.addInitScript(REPORT_VIOLATIONS);
  return complaints;
}
