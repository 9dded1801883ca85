import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import type { UserRecord } from '#accounts/records';
import { onDateAt } from '#pages/format';
import { openTestConsole, type TestConsole, type Visit, visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { startMailServer } from '../../support/mail/mail-server.ts';
import { type Service, startService } from '../../support/service/service.ts';

let opened: TestConsole;
let browser: Browser;
let service: Service;
let here: Visit;
beforeAll(async () => {
  opened = await openTestConsole({ BASE_PATH: '/market' });
  ({ browser, service } = opened);
});
afterAll(() => opened?.close());
beforeEach(async () => {
  here = await visit(browser, service.url);
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

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
  const record = (await (await service.get('/v1/user/data', { key })).json()) as UserRecord;
  return onDateAt(new Date(record.validUntil));
}

/** The links to the guide's section on renewal. */
const help = (place: string) => here.page.locator(place).getByRole('link', { name: 'How to renew' });

it('the form states how long the key of each plan is valid, and how to renew it', async () => {
  const { page } = here;
  expect(await text('sign-up-validity')).toContain('one month');
  await page.getByLabel('Yearly').check();
  expect(await text('sign-up-validity')).toContain('one year');
  expect(await help('#sign-up').getAttribute('href')).toBe('docs/plans#expiry-and-renewal');
  await help('#sign-up').click();
  await page.locator('#expiry-and-renewal').waitFor();
});

it('a new key is shown with its expiry, and how to renew it', async () => {
  const { page } = here;
  await register('Yearly');
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  expect(await text('created-key-validity')).toBe(`The key expires on ${await expiryOf(await text('created-key'))}.`);
  expect(await help('#key-created').getAttribute('href')).toBe('docs/plans#expiry-and-renewal');
  expect(await help('#key-created').getAttribute('target'), 'the page with the key stays open').toBe('_blank');
});

it('the allowance panel states when the key expires, and renews it', async () => {
  const { page } = here;
  const key = await service.createUser();
  await here.open(key);
  expect(await text('validity')).toBe(`The key expires on ${await expiryOf(key)}.`);
  await page.locator('#allowance').getByRole('button', { name: 'Renew…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const next = await expiryOf(key);
  await expect.poll(() => text('validity')).toContain(`The key expires on ${next}. It can be renewed from `);
  expect(await page.locator('#renew').isVisible(), 'only one period ahead').toBe(false);
});

it('a renewal in one tab hides the button of the other', async () => {
  const { page } = here;
  await here.open(await service.createUser());
  const other = await here.context.newPage();
  await other.goto(`${service.url}/`);
  await other.locator('#renew').click();
  await other.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await other.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect.poll(() => text('validity')).toContain('It can be renewed from ');
  expect(await page.locator('#renew').isVisible()).toBe(false);
});

it('the allowance panel states that a key has expired, and renews it', async () => {
  const { page } = here;
  const key = await service.createUser({ validUntil: Date.now() - 86_400_000 });
  await here.open(key);
  expect(await text('validity')).toBe(`The key expired on ${await expiryOf(key)}.`);
  await page.locator('#renew').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect.poll(() => text('validity')).toBe(`The key expires on ${await expiryOf(key)}.`);
});

/** Creates a key that can only read prices. */
async function restrictedKey(owner: string): Promise<string> {
  const query = new URLSearchParams({ label: 'Shop', scopes: 'prices' });
  const response = await fetch(`${service.url}/v1/user/keys?${query}`, {
    method: 'POST',
    headers: { 'x-api-key': owner },
  });
  return ((await response.json()) as { apiKey: string }).apiKey;
}

it('a restricted key has no button to renew', async () => {
  await here.open(await restrictedKey(await service.createUser()));
  expect(await text('validity')).toMatch(/^The account expires on .+\. Renew it with the owner key\.$/);
  expect(await here.page.locator('#renew').isVisible()).toBe(false);
});

it.each([
  ['an owner key', async () => service.createUser(), true],
  ['a restricted key', async () => restrictedKey(await service.createUser()), false],
] as const)('%s has no button to renew until its access is known', async (_, makeKey, canRenew) => {
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
});

it('while the usage or access is unknown, only an expired key can be renewed', async () => {
  const { page } = here;
  await page.route('**/v1/user/usage', (route) => route.fulfill({ status: 503, body: '' }));
  await here.open(await service.createUser());
  expect(await text('validity')).toContain('The key expires on');
  expect(await page.locator('#renew').isVisible()).toBe(false);
  await page.locator('#account-button').click();
  expect(await page.locator('#menu-renew').getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('button', { name: 'Sign out' }).click();

  await page.route('**/v1/user/keys', (route) => route.fulfill({ status: 503, body: '' }));
  await here.open(await service.createUser({ validUntil: Date.now() - 86_400_000 }));
  expect(await text('validity')).toContain('The key expired on');
  expect(await page.locator('#renew').isVisible()).toBe(true);
});

it('a new page key is shown with its own expiry or that of the account', async () => {
  const { page } = here;
  const owner = await service.createUser();
  await here.open(owner);
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

it('a registration that waits for confirmation states how long the key will be valid', async () => {
  const mailServer = await startMailServer();
  const verified = await startService({
    settings: {
      REGISTRATION: 'verified',
      SMTP_URL: mailServer.url,
      MAIL_FROM: 'quotient@example.org',
      PUBLIC_URL: 'https://quotient.example.org',
    },
    consoleFolder: inject('consoleFolder'),
  });
  try {
    await here.page.goto(`${verified.url}/`);
    await register('Yearly');
    const sent = here.page.locator('#sign-up .sent');
    await sent.getByText('An email with a link is on its way').waitFor();
    expect(await sent.innerText()).toMatch(/The key is then valid for one year from the confirmation/);
    await expectSoundLooks(here.page, 'the confirmation', [320, 1280]);
  } finally {
    const stopped = verified.close();
    verified.app.server.closeAllConnections();
    await stopped;
    await mailServer.close();
  }
});
