import type { Browser, Locator } from 'playwright-core';
import { inject } from 'vitest';
import { startOperator, TOKEN } from '../../operator/operator-harness.ts';
import { launchBrowser } from './browser.ts';

type ContextOptions = NonNullable<Parameters<Browser['newContext']>[0]>;

/** The browser's log line for a 4xx or a 5xx, which the page itself shows. */
const FAILED_REQUEST = /^Failed to load resource: /;

/** A service with the operator's listener and page, and a browser. `url` is that of the page, without a slash. */
export async function openTestOperatorPage(settings: Readonly<Record<string, string>> = {}) {
  const browser = await launchBrowser();
  const service = await startOperator({ settings, pageFolder: inject('operatorPageFolder') });

  return {
    browser,
    service,
    url: service.adminUrl,
    /** Calls the operator API. */
    call: (path: string, options: Parameters<typeof service.send>[1] = {}) => service.send(`/admin/v1${path}`, options),
    async close(): Promise<void> {
      await browser.close();
      await service.close();
    },
  };
}

export type TestOperatorPage = Awaited<ReturnType<typeof openTestOperatorPage>>;

/** Opens the page in a separate browser context. `complaints` lists errors, warnings and violations of its policy. */
export async function visitOperator(opened: TestOperatorPage, fragment = '', options: ContextOptions = {}) {
  const context = await opened.browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !FAILED_REQUEST.test(text)) complaints.push(text);
  });
  context.on('request', (request) => requests.push(request.url()));
  await page.goto(`${opened.url}/${fragment}`);
  const dialog = page.getByRole('dialog');

  return {
    context,
    page,
    dialog,
    /** The result of the last change. */
    result: page.getByRole('status', { name: 'Result' }),
    complaints: complaints as readonly string[],
    requests: requests as readonly string[],
    async signIn(token = TOKEN): Promise<void> {
      await page.getByLabel('Admin token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    /** Resolves when the page is signed in and no panel is loading. */
    async settled(): Promise<void> {
      await page.locator('main:not([data-view=sign-in]) h1').waitFor();
      await page.locator('main [aria-busy=true]').waitFor({ state: 'detached' });
    },
    /** Confirms the open dialog, and waits until it closes. */
    async confirm(name: string): Promise<void> {
      await dialog.getByRole('button', { name, exact: true }).click();
      await dialog.waitFor({ state: 'hidden' });
    },
    rowOf: (text: string): Locator => page.getByRole('row').filter({ hasText: text }),
    close: () => context.close(),
  };
}

export type OperatorVisit = Awaited<ReturnType<typeof visitOperator>>;
