import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { onDate, onDateAt } from '#pages/format';
import type { UserRecord } from '#users/users-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';

/* The page Account. It is free. */

const opened = useConsole();
let here: Visit;

const visit = async (key: string, options: Parameters<typeof opened.visit>[0] = {}) => {
  here = await opened.visit({ key, path: '/#/account', ...options });
  return here.page;
};
const region = (page: Page, name: string): Locator => page.getByRole('region', { name });
const allowance = (page: Page) => region(page, 'Plan and allowance');
const renewal = (page: Page) => allowance(page).getByRole('button', { name: 'Renew key…' });
const confirm = async (page: Page, name: string) => {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
};
const statusOf = async (key: string) => (await opened.service.get('/v1/user/usage', { key })).status;
const userOf = async (key: string) => (await (await opened.service.get('/v1/user/data', { key })).json()) as UserRecord;
const renewElsewhere = (key: string) =>
  fetch(`${opened.service.url}/v1/user/renew`, { method: 'POST', headers: { 'x-api-key': key } });

it('shows the user and the allowance, and saves the data of the account', async () => {
  const key = await opened.service.createUser({ limit: 1000 });
  const page = await visit(key);
  const { name, email, validUntil } = await userOf(key);
  await allowance(page).getByText('0 of 1,000 used.').waitFor();
  const text = await allowance(page).innerText();
  expect(text).toMatch(/^1,000\ncalls left$/m);
  expect(text).toContain(`Expires ${onDate(new Date(validUntil))} (in `);
  expect(await page.getByRole('meter', { name: 'Used calls' }).getAttribute('max')).toBe('1000');
  const profile = await region(page, 'Profile').innerText();
  for (const shown of [name, email, 'monthly', key.slice(-3)]) expect(profile).toContain(shown);
  expect(profile).not.toContain(key);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export data' }).click();
  expect((await download).suggestedFilename()).toMatch(/^quotient-account-\d{4}-\d\d-\d\d\.json$/);
  const saved = await readFile(await (await download).path(), 'utf8');
  expect(JSON.parse(saved)).toMatchObject({ user: { email } });
  expect(saved).not.toContain(key);
  expect(await opened.service.used(key)).toBe(0);
  await page.route('**/v1/user/export', (route) => route.abort());
  await page.getByRole('button', { name: 'Export data' }).click();
  await region(page, 'Key and data').getByText('The service is unreachable').waitFor();
});

it('renews the key in all tabs, and states when it can be renewed again', async () => {
  const key = await opened.service.createUser();
  const page = await visit(key);
  const other = await here.context.newPage();
  await other.goto(page.url());
  await renewal(other).click();
  await other.getByRole('dialog').getByText('adds one more period').waitFor();
  await confirm(other, 'Renew');
  const { validUntil } = await userOf(key);
  const { resetsAt } = (await (await opened.service.get('/v1/user/usage', { key })).json()) as { resetsAt: string };
  const renewableFrom = `The key can be renewed from ${onDateAt(new Date(resetsAt))}.`;
  for (const tab of [page, other]) {
    const text = allowance(tab).getByText(renewableFrom);
    await text.and(tab.getByText(`Expires ${onDate(new Date(validUntil))} (in `)).waitFor();
    expect(await renewal(tab).getAttribute('aria-disabled')).toBe('true');
  }
  await renewal(page).click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
});

/** Delays the list of keys, by which the page knows the access of its key. */
function delayAccess() {
  const listed = Promise.withResolvers<void>();
  const prepare = (page: Page) =>
    page.route('**/v1/user/keys', async (route) => {
      await listed.promise;
      await route.continue();
    });
  return { prepare, end: listed.resolve };
}

it('an owner key can be renewed once its access is known, unless another client has renewed it', async () => {
  const key = await opened.service.createUser();
  const access = delayAccess();
  const page = await visit(key, access);
  await allowance(page).getByText('Expires').waitFor();
  expect(await renewal(page).getAttribute('aria-disabled')).toBe('true');
  access.end();
  await expect.poll(() => renewal(page).getAttribute('aria-disabled')).toBeNull();

  await renewal(page).click();
  await renewElsewhere(key);
  await page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'About renew_too_early' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
});

it('a restricted key cannot be renewed', async () => {
  const access = delayAccess();
  const page = await visit(
    await opened.service.createKey(await opened.service.createUser(), { label: 'Shop' }),
    access,
  );
  await allowance(page).getByText('Expires').waitFor();
  expect(await renewal(page).getAttribute('aria-disabled')).toBe('true');
  access.end();
  await allowance(page)
    .getByText(/^Expires .*\. Only the owner key can renew the account\.$/)
    .waitFor();
  await page.getByText('This key cannot manage the account.').filter({ visible: true }).waitFor();
  for (const name of ['Renew key…', 'Replace key…', 'Delete account…', 'Export data'])
    expect(await page.getByRole('button', { name }).count(), name).toBe(0);
  expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(1);
});

it('while the usage or access is unknown, only an expired key can be renewed', async () => {
  const unavailable = (path: string) => (page: Page) =>
    page.route(`**${path}`, (route) => route.fulfill({ status: 503, body: '' }));
  let page = await visit(await opened.service.createUser(), { prepare: unavailable('/v1/user/usage*') });
  await allowance(page).getByText('Expires').waitFor();
  expect(await renewal(page).getAttribute('aria-disabled')).toBe('true');

  const expired = await opened.service.createUser({ validUntil: Date.now() - 86_400_000 });
  page = await visit(expired, { prepare: unavailable('/v1/user/keys') });
  await allowance(page).getByText('Expired').waitFor();
  await renewal(page).click();
  await page.getByRole('dialog').getByText('starts a new period').waitFor();
});

it('replaces the key, shows the new one once, and deletes the account only after a confirmation', async () => {
  const old = await opened.service.createUser();
  const page = await visit(old);
  await page.getByRole('button', { name: 'Replace key…' }).click();
  await page.getByLabel('The old key stops working').selectOption('0');
  await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  await page.getByText('The old key no longer works.').waitFor();
  const [key = ''] = /qt_\w{38}/.exec(await page.locator('main').innerText()) ?? [];
  expect(key).not.toBe(old);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await region(page, 'Profile').getByText(key.slice(-3)).waitFor();
  expect([await statusOf(old), await statusOf(key)]).toEqual([401, 200]);
  expect(here.requests.filter((url) => url.includes(key) || url.includes(old))).toEqual([]);

  const erase = page.getByRole('button', { name: 'Delete account…' });
  await erase.click();
  await page.getByRole('dialog').getByText('You lose your').waitFor();
  await confirm(page, 'Cancel');
  expect(await statusOf(key)).toBe(200);
  await erase.click();
  await page.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('have been deleted').waitFor();
  await page.getByRole('heading', { name: 'Get a key' }).waitFor();
  expect(await statusOf(key)).toBe(401);
});
