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
