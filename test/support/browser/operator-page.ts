import type { Browser, Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { startOperator, TOKEN } from '../../operator/operator-harness.ts';
import { launchBrowser, waitUntil } from './browser.ts';

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** The browser's log line for a 4xx or a 5xx, which the page itself shows. */
const FAILED_REQUEST = /^Failed to load resource: /;

/** Runs in the page: whether it is signed in, and no panel is loading. */
const IS_SETTLED =
  "document.querySelector('main:not([data-view=sign-in]) h1') !== null && !document.querySelector('main [aria-busy=true]')";

/** Runs in the page before its scripts: stores the token once, so that a sign-out is final. */
function storeToken(token: string): void {
  if (sessionStorage.getItem('test:signed-in') !== null) return;
  sessionStorage.setItem('test:signed-in', 'true');
  sessionStorage.setItem('quotient:admin-token', token);
}

type Options = ContextOptions & {
  /** The fragment of the first view. */
  fragment?: string;
  /** Shows the form for the token at first. */
  isSignedOut?: boolean;
};

/** Opens the page in a separate browser context. `complaints` lists errors, warnings and violations of its policy. */
async function visit(browser: Browser, url: string, { fragment = '', isSignedOut = false, ...options }: Options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !FAILED_REQUEST.test(text)) complaints.push(text);
  });
  context.on('request', (request) => requests.push(request.url()));
  if (!isSignedOut) await page.addInitScript(storeToken, TOKEN);
  await page.goto(`${url}/${fragment}`);
  const dialog = page.getByRole('dialog');
  const settled = () => waitUntil(page, IS_SETTLED);
  if (!isSignedOut) await settled();

  return {
    context,
    page,
    dialog,
    /** The result of the last change. */
    result: page.getByRole('status', { name: 'Result' }),
    complaints: complaints as readonly string[],
    requests: requests as readonly string[],
    /** Signs in with the form. */
    async signIn(token = TOKEN): Promise<void> {
      await page.getByLabel('Admin token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    /** Resolves when the page is signed in and no panel is loading. */
    settled,
    /** Opens the view of a fragment in the signed-in page. */
    async go(fragment: string): Promise<void> {
      await page.goto(`${url}/${fragment}`);
      await settled();
    },
    /** Confirms the open dialog, and waits until it closes. */
    async confirm(name: string): Promise<void> {
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    },
    rowOf: (text: string): Locator => page.getByRole('row').filter({ hasText: text }),
  };
}

type Visit = Awaited<ReturnType<typeof visit>>;

/**
 * Opens a service with the operator's listener and page for the tests of a file, and one page, which all of them use. A
 * test fails if the page has complained. `url` is that of the page, without a slash.
 */
export function useOperatorPage(settings: Readonly<Record<string, string>> = {}, options: Options = {}) {
  let browser: Browser;
  let service: Awaited<ReturnType<typeof startOperator>>;
  let here: Visit;
  beforeAll(async () => {
    browser = await launchBrowser();
    service = await startOperator({ settings, pageFolder: inject('operatorPageFolder') });
    here = await visit(browser, service.adminUrl, options);
  });
  afterEach(() => expect(here.complaints).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  return {
    get service() {
      return service;
    },
    get url(): string {
      return service.adminUrl;
    },
    get here(): Visit {
      return here;
    },
    /** Replaces the page with a new one, in another browser context. */
    async visit(others: Options = options): Promise<void> {
      await here.context.close();
      here = await visit(browser, service.adminUrl, others);
    },
    /** Calls the operator API. */
    call: (path: string, sent: Parameters<typeof service.send>[1] = {}) => service.send(`/admin/v1${path}`, sent),
  };
}
