import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { onDate } from '#pages/format';
import type { MarketSample } from '#prices/latest/latest-records';
import type { UserRecord } from '#users/users-records';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const KEY = /^qt_[0-9A-Za-z]{38}$/;
const HOW_TO_RENEW = 'docs/plans#expiry-and-renewal';

const opened = useConsole({ BASE_PATH: '/market' }, { permissions: ['clipboard-read', 'clipboard-write'] });
let here: Visit;

const MEASURE_SHIFT = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** The browser's storage that remains after the tab is closed. */
const kept = () => here.page.evaluate<string>('JSON.stringify({ ...localStorage })');
const clipboard = () => here.page.evaluate<string>('navigator.clipboard.readText()');
const region = (name: string) => here.page.getByRole('region', { name });
const press = (name: string) => here.page.getByRole('button', { name, exact: true }).click();
const shownKey = () => region('Your API key').locator('code').first().innerText();

/** Expects that a field is marked as invalid, described by its error, and focused. */
async function expectError(field: Locator, error: string): Promise<void> {
  await expect
    .poll(() =>
      field.evaluate((input) => {
        const page = input.ownerDocument;
        const [id = ''] = (input.getAttribute('aria-describedby') ?? '').split(' ');
        return [page.getElementById(id)?.textContent, input.getAttribute('aria-invalid'), page.activeElement === input];
      }),
    )
    .toEqual([error, 'true', true]);
}

it('shows real prices without a sign-in or a layout shift, and the call that returns them', async () => {
  const { service } = opened;
  here = await opened.visit({ prepare: (page) => page.addInitScript(MEASURE_SHIFT) });
  const { page } = here;
  const sample = region('Bitcoin');
  await sample.waitFor();
  expect(await page.evaluate('globalThis.shift')).toBeLessThan(0.01);

  const { latest } = (await (await service.get('/v1/sample')).json()) as MarketSample;
  const price = Math.round(Number(latest.current_price)).toLocaleString('en-US');
  expect(await sample.innerText()).toContain(`$${price}`);
  expect(await sample.innerText()).toMatch(/As of \d{1,2}:\d\d [AP]M, .+ ago/);
  expect(await sample.getByRole('img').getAttribute('aria-label')).toMatch(/^Bitcoin, last 30 days: from \$/);
  expect(await sample.locator('path').getAttribute('d')).toMatch(/^M(\d+\.\d \d+\.\d)(L\d+\.\d \d+\.\d){30}$/);

  await sample.getByRole('button', { name: 'Copy' }).click();
  await sample.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await clipboard()).toBe(`curl ${service.url}/v1/sample`);
  expect(await sample.innerText()).toContain(await clipboard());
  expect(await sample.innerText()).toContain('"tokenName": "bitcoin"');
  expect(here.requests.filter((url) => url.endsWith('/v1/sample'))).toHaveLength(1);
  await here.open(await service.createUser());
});

it('creates a key with the keyboard only, shows it once, and stores it only in this tab', async () => {
  here = await opened.visit();
  const { page } = here;
  const { keyboard } = page;
  const focused = () => page.evaluate<string>('document.activeElement.name || document.activeElement.textContent');
  const tabTo = async (wanted: string) => {
    for (let steps = 0; steps < 20 && (await focused()) !== wanted; steps += 1) await keyboard.press('Tab');
    expect(await focused()).toBe(wanted);
  };
  const form = region('Get a key');
  await form.getByText('The key is valid for one month.').waitFor();
  expect(await form.getByRole('link', { name: 'How to renew' }).getAttribute('href')).toBe(HOW_TO_RENEW);
  await keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the content');
  await tabTo('name');
  await keyboard.type('Ada Lovelace');
  await tabTo('email');
  await keyboard.type('ada@example.org');
  await tabTo('plan');
  await keyboard.press('ArrowDown');
  await form.getByText('The key is valid for one year.').waitFor();
  await keyboard.press('Enter');
  await region('Your API key').waitFor();
  expect(await focused()).toBe('Your API key');

  const key = await shownKey();
  expect(key).toMatch(KEY);
  const record = (await (await opened.service.get('/v1/user/data', { key })).json()) as UserRecord;
  await region('Your API key')
    .getByText(`Expires ${onDate(new Date(record.validUntil))} (in `)
    .waitFor();
  const help = page.getByRole('link', { name: 'How to renew' });
  expect(await help.getAttribute('href')).toBe(HOW_TO_RENEW);
  expect(await help.getAttribute('target'), 'the page with the key stays open').toBe('_blank');
  await press('Copy');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await clipboard()).toBe(key);

  await tabTo('I have saved it, continue');
  await keyboard.press('Enter');
  await here.settled();
  await expect.poll(() => page.getByRole('banner').innerText()).toMatch(/1(80,000|79,999) left/);
  expect(await page.content()).not.toContain(key);
  expect(await kept()).not.toContain(key);
  expect(here.requests.filter((url) => url.includes(key))).toEqual([]);
  expect(page.url()).not.toContain(key);
});

it('stays signed in on this device on request, and forgets the key at the sign-out', async () => {
  here = await opened.visit();
  const { page } = here;
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.org');
  await press('Get a key');
  await region('Your API key').getByLabel('Stay signed in').check();
  const key = await shownKey();
  expect(await kept()).toContain(key);
  await press('I have saved it, continue');
  await here.settled();
  // Closing the browser clears the storage of the tab.
  await page.evaluate('sessionStorage.clear()');
  await here.go('/#/account');
  await page.reload();
  expect(await page.getByLabel('Stay signed in').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await page.getByText('You are signed out').waitFor();
  expect(await kept()).not.toContain(key);
  await page.reload();
  await page.getByRole('heading', { name: 'Get a key' }).waitFor();
});

it('shows the faults of a registration and a sign-in at their fields, before it calls the service', async () => {
  here = await opened.visit();
  const { page } = here;
  const name = page.getByLabel('Name', { exact: true });
  const email = page.getByLabel('Email', { exact: true });
  const key = page.getByLabel('API key', { exact: true });
  const before = here.requests.length;
  await email.fill('ada');
  await press('Get a key');
  await expectError(name, 'Enter your name.');
  await name.fill('Ada');
  await press('Get a key');
  await expectError(email, 'Enter an address like ada@example.org.');
  await press('Sign in');
  await expectError(key, 'Enter your API key, which starts with qt_.');
  // The page requests the sample at any time after it opens.
  const requested = here.requests.slice(before).filter((url) => url.includes('/v1/') && !url.endsWith('/v1/sample'));
  expect(requested).toEqual([]);

  // Valid for the browser, but not for the service.
  await email.fill('ada@example');
  await press('Get a key');
  await expectError(email, 'Enter an address like ada@example.org.');
  expect(await region('Get a key').getByRole('alert').count()).toBe(0);
  await email.fill('ada@example.org');
  expect(await email.getAttribute('aria-invalid'), 'the error disappears when the user types').toBeNull();

  for (const rejected of ['qt_EXAMPLEEXAMPLEEXAMPLEEXAMPLEKEYS000000', 'schlüssel']) {
    await key.fill(rejected);
    await press('Sign in');
    await region('Sign in').getByRole('link', { name: 'About api_key_invalid' }).waitFor();
    expect(await key.inputValue(), 'the user can correct the key').toBe(rejected);
    await page.reload();
  }
});

it('states that registration is closed, and omits the sample if there are no prices', async () => {
  const prepare = async (page: Page) => {
    await page.route('**/market/', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('data-registration="open"', 'data-registration="closed"');
      await route.fulfill({ response, body });
    });
    await page.route('**/v1/sample', (route) => route.fulfill({ status: 404, body: '' }));
  };
  here = await opened.visit({ prepare });
  const { page } = here;
  await region('Get a key').getByText('Registration is closed. Ask the operator').waitFor();
  await page.getByText('This call needs no API key').waitFor({ state: 'detached' });
  expect(await page.getByRole('button', { name: 'Get a key' }).count()).toBe(0);
  expect(await page.getByRole('alert').allInnerTexts()).not.toContainEqual(expect.stringMatching(/./));
  await page.getByText('Lost your key?').click();
  await page.getByText('This service does not send email.').waitFor();
});
