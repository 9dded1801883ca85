import type { Browser, BrowserContext, Page, Response } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { type Service, startService } from '../service/service.ts';
import { launchBrowser, waitUntil } from './browser.ts';

/** The browser's log line for a 4xx, a 5xx or a missing response. The page itself shows these failures. */
const FAILED_REQUEST = /^Failed to load resource: /;

type Options = NonNullable<Parameters<Browser['newContext']>[0]> & {
  /** Signs in with this key before the page loads. Without it, the page is that of a new user. */
  key?: string;
  /** The path and the query below the URL of the service. */
  path?: string;
  /** Runs before the page loads, such as to replace responses. */
  prepare?: (page: Page) => Promise<unknown>;
};

/**
 * Opens the console in a separate browser context. `complaints` lists uncaught errors, violations of the page's policy
 * and warnings. `requests` lists every requested URL, and `charged` lists the charged responses.
 */
export async function visit(browser: Browser, url: string, { key, path = '/', prepare, ...options }: Options = {}) {
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
  if (key !== undefined)
    await page.addInitScript(storeKey, [`quotient:key:${new URL(`${url}/`).pathname}`, key] as const);
  await prepare?.(page);
  await page.goto(`${url}${path}`);
  await (key === undefined ? page.locator('.welcome').waitFor() : settled(page));

  return {
    context,
    page,
    complaints: complaints as readonly string[],
    requests: requests as readonly string[],
    charged: charged as readonly Response[],

    /** Signs in with the form, and resolves when the initial data is loaded. */
    async open(key: string): Promise<void> {
      await page.getByLabel('API key', { exact: true }).fill(key);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await settled(page);
    },
    /** Loads the chart and the statistics with their buttons. */
    async loadWhole(): Promise<void> {
      for (const name of ['chart', 'statistics']) {
        const button = page.getByRole('button', { name: `Load ${name}` });
        await button.click();
        await button.waitFor({ state: 'hidden' });
      }
      await settled(page);
    },
    /** Opens a path below the URL of the service in the signed-in tab. */
    async go(path: string): Promise<void> {
      await page.goto(`${url}${path}`);
      await settled(page);
    },
    settled: () => settled(page),
    close: () => context.close(),
  };
}

/** The navigation, which the page shows after the sign-in. */
export const viewsOf = (page: Page) => page.getByRole('navigation', { name: 'Views' });

/** Runs in the page before its scripts: stores the key once, so that a sign-out is final. */
function storeKey([name, key]: readonly [string, string]): void {
  if (sessionStorage.getItem('test:signed-in') !== null) return;
  sessionStorage.setItem('test:signed-in', 'true');
  sessionStorage.setItem(name, key);
}

export type Visit = Awaited<ReturnType<typeof visit>>;

/** Runs in the page: whether it shows a view of a signed-in user, and no panel of it is loading. */
const IS_SETTLED = `(() => {
  const shows = (selector) => [...document.querySelectorAll(selector)].some((one) => one.checkVisibility());
  return shows('nav[aria-label=Views]') && shows('main h1') && !shows('[aria-busy=true], .placeholder');
})()`;

/** Resolves when the page shows a view of a signed-in user, and no panel of it is loading. */
export async function settled(page: Page): Promise<void> {
  await waitUntil(page, IS_SETTLED);
}

type Settings = NonNullable<Parameters<typeof startService>[0]>['settings'];

/** A service with the console, and a browser. */
async function openTestConsole(settings: Settings = {}) {
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

type TestConsole = Awaited<ReturnType<typeof openTestConsole>>;

/** Stops a service without waiting for the unused connections that the browser opened in advance. */
export async function stopService(service: Service): Promise<void> {
  const closed = service.close();
  service.app.server.closeAllConnections();
  await closed;
}

/** Opens a console for the tests of a file. A test fails if a page that it visited has complained. */
export function useConsole(settings: Settings = {}, visitOptions: Options = {}) {
  let opened: TestConsole;
  const visits: Visit[] = [];
  const services: Service[] = [];
  beforeAll(async () => {
    opened = await openTestConsole(settings);
  });
  afterEach(async () => {
    for (const one of visits.splice(0)) {
      expect(one.complaints).toEqual([]);
      await one.close();
    }
    for (const service of services.splice(0)) await stopService(service);
  });
  afterAll(() => opened?.close());

  return {
    get browser(): Browser {
      return opened.browser;
    },
    get service(): Service {
      return opened.service;
    },
    /** Starts another service with the console, until the end of the test. */
    async serve(options: Parameters<typeof startService>[0] = {}): Promise<Service> {
      const service = await startService({ consoleFolder: inject('consoleFolder'), ...options });
      services.push(service);
      return service;
    },
    /** Opens the console of this service or of another one. */
    async visit({
      service = opened.service,
      ...options
    }: Options & { service?: { url: string } } = {}): Promise<Visit> {
      const one = await visit(opened.browser, service.url, { ...visitOptions, ...options });
      visits.push(one);
      return one;
    },
  };
}
