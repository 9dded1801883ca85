import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { barriers } from '../../support/browser/accessibility.ts';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole({ CORS_ORIGINS: '*' }, { permissions: ['clipboard-read', 'clipboard-write'] });
let here: Visit;

type Listed = {
  id: number;
  label: string | null;
  scopes: string[];
  expiresAt: string | null;
  dailyLimit: number | null;
  allowedOrigins: string[] | null;
  seenOrigin?: string | null;
  exposedAt?: string | null;
};

const keysOf = async (key: string): Promise<Listed[]> => (await opened.service.get('/v1/user/keys', { key })).json();
const statusOf = async (key: string) => (await opened.service.get('/v1/user/usage', { key })).status;

/** Opens the page Keys. */
async function open(key: string): Promise<void> {
  here = await opened.visit({ key, path: '/#/keys' });
}
const press = (name: string) => here.page.getByRole('button', { name, exact: true }).click();
const rowOf = (name: string) =>
  here.page.getByRole('row').filter({ has: here.page.getByRole('rowheader', { name: new RegExp(`^${name}`) }) });
const dialog = () => here.page.getByRole('dialog');
const field = (name: string) => dialog().getByLabel(name);
const confirm = (name: string) => dialog().getByRole('button', { name, exact: true }).click();
const closed = () => dialog().waitFor({ state: 'hidden' });
const uses = () => dialog().getByRole('group', { name: 'Purpose' }).getByRole('button').allInnerTexts();

/** Creates a key with the fields of the open dialog, and returns the shown text. */
async function created(): Promise<string> {
  await confirm('Create key');
  await dialog().getByRole('heading', { name: 'Your new key' }).waitFor();
  return dialog().locator('code').first().innerText();
}

/** Presses a button that copies, and returns the copied text. */
async function copied(name: string): Promise<string> {
  await here.page.evaluate("navigator.clipboard.writeText('')");
  await confirm(name);
  const text = () => here.page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(text).not.toBe('');
  return text();
}

/** Serves the page that a test sets. `localhost` and `127.0.0.1` are different origins. */
let pages: Server;
let origin: string;
let html = '';
beforeAll(async () => {
  pages = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>A page</title>${html}`);
  });
  await new Promise<void>((listening) => pages.listen(0, 'localhost', listening));
  origin = `http://localhost:${(pages.address() as AddressInfo).port}`;
});
afterAll(() => pages?.close());

/** Opens the code as a page on another origin, and returns what the page shows. */
async function shownAt(url: string, text: string): Promise<string> {
  html = text;
  const page = await opened.browser.newPage();
  await page.goto(url);
  await page.locator('#price:not(:empty)').waitFor();
  const shown = await page.locator('#price').innerText();
  await page.close();
  return shown;
}

it('creates a key that is shown once with its code, changes it and revokes it', async () => {
  const owner = await opened.service.createUser();
  await open(owner);
  const { page } = here;
  await rowOf('Owner key').getByText('signed in').waitFor();
  await rowOf('Owner key')
    .getByText(`${owner.slice(0, 7)}…`)
    .waitFor();
  expect(
    await rowOf('Owner key').getByRole('button').allInnerTexts(),
    'the last owner key can only be replaced',
  ).toEqual(['Code…', 'Change…', 'Replace…']);
  await press('Replace Owner key');
  await dialog().getByRole('heading', { name: 'Replace the key?' }).waitFor();
  await confirm('Cancel');

  await press('New key…');
  await field('Label').fill('Shop');
  await dialog().getByText('A key for a program. For a web page, enter').waitFor();
  await field('Read prices').uncheck();
  await confirm('Create key');
  await dialog().getByText('Choose at least one.').waitFor();
  await field('Read prices').check();
  await field('Use the node').check();
  await dialog().getByText('A key for a program. Do not use this key in a web page').waitFor();
  await field('Expires').selectOption('30');
  await field('Calls per UTC day').fill('5');
  const key = await created();
  expect(await copied('Copy')).toBe(key);
  await page.keyboard.press('Escape');
  expect(await dialog().innerText(), 'Escape does not close the dialog').toContain(key);
  expect(await uses()).toEqual(['Server', 'Web page', 'Wallet', 'AI agent']);
  await confirm('AI agent');
  expect(await copied('Copy code')).toBe(
    `claude mcp add --transport http quotient ${opened.service.url}/mcp --header "X-API-KEY: ${key}"`,
  );
  await confirm('I have saved it');
  await closed();
  expect(await page.content()).not.toContain(key);

  const [listed] = await keysOf(owner);
  expect(listed).toMatchObject({ label: 'Shop', scopes: ['prices', 'node'], dailyLimit: 5 });
  expect(Math.round((Date.parse(String(listed?.expiresAt)) - Date.now()) / 86_400_000)).toBe(30);
  await press('Code for Shop');
  await dialog().getByRole('heading', { name: 'Code for Shop' }).waitFor();
  for (const use of await uses()) {
    await confirm(use);
    expect(await dialog().locator('pre').innerText(), use).toContain('YOUR_API_KEY');
  }
  await confirm('Close');

  for (let n = 0; n < 2; n += 1) await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
  await page.reload();
  await rowOf('Shop').getByText('2 of 5').waitFor();
  await rowOf('Shop').getByText('2 in 31 days').waitFor();
  await rowOf('Shop').getByText('reads prices, uses the node').waitFor();
  await press('Change Shop');
  expect([await field('Label').inputValue(), await field('Calls per UTC day').inputValue()]).toEqual(['Shop', '5']);
  expect(await field('Expires').locator('option:checked').innerText()).toMatch(/^as now, on [A-Z]/);
  await field('Label').fill('Window');
  await field('Use the node').uncheck();
  await field('Calls per UTC day').fill('0');
  await confirm('Save');
  await dialog().getByText('Enter a whole number from 1').waitFor();
  await field('Calls per UTC day').fill('');
  await field('Expires').selectOption('date');
  await field('Last day (UTC)').fill('2020-01-31');
  await confirm('Save');
  await dialog().getByText('Enter a complete date from today on').waitFor();
  const today = new Date().toISOString().slice(0, 10);
  await field('Last day (UTC)').fill(today);
  await field('Only for web pages').fill('https://shop.example/path');
  await confirm('Save');
  await dialog().getByText('Enter up to 10 origins').waitFor();
  await field('Only for web pages').fill('https://Shop.example\nhttp://localhost:5173');
  await confirm('Save');
  await closed();
  await rowOf('Window').getByText('Web pages').waitFor();
  const changed = { label: 'Window', scopes: ['prices'], dailyLimit: null };
  const allowedOrigins = ['https://shop.example', 'http://localhost:5173'];
  const midnight = new Date(Date.parse(today) + 86_400_000).toISOString();
  expect((await keysOf(owner))[0]).toMatchObject({ ...changed, expiresAt: midnight, allowedOrigins });

  await press('Change Window');
  expect(await field('Only for web pages').inputValue()).toBe(allowedOrigins.join('\n'));
  await field('Only for web pages').fill('');
  await field('Expires').selectOption('never');
  await confirm('Save');
  await closed();
  await rowOf('Window').getByText('Programs').waitFor();
  expect((await keysOf(owner))[0]).toMatchObject({ ...changed, expiresAt: null, allowedOrigins: null });

  await press('Revoke Window');
  await confirm('Cancel');
  expect(await statusOf(key)).toBe(200);
  await press('Revoke Window');
  await confirm('Revoke');
  await rowOf('Window').waitFor({ state: 'detached' });
  expect(await statusOf(key)).toBe(401);

  await press('Change Owner key');
  for (const name of ['Expires', 'Read prices', 'Only for web pages'])
    expect(await field(name).count(), `an owner key has no field ${name}`).toBe(0);
  await field('Label').fill('Mine');
  await confirm('Save');
  await rowOf('Mine').waitFor();
  expect(here.requests.filter((url) => url.includes(key) || url.includes(owner))).toEqual([]);
});

it('creates keys by their purpose, whose code works, until the account has the most keys', async () => {
  const owner = await opened.service.createUser();
  for (let i = 0; i < 16; i += 1) await opened.service.createKey(owner, { label: `key ${i}`, scopes: 'node' });
  await open(owner);
  await press('New key…');
  await field('Label').fill('Sheet');
  await field('Wallet').check();
  expect([await field('Use the node').isChecked(), await field('Read prices').isChecked()]).toEqual([true, false]);
  await field('Spreadsheet').check();
  expect([await field('Use the node').isChecked(), await field('Read prices').isChecked()]).toEqual([false, true]);
  expect(await field('Calls per UTC day').inputValue()).toBe('500');
  expect(await field('Only for web pages').count(), 'spreadsheets send no origin').toBe(0);
  await dialog().getByText('A key for a program that cannot send headers.').waitFor();
  await field('Calls per UTC day').fill('');
  await confirm('Create key');
  await dialog().getByText('Enter a daily limit.').waitFor();
  await field('Calls per UTC day').fill('40');
  const base = await created();
  expect(base).toMatch(/\/k\/qu_[0-9A-Za-z]{38}$/);
  expect(await uses()).toEqual(['Spreadsheet', 'CoinGecko program', 'AI agent']);
  await dialog().getByText('It is valid until').waitFor();
  await confirm('Google Sheets');
  const [, url = ''] = /"(http[^"]+)"/.exec(await copied('Copy code')) ?? [];
  expect(url.startsWith(base)).toBe(true);
  expect((await fetch(url)).headers.get('content-type')).toBe('text/csv; charset=utf-8');
  await confirm('I have saved it');
  await rowOf('Sheet').getByText('URLs').waitFor();

  await press('New key…');
  await field('Label').fill('Page');
  await field('Expires').selectOption('7');
  await field('Only for web pages').fill(origin);
  await dialog().getByText('A key for a web page.').waitFor();
  const key = await created();
  expect(await uses(), 'only pages send an origin').toEqual(['Web page']);
  await dialog().getByText('cannot be renewed').waitFor();
  await dialog().getByText(`The code works only in web pages on ${origin}.`).waitFor();
  await dialog().getByText('The operator allows calls from its pages.').waitFor();
  expect(await dialog().getByText('unless the operator has allowed').count()).toBe(0);
  const text = await copied('Copy code');
  expect(await shownAt(origin, text)).toMatch(/^Bitcoin: [\d.]+ USD$/);
  const others = { label: 'Other', scopes: 'prices', allowedOrigins: 'https://shop.example' };
  const other = await opened.service.createKey(owner, others);
  expect(await shownAt(origin, text.replace(key, other))).toBe('Origin not allowed');
  await confirm('I have saved it');

  await press('New key…');
  await field('Label').fill('One more');
  await confirm('Create key');
  await dialog().getByRole('link', { name: 'About too_many_keys' }).waitFor();
});

it('offers no changes with a key that cannot manage the account, and states what to do', async () => {
  const owner = await opened.service.createUser();
  const main = () => here.page.getByRole('main');
  await open(await opened.service.createKey(owner, { label: 'Page', scopes: 'prices' }));
  await main().getByText('To list, create, replace, renew or delete keys').waitFor();
  expect(await main().getByRole('button').count()).toBe(0);

  here = await opened.visit({ key: await opened.service.createKey(owner, { label: 'Wallet', scopes: 'node' }) });
  await main().getByRole('link', { name: 'About scope_missing' }).waitFor();
  await press('Use another key');
  await here.page.getByLabel('API key', { exact: true }).waitFor();

  await fetch(`${opened.service.url}/v1/user/rotate`, { method: 'POST', headers: { 'x-api-key': owner } });
  await open(owner);
  await main().getByText('This key has been replaced').waitFor();
  await rowOf('Owner key').filter({ hasText: 'signed in' }).getByText('replaced').waitFor();
  expect(await main().getByRole('button').count()).toBe(0);

  await open(await opened.service.createUser({ validUntil: Date.now() - 86_400_000 }));
  await main().getByText('renew the account').waitFor();
  expect(await main().getByRole('table').getByRole('button').count()).toBe(0);
  await press('Renew key…');
  await confirm('Renew');
  await here.page.getByRole('button', { name: 'New key…' }).waitFor();
});

it('warns about an owner key that a page or a URL contained, until it is replaced', async () => {
  const owner = await opened.service.createUser();
  const headers = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };
  await opened.service.get('/v1/user/usage', { key: owner, headers });
  expect((await fetch(`${opened.service.url}/k/${owner}/v1/tokens`)).status).toBe(403);
  const exposure = async () => {
    const [key] = await keysOf(owner);
    return [key?.seenOrigin, typeof key?.exposedAt];
  };
  await expect.poll(exposure, { timeout: 20_000 }).toEqual(['https://shop.example', 'string']);
  await open(owner);
  const warnings = here.page.getByRole('status').filter({ hasText: 'Replace the owner key' });
  await warnings.getByText(`A web page on https://shop.example has used the owner key ${owner.slice(0, 7)}`).waitFor();
  await warnings.getByText(`A URL contained the owner key ${owner.slice(0, 7)}…`).waitFor();
  await rowOf('Owner key').getByText('seen in a URL on').waitFor();
  expect(await barriers(here.page)).toEqual([]);

  await press('Replace Owner key');
  await confirm('Replace');
  await here.page.getByText(/The old key can read data until .+ \(UTC\), and then stops working\./).waitFor();
  await here.page.getByRole('button', { name: 'I have saved it' }).click();
  await rowOf('Owner key').filter({ hasText: 'replaced' }).waitFor();
  expect(await warnings.count(), 'no page has used the new key').toBe(0);
});
