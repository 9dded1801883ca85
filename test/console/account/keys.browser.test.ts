import { expect, it } from 'vitest';
import { barriers } from '../../support/browser/accessibility.ts';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole({}, { permissions: ['clipboard-read', 'clipboard-write'] });
let here: Visit;

type Listed = {
  id: number;
  label: string | null;
  scopes: string[];
  expiresAt: string | null;
  dailyLimit: number | null;
  allowedOrigins: string[] | null;
};

async function keysOf(key: string): Promise<Listed[]> {
  return (await (await opened.service.get('/v1/user/keys', { key })).json()) as Listed[];
}

const items = () => here.page.locator('#key-list li');
const dialog = () => here.page.getByRole('dialog');

it('lists the keys, creates a page key that is shown once, and revokes it', async () => {
  const owner = await opened.service.createUser();
  here = await opened.visit({ key: owner });
  const { page } = here;
  await items().filter({ hasText: 'Owner key' }).getByText('signed in').waitFor();
  expect(await items().allInnerTexts()).toEqual([expect.stringContaining(`${owner.slice(0, 7)}…`)]);
  expect(await items().getByRole('button').allInnerTexts(), 'the last owner key can only be replaced').toEqual([
    'Code…',
    'Change…',
    'Replace…',
  ]);
  await items().getByRole('button', { name: 'Replace…' }).click();
  await dialog().getByRole('heading', { name: 'Replace the key?' }).waitFor();
  await dialog().getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Label').fill('Shop window');
  await dialog().getByText('A key for a program. For a web page, enter').waitFor();
  await dialog().getByLabel('Expires').selectOption('30');
  await dialog().getByLabel('Calls per UTC day').fill('50');
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await dialog().getByRole('heading', { name: 'Your new key' }).waitFor();
  const created = await page.locator('#new-key-text').innerText();
  await dialog().getByRole('button', { name: 'Copy', exact: true }).click();
  await dialog().getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(created);
  await page.keyboard.press('Escape');
  expect(await page.locator('#new-key-text').innerText(), 'Escape does not close the dialog').toBe(created);
  await dialog().getByRole('button', { name: 'I have saved it' }).click();
  await dialog().waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain(created);

  const shop = items().filter({ hasText: 'Shop window' });
  await shop.waitFor();
  expect(await shop.getByText('for web pages').count()).toBe(0);
  expect(await shop.innerText()).toMatch(/reads prices\s+Created .+, not used yet, expires /);
  const [listed] = await keysOf(owner);
  expect(listed).toMatchObject({ label: 'Shop window', scopes: ['prices'], dailyLimit: 50 });
  const days = (Date.parse(String(listed?.expiresAt)) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect((await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key: created })).status).toBe(200);

  await shop.getByRole('button', { name: 'Revoke Shop window' }).click();
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  expect((await opened.service.get('/v1/user/usage', { key: created })).status).toBe(200);
  await shop.getByRole('button', { name: 'Revoke Shop window' }).click();
  await dialog().getByRole('button', { name: 'Revoke', exact: true }).click();
  await shop.waitFor({ state: 'detached' });
  expect((await opened.service.get('/v1/user/usage', { key: created })).status).toBe(401);
  expect(here.requests.filter((url) => url.includes(created) || url.includes(owner))).toEqual([]);
});

it('shows the calls and the limit of each key, and changes a key', async () => {
  const owner = await opened.service.createUser();
  const shop = await opened.service.createKey(owner, { label: 'Shop', scopes: 'prices', dailyLimit: '5' });
  for (let n = 0; n < 2; n += 1) await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key: shop });
  here = await opened.visit({ key: owner });
  const item = items().filter({ hasText: 'Shop' });
  await item.getByText('2 calls today of 5 a day, 2 in 31 days.').waitFor();

  await item.getByRole('button', { name: 'Change Shop' }).click();
  expect(await dialog().getByLabel('Label').inputValue()).toBe('Shop');
  expect(await dialog().getByLabel('Calls per UTC day').inputValue()).toBe('5');
  await dialog().getByLabel('Label').fill('Window');
  await dialog().getByLabel('Use the node').check();
  await dialog().getByLabel('Expires').selectOption('7');
  await dialog().getByLabel('Calls per UTC day').fill('0');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Enter a whole number from 1').waitFor();
  await dialog().getByLabel('Calls per UTC day').fill('');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'hidden' });
  await items().filter({ hasText: 'Window' }).getByText('2 calls today, 2 in 31 days.').waitFor();
  const [changed] = await keysOf(owner);
  expect(changed).toMatchObject({ label: 'Window', scopes: ['prices', 'node'], dailyLimit: null });
  expect(changed?.expiresAt).not.toBeNull();

  await item.waitFor({ state: 'detached' });
  await items().filter({ hasText: 'Window' }).getByRole('button', { name: 'Change Window' }).click();
  const expiry = dialog().getByLabel('Expires');
  expect(await expiry.locator('option:checked').innerText()).toMatch(/^as now, on [A-Z]/);
  await expiry.selectOption('date');
  await dialog().getByLabel('Last day (UTC)').fill('2020-01-31');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Enter a complete date from today on').waitFor();
  const today = new Date().toISOString().slice(0, 10);
  await dialog().getByLabel('Last day (UTC)').fill(today);
  await dialog().getByLabel('Only for web pages').fill('https://shop.example/path');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().getByText('Enter up to 10 origins').waitFor();
  await dialog().getByLabel('Only for web pages').fill('https://Shop.example\nhttp://localhost:5173');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'hidden' });
  const restricted = items().filter({ hasText: 'Only for web pages on https://shop.example, http://localhost:5173.' });
  await restricted.getByText('for web pages', { exact: true }).waitFor();
  const midnight = new Date(Date.parse(today) + 86_400_000).toISOString();
  const [restrictedKey] = await keysOf(owner);
  expect(restrictedKey).toMatchObject({
    expiresAt: midnight,
    allowedOrigins: ['https://shop.example', 'http://localhost:5173'],
  });

  await restricted.getByRole('button', { name: 'Change Window' }).click();
  expect(await dialog().getByLabel('Only for web pages').inputValue()).toBe(
    'https://shop.example\nhttp://localhost:5173',
  );
  await dialog().getByLabel('Only for web pages').fill('');
  await dialog().getByLabel('Expires').selectOption('never');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await restricted.waitFor({ state: 'detached' });
  expect((await keysOf(owner))[0]).toMatchObject({ expiresAt: null, allowedOrigins: null, label: 'Window' });

  // An owner key has a label and a limit only.
  await items().filter({ hasText: 'signed in' }).getByRole('button', { name: 'Change Owner key' }).click();
  for (const name of ['Expires', 'Read prices', 'Only for web pages'])
    expect(await dialog().getByLabel(name).isVisible(), name).toBe(false);
  await dialog().getByLabel('Label').fill('Mine');
  await dialog().getByRole('button', { name: 'Save' }).click();
  await items().filter({ hasText: 'Mine' }).waitFor();
});

it('requires a scope, and shows why the service rejects a key', async () => {
  const owner = await opened.service.createUser();
  for (let i = 0; i < 19; i += 1) await opened.service.createKey(owner, { label: `key ${i}`, scopes: 'node' });
  here = await opened.visit({ key: owner });
  const { page } = here;
  await page.getByRole('button', { name: 'New key' }).click();
  await dialog().getByLabel('Label').fill('one more');
  await dialog().getByLabel('Read prices, history and statistics').uncheck();
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await dialog().getByText('Choose at least one.').waitFor();
  expect(here.requests.filter((url) => url.includes('/v1/user/keys?'))).toEqual([]);
  await dialog().getByLabel('Use the node').check();
  await dialog().getByText('A key for a program').waitFor();
  await dialog().getByRole('button', { name: 'Create key' }).click();
  await dialog().getByRole('link', { name: 'About too_many_keys' }).waitFor();
  expect(await keysOf(owner)).toHaveLength(20);
});

it('states that a page key cannot manage the account, and hides the buttons', async () => {
  const owner = await opened.service.createUser();
  here = await opened.visit({ key: await opened.service.createKey(owner, { label: 'Shop', scopes: 'prices' }) });
  const { page } = here;
  await page.locator('#keys').getByText('This key cannot manage the account').waitFor();
  expect(await page.locator('#keys').getByRole('button').count()).toBe(0);
  for (const panel of ['#notices', '#requests']) expect(await page.locator(panel).isVisible(), panel).toBe(false);
  expect(here.requests.filter((url) => url.endsWith('/v1/user/requests'))).toEqual([]);
  expect(await page.locator('#account-name').innerText()).toBe('Account');
  await page.locator('#account-button').click();
  expect(await page.locator('#menu-name').innerText()).toBe('Account');
  expect(await page.locator('#account-menu').getByRole('button').allInnerTexts()).toEqual(['Sign out']);
  expect(await page.locator('#prices-body .price').first().innerText()).toMatch(/^\$/);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await here.open(owner);
  await page.locator('#account-button').click();
  await page.locator('#account-menu').getByRole('button', { name: 'Delete account' }).waitFor();
});

it('reports that a key cannot read prices', async () => {
  const owner = await opened.service.createUser();
  here = await opened.visit({ key: await opened.service.createKey(owner, { label: 'Wallet', scopes: 'node' }) });
  await here.page.locator('#banner').getByRole('link', { name: 'About scope_missing' }).waitFor();
  await here.page.locator('#banner').getByRole('button', { name: 'Use another key' }).click();
  await here.page.getByLabel('API key', { exact: true }).waitFor();
});

it('lets a replaced key read, but not manage the account', async () => {
  const owner = await opened.service.createUser();
  await opened.service.createKey(owner, { label: 'Shop', scopes: 'prices' });
  await fetch(`${opened.service.url}/v1/user/rotate`, { method: 'POST', headers: { 'x-api-key': owner } });
  here = await opened.visit({ key: owner });
  const { page } = here;
  await page.locator('#keys').getByText('This key has been replaced').waitFor();
  await items().filter({ hasText: 'replaced' }).getByText('signed in').waitFor();
  expect(await page.locator('#keys').getByRole('button').count()).toBe(0);
  await page.locator('#account-button').click();
  expect(await page.locator('#account-menu').getByRole('button').allInnerTexts()).toEqual(['Sign out']);
});

it('creates and revokes keys of an expired account only after its renewal', async () => {
  here = await opened.visit({ key: await opened.service.createUser({ validUntil: Date.now() - 86_400_000 }) });
  const { page } = here;
  await page.locator('#keys').getByText('renew the account').waitFor();
  expect(await page.locator('#keys').getByRole('button').count()).toBe(0);
  await page.locator('#banner').getByRole('button', { name: 'Renew key' }).click();
  await dialog().getByRole('button', { name: 'Renew', exact: true }).click();
  await page.getByRole('button', { name: 'New key' }).waitFor();
  await expect.poll(() => page.locator('#prices-body .price').first().innerText()).toMatch(/^\$/);
  await expect.poll(() => page.locator('#banner').innerText()).toBe('');
});

it('warns about an owner key that a page from another origin has used', async () => {
  const owner = await opened.service.createUser();
  const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
  await opened.service.get('/v1/user/usage', { key: owner, headers });
  await expect
    .poll(async () => ((await keysOf(owner)) as { seenOrigin?: string }[])[0]?.seenOrigin, {
      timeout: 20_000,
    })
    .toBe('https://shop.example');
  here = await opened.visit({ key: owner });
  const warning = here.page.locator('#exposed-key');
  await warning.getByText(`A web page on https://shop.example has used the owner key ${owner.slice(0, 7)}`).waitFor();
  expect(await barriers(here.page, { include: [['#exposed-key']] })).toEqual([]);

  await here.page.locator('#account-button').click();
  await here.page.getByRole('button', { name: 'Replace key' }).click();
  await dialog().getByRole('button', { name: 'Replace', exact: true }).click();
  await here.page.getByRole('button', { name: 'I have saved it' }).click();
  await items().filter({ hasText: 'replaced' }).waitFor();
  expect(await warning.innerText(), 'no page has used the new key').toBe('');
});

it('warns about an owner key that was in a URL', async () => {
  const owner = await opened.service.createUser();
  expect((await fetch(`${opened.service.url}/k/${owner}/v1/tokens`)).status).toBe(403);
  await expect
    .poll(async () => ((await keysOf(owner)) as { exposedAt?: string | null }[])[0]?.exposedAt, { timeout: 20_000 })
    .toBeTruthy();
  here = await opened.visit({ key: owner });
  const warning = here.page.locator('#exposed-key');
  await warning.getByText(`The owner key ${owner.slice(0, 7)}… was seen in a URL`).waitFor();
  await items().filter({ hasText: 'First seen in a URL on' }).waitFor();
});
