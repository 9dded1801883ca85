import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { settled, useConsole, type Visit, viewsOf } from '../../support/browser/console.ts';

const opened = useConsole({}, { permissions: ['clipboard-write'] });
let here: Visit;

const createUser = () => opened.service.createUser();

/** Another tab of the same browser. */
async function openTab(): Promise<Page> {
  const page = await here.context.newPage();
  await page.goto(`${opened.service.url}/`);
  return page;
}

const open = (page: Page, name: string) => viewsOf(page).getByRole('link', { name }).click();

/** Opens the page Account, and clicks one of its buttons. */
async function act(page: Page, name: string): Promise<void> {
  await open(page, 'Account');
  await page.getByRole('button', { name }).click();
}

/** Opens the page Account, and returns the masked key that it shows. */
async function keyOf(page: Page): Promise<string | null> {
  await open(page, 'Account');
  return page.locator('dd code', { hasText: '•' }).textContent();
}

it('survives a reload, another page and a second tab, and ends in all tabs', async () => {
  here = await opened.visit({ key: await createUser() });
  const { page } = here;
  await page.reload();
  await settled(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Docs' }).click();
  await page.waitForURL('**/docs');
  await page.goBack();
  await settled(page);

  const other = await openTab();
  await settled(other);
  expect(await keyOf(other)).toBe(await keyOf(page));
  expect(await page.evaluate('Object.keys(localStorage).filter((name) => name.includes("key"))')).toEqual([]);

  await act(other, 'Sign out');
  for (const tab of [page, other]) await tab.getByText('You are signed out').waitFor();
  expect(await page.locator('body').textContent(), 'the page no longer shows the key').not.toMatch(/qt_\w/);
  await page.reload();
  await page.getByRole('heading', { name: 'Get a key' }).waitFor();
  expect(await page.title()).toBe('Quotient');
});

it('keeps its user when a second tab signs in another user', async () => {
  here = await opened.visit({ key: await createUser() });
  const { page } = here;
  const first = await keyOf(page);
  const other = await openTab();
  await settled(other);
  // Simulates a session that did not start in this tab.
  await other.evaluate(`sessionStorage.setItem('quotient:key:/', ${JSON.stringify(await createUser())})`);
  await other.reload();
  await settled(other);
  expect(await keyOf(other)).not.toBe(first);
  expect(await keyOf(page)).toBe(first);

  await act(other, 'Sign out');
  await other.getByText('You are signed out').waitFor();
  await open(page, 'Prices');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await here.settled();
  expect(await keyOf(page)).toBe(first);
  expect(await viewsOf(page).isVisible()).toBe(true);
});

it('continues in all tabs with a replaced key, and ends when the account is deleted', async () => {
  here = await opened.visit({ key: await createUser() });
  const { page } = here;
  const other = await openTab();
  await settled(other);
  await act(page, 'Replace key');
  await page.getByLabel('The old key stops working').selectOption('0');
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  const created = await page.getByRole('region', { name: 'Your new key' }).locator('code').first().innerText();
  await expect.poll(() => keyOf(other)).toContain(created.slice(-3));
  await open(other, 'Prices');
  await other.getByRole('button', { name: 'Ethereum' }).click();
  await settled(other);
  expect(await other.locator('.banner').allInnerTexts()).toEqual(['', '', '']);

  await act(other, 'Delete account');
  await other.getByRole('button', { name: 'Delete permanently' }).click();
  await other.getByText('have been deleted').waitFor();
  expect(
    await page.getByRole('region', { name: 'Your new key' }).locator('code').first().innerText(),
    'an unsaved key stays visible',
  ).toBe(created);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.locator('.banner').getByRole('button', { name: 'Use another key' }).click();
  await page.getByRole('heading', { name: 'Get a key' }).waitFor();
});

it('shows a new key again after a reload, and warns before the user leaves without saving it', async () => {
  here = await opened.visit();
  const { page } = here;
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.type());
    void dialog.accept();
  });
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.org');
  await page.getByRole('button', { name: 'Get a key' }).click();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  const key = await page.getByRole('region', { name: 'Your API key' }).locator('code').first().innerText();
  await page.reload();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  expect([
    dialogs,
    await page.getByRole('region', { name: 'Your API key' }).locator('code').first().innerText(),
  ]).toEqual([['beforeunload'], key]);

  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.reload();
  await settled(page);
  expect(dialogs).toEqual(['beforeunload']);
  expect(await page.locator('body').innerText()).not.toContain(key);
});

it('lasts until the page is closed if the browser blocks storage', async () => {
  here = await opened.visit();
  await here.context.addInitScript(`
    for (const name of ['localStorage', 'sessionStorage']) {
      Object.defineProperty(globalThis, name, { get() { throw new DOMException('blocked', 'SecurityError'); } });
    }
  `);
  await here.page.reload();
  await here.open(await createUser());
  await here.page.getByLabel('Currency').selectOption('eur');
  await here.settled();
  await act(here.page, 'Sign out');
  await here.page.getByText('You are signed out').waitFor();
});

it('survives a reload while the service is down', async () => {
  here = await opened.visit({ key: await createUser(), prepare: (page) => page.clock.install() });
  const { page } = here;
  await page.route('**/v1/user/data', (route) => route.abort());
  await page.reload();
  await page.getByRole('heading', { name: 'Signing you in' }).waitFor();
  await page.getByText('The service is unreachable').waitFor();
  await page.getByText(/^Retrying in \d seconds?\.$/).waitFor();
  await page.getByRole('button', { name: 'Retry now' }).waitFor();
  await page.unroute('**/v1/user/data');
  // The page retries without a click.
  await page.clock.fastForward(10_000);
  await settled(page);
});
