import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const KEY = /^qt_[0-9A-Za-z]{38}$/;

const opened = useConsole({}, { permissions: ['clipboard-read', 'clipboard-write'] });
let here: Visit;

/** The browser's storage that remains after the tab is closed. */
const kept = () => here.page.evaluate<string>('JSON.stringify({ ...localStorage })');

async function signUp(plan: 'Monthly' | 'Yearly' = 'Monthly'): Promise<string> {
  const { page } = here;
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.org');
  await page.getByLabel(plan).check();
  await page.getByRole('button', { name: 'Get a key' }).click();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  return page.locator('#created-key').innerText();
}

/** Expects that a field is marked as invalid, described by its error, and focused. */
async function expectError(field: Locator, error: string): Promise<void> {
  await expect
    .poll(() =>
      field.evaluate((input) => {
        const page = input.ownerDocument;
        const line = page.getElementById(input.getAttribute('aria-describedby') ?? '');
        return [line?.textContent, input.getAttribute('aria-invalid'), page.activeElement === input];
      }),
    )
    .toEqual([error, 'true', true]);
}

it('creates a key, shows it once, and stores it only in this tab', async () => {
  here = await opened.visit();
  const { page } = here;
  const key = await signUp('Yearly');
  expect(key).toMatch(KEY);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);

  await page.getByRole('button', { name: 'I have saved it' }).click();
  await here.settled();
  expect(await page.locator('body').innerText()).not.toContain(key);
  await expect.poll(() => page.locator('#left-of').innerText()).toBe('of 180,000 calls left');
  expect(await kept()).not.toContain(key);
  expect(here.requests.filter((url) => url.includes(key))).toEqual([]);
  expect(page.url()).not.toContain(key);

  const newcomer = await opened.visit();
  await newcomer.page.getByRole('heading', { name: 'Get a key' }).waitFor();
});

it('stays signed in on this device on request, and forgets the key at the sign-out', async () => {
  here = await opened.visit();
  const { page } = here;
  const key = await signUp();
  await page.locator('#created-key-remember').check();
  expect(await kept()).toContain(key);
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await here.settled();
  // Closing the browser clears the storage of the tab.
  await page.evaluate('sessionStorage.clear()');
  await page.reload();
  await page.locator('#dashboard').waitFor();
  await here.settled();

  await page.locator('#account-button').click();
  expect(await page.locator('#menu-remember').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out').waitFor();
  expect(await kept()).not.toContain(key);
  await page.reload();
  await page.getByRole('heading', { name: 'Get a key' }).waitFor();
});

it('supports registration with the keyboard only', async () => {
  here = await opened.visit();
  const { page } = here;
  const { keyboard } = page;
  const focused = () => page.evaluate<string>('document.activeElement.name || document.activeElement.textContent');
  const tabTo = async (wanted: string) => {
    for (let steps = 0; steps < 20 && (await focused()) !== wanted; steps += 1) await keyboard.press('Tab');
    expect(await focused()).toBe(wanted);
  };
  await keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the content');
  await tabTo('name');
  await keyboard.type('Ada Lovelace');
  await tabTo('email');
  await keyboard.type('ada@example.org');
  await tabTo('plan');
  await keyboard.press('ArrowDown');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  expect(await focused()).toBe('Your API key');
  await tabTo('I have saved it, continue');
  await keyboard.press('Enter');
  await here.settled();
  await expect.poll(() => page.locator('#left-of').innerText()).toBe('of 180,000 calls left');
  await tabTo('Ethereumeth');
  await keyboard.press('Space');
  await page.getByRole('heading', { name: 'Ethereum history' }).waitFor();
});

it('shows the errors of a registration at their fields', async () => {
  here = await opened.visit();
  const { page } = here;
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  // Valid for the browser, but not for the service.
  await page.getByLabel('Email', { exact: true }).fill('ada@example');
  await page.getByRole('button', { name: 'Get a key' }).click();
  const email = page.getByLabel('Email', { exact: true });
  await expectError(email, 'Enter an address like ada@example.org.');
  expect(await page.locator('#sign-up .problem').textContent()).toBe('');
  await email.fill('ada@example.org');
  expect(await email.getAttribute('aria-invalid'), 'the error disappears when the user types').toBeNull();
});

it('validates the fields before it calls the service', async () => {
  here = await opened.visit();
  const { page } = here;
  const before = here.requests.length;
  await page.getByLabel('Email', { exact: true }).fill('ada');
  await page.getByRole('button', { name: 'Get a key' }).click();
  await expectError(page.getByLabel('Name', { exact: true }), 'Enter your name.');
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByRole('button', { name: 'Get a key' }).click();
  await expectError(page.getByLabel('Email', { exact: true }), 'Enter an address like ada@example.org.');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectError(page.getByLabel('API key', { exact: true }), 'Enter your API key, which starts with qt_.');
  // The page requests the sample at any time after it opens.
  const requested = here.requests.slice(before).filter((url) => url.includes('/v1/') && !url.endsWith('/v1/sample'));
  expect(requested).toEqual([]);
});

it.each([
  ['is unknown', async () => 'qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000', 'api_key_invalid'],
  ['is malformed', async () => 'schlüssel', 'api_key_invalid'],
])('rejects a key that %s', async (_, key, code) => {
  here = await opened.visit();
  const { page } = here;
  await page.getByLabel('API key', { exact: true }).fill(await key());
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page
    .locator('#sign-in')
    .getByRole('link', { name: `About ${code}` })
    .waitFor();
  expect(await page.locator('#dashboard').isVisible()).toBe(false);
});

it('states that registration is closed', async () => {
  const closed = await opened.serve({ settings: { REGISTRATION: 'closed' } });
  here = await opened.visit({ service: closed });
  await here.page.getByText('Registration is closed. Ask the operator of this service for a key.').waitFor();
  expect(await here.page.getByRole('button', { name: 'Get a key' }).isVisible()).toBe(false);
  await here.open(await closed.createUser());
});
