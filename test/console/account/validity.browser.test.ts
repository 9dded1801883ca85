import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { onDateAt } from '#pages/format';
import type { UserRecord } from '#users/users-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole({ BASE_PATH: '/market' });
let here: Visit;

const text = (id: string) => here.page.locator(`#${id}`).innerText();

async function register(plan: 'Monthly' | 'Yearly'): Promise<void> {
  const { page } = here;
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.org');
  await page.getByLabel(plan).check();
  await page.getByRole('button', { name: 'Get a key' }).click();
}

/** The expiry of a key, as the page formats it. */
async function expiryOf(key: string): Promise<string> {
  const record = (await (await opened.service.get('/v1/user/data', { key })).json()) as UserRecord;
  return onDateAt(new Date(record.validUntil));
}

/** The links to the guide's section on renewal. */
const help = (place: string) => here.page.locator(place).getByRole('link', { name: 'How to renew' });

it('the form states how long the key of each plan is valid, and how to renew it', async () => {
  here = await opened.visit();
  const { page } = here;
  expect(await text('sign-up-validity')).toContain('one month');
  await page.getByLabel('Yearly').check();
  expect(await text('sign-up-validity')).toContain('one year');
  expect(await help('#sign-up').getAttribute('href')).toBe('docs/plans#expiry-and-renewal');
  await help('#sign-up').click();
  await page.locator('#expiry-and-renewal').waitFor();
});

it('a new key is shown with its expiry, and how to renew it', async () => {
  here = await opened.visit();
  const { page } = here;
  await register('Yearly');
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  expect(await text('created-key-validity')).toBe(`The key expires on ${await expiryOf(await text('created-key'))}.`);
  expect(await help('#key-created').getAttribute('href')).toBe('docs/plans#expiry-and-renewal');
  expect(await help('#key-created').getAttribute('target'), 'the page with the key stays open').toBe('_blank');
});

it('the allowance panel states when the key expires, and renews it', async () => {
  const key = await opened.service.createUser();
  here = await opened.visit({ key });
  const { page } = here;
  expect(await text('validity')).toBe(`The key expires on ${await expiryOf(key)}.`);
  await page.locator('#allowance').getByRole('button', { name: 'Renew…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const next = await expiryOf(key);
  await expect.poll(() => text('validity')).toContain(`The key expires on ${next}. It can be renewed from `);
  expect(await page.locator('#renew').isVisible(), 'only one period ahead').toBe(false);
});

it('a renewal in one tab hides the button of the other', async () => {
  here = await opened.visit({ key: await opened.service.createUser() });
  const { page } = here;
  const other = await here.context.newPage();
  await other.goto(`${opened.service.url}/`);
  await other.locator('#renew').click();
  await other.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await other.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect.poll(() => text('validity')).toContain('It can be renewed from ');
  expect(await page.locator('#renew').isVisible()).toBe(false);
});

it.each([
  ['an owner key', async () => opened.service.createUser(), true, /^The key expires on /],
  [
    'a restricted key',
    async () => opened.service.createKey(await opened.service.createUser(), { label: 'Shop' }),
    false,
    /\. Renew it with the owner key\.$/,
  ],
] as const)('%s has no button to renew until its access is known', async (_, makeKey, canRenew, validity) => {
  here = await opened.visit();
  const { page } = here;
  const listed = Promise.withResolvers<void>();
  await page.route('**/v1/user/keys', async (route) => {
    await listed.promise;
    await route.continue();
  });
  await page.getByLabel('API key', { exact: true }).fill(await makeKey());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('#allowance[aria-busy=false]').waitFor();
  expect(await text('validity')).toContain('expires on');
  expect(await page.locator('#renew').isVisible()).toBe(false);
  listed.resolve();
  await here.settled();
  expect(await page.locator('#renew').isVisible()).toBe(canRenew);
  expect(await text('validity')).toMatch(validity);
});

it('while the usage or access is unknown, only an expired key can be renewed', async () => {
  const unavailable = (path: string) => (page: Page) =>
    page.route(`**${path}`, (route) => route.fulfill({ status: 503, body: '' }));
  const key = await opened.service.createUser();
  here = await opened.visit({ key, prepare: unavailable('/v1/user/usage') });
  const { page } = here;
  expect(await text('validity')).toContain('The key expires on');
  expect(await page.locator('#renew').isVisible()).toBe(false);
  await page.locator('#account-button').click();
  expect(await page.locator('#menu-renew').getAttribute('aria-disabled')).toBe('true');

  const expired = await opened.service.createUser({ validUntil: Date.now() - 86_400_000 });
  here = await opened.visit({ key: expired, prepare: unavailable('/v1/user/keys') });
  expect(await text('validity')).toContain('The key expired on');
  expect(await here.page.locator('#renew').isVisible()).toBe(true);
});

it('a new page key is shown with its own expiry or that of the account', async () => {
  const owner = await opened.service.createUser();
  here = await opened.visit({ key: owner });
  const { page } = here;
  for (const expiry of ['never', '7']) {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Label').fill('Shop');
    await page.getByRole('dialog').getByLabel('Expires').selectOption(expiry);
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('heading', { name: 'Your new key' }).waitFor();
    const validity = await text('new-key-validity');
    if (expiry === 'never')
      expect(validity).toContain(`until ${await expiryOf(owner)}. Renewing the account extends it.`);
    else expect(validity).toContain('cannot be renewed');
    await page.getByRole('button', { name: 'I have saved it' }).click();
  }
});
