import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { serveComponents } from '../../scripts/show-components.ts';
import { findings } from '../support/browser/accessibility.ts';
import { launchBrowser } from '../support/browser/browser.ts';
import { inEachLook } from '../support/browser/looks.ts';

let served: Awaited<ReturnType<typeof serveComponents>>;
let browser: Browser;
/** The page of all tests. Each test uses other components. */
let page: Page;
const faults: string[] = [];
async function open(options: BrowserContextOptions): Promise<Page> {
  const opened = await (await browser.newContext(options)).newPage();
  opened.on('pageerror', (error) => faults.push(String(error)));
  await opened.goto(served.url);
  return opened;
}
beforeAll(async () => {
  [served, browser] = await Promise.all([serveComponents(0), launchBrowser()]);
  page = await open({ locale: 'en-US', permissions: ['clipboard-read', 'clipboard-write'] });
});
afterEach(() => expect(faults).toEqual([]));
afterAll(async () => {
  await browser?.close();
  await served?.close();
});

const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const panel = (name: string) => page.getByRole('region', { name, exact: true });

it('shows all components without findings in each look and with forced colors', async () => {
  await inEachLook(
    page,
    async ({ name, width }) => {
      expect(await findings(page, 'html'), name).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBe(width);
    },
    [320, 1440],
  );
  await page.emulateMedia({ forcedColors: 'active' });
  expect(await findings(page, 'html')).toEqual([]);
  await page.emulateMedia({ forcedColors: 'none' });
});

it('the navigation is a side bar on large screens, and names the current view', async () => {
  const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Components' });
  expect(await link.getAttribute('aria-current')).toBe('page');
  const title = page.getByRole('heading', { level: 1, name: 'Components' });
  for (const width of [1440, 700]) {
    await page.setViewportSize({ width, height: 800 });
    const [views, main] = await Promise.all([link.boundingBox(), title.boundingBox()]);
    expect((views?.x ?? 0) + (views?.width ?? 0) < (main?.x ?? 0), `${width} px`).toBe(width === 1440);
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN');
});

it('a table keeps its rows, headers and labels where it becomes a list, and an empty one shows a text', async () => {
  const table = page.getByRole('table', { name: 'Prices' });
  for (const width of [1440, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const row = table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'bitcoin' }) });
    await row.getByRole('cell', { name: '67,123.5' }).waitFor();
    const label = await row
      .getByRole('cell')
      .first()
      .evaluate((cell) => getComputedStyle(cell, '::before').content);
    expect(label, `${width} px`).toBe(width === 320 ? '"Price"' : 'none');
    const narrow = page.getByRole('table', { name: 'Calls' });
    expect(await narrow.getByRole('columnheader', { name: 'Cost' }).isVisible(), `${width} px`).toBe(true);
  }
  await panel('Table').getByText('No tokens.').waitFor();
  expect(await page.getByRole('table', { name: 'No prices' }).count()).toBe(0);
});

it('a table shows its rows in steps, and a row opens its details', async () => {
  const table = panel('Rows with details');
  await table.getByText('2 of 5').waitFor();
  await table.getByRole('button', { name: 'Show more' }).click();
  await table.getByRole('button', { name: 'Show more' }).click();
  await table.getByText('5 of 5').waitFor();
  expect(await table.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  for (const width of [320, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await table.getByRole('cell', { name: '4', exact: true }).isVisible(), `${width} px`).toBe(width > 320);
    const opener = table.getByRole('button', { name: '10:44' });
    await opener.press('Enter');
    await table.getByText('costs 4.').waitFor();
    expect(await opener.getAttribute('aria-expanded')).toBe('true');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    await table.getByRole('row').filter({ hasText: '10:44' }).click();
    await table.getByText('costs 4.').waitFor({ state: 'detached' });
  }
});

it('one button of a group is pressed', async () => {
  const group = panel('Choice').getByRole('group', { name: 'Time range' });
  await press('30 days');
  expect(await group.getByRole('button', { pressed: true }).allInnerTexts()).toEqual(['30 days']);
});

it('a form shows faults under its fields, and other errors as a note', async () => {
  const form = panel('Form');
  const name = form.getByLabel('Name');
  await press('Send');
  await form.getByText('Enter a name.').waitFor();
  expect(await name.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  await name.fill('taken');
  expect(await name.getAttribute('aria-invalid')).toBe(null);
  await press('Send');
  await form.getByText('Enter a free name').waitFor();
  await name.fill('down');
  await press('Send');
  await form.getByRole('alert').getByText('The service is unreachable').waitFor();
  await name.fill('Ada');
  await press('Send');
  await form.getByText('Sent: Ada').waitFor();
  expect(await form.getByRole('alert').count()).toBe(0);
});

it('a form has groups of choices, texts of several lines and checkboxes, and shows the result', async () => {
  const form = panel('Choices');
  const save = () => form.getByRole('button', { name: 'Save' }).click();
  await form.getByLabel('Read prices').uncheck();
  await save();
  await form.getByText('Choose at least one.').waitFor();
  const box = form.getByLabel('Read prices');
  expect(await box.evaluate((input) => input === document.activeElement)).toBe(true);
  expect(await box.getAttribute('aria-invalid')).toBe('true');
  await form.getByLabel('Use the node').check();
  expect(await form.getByText('Choose at least one.').count()).toBe(0);
  await form.getByLabel('Read prices').check();
  await form.getByLabel('Yearly').check();
  await form.getByLabel('Note').fill('two\nlines');
  await form.getByLabel('Stay signed in').check();
  await save();
  await form.getByRole('status').getByText('Saved: yearly, prices and node, two lines, on.').waitFor();
  expect(await form.getByLabel('Monthly').isChecked(), 'the form is reset').toBe(true);
  expect(await form.getByLabel('Note').inputValue()).toBe('');
});

it('a dialog states the effect, keeps an error, returns the focus, and shows a key until it is saved', async () => {
  const dialog = page.getByRole('dialog', { name: 'Grant calls?' });
  const result = page.getByRole('status', { name: 'Result' });
  const grant = () => dialog.getByRole('button', { name: 'Grant' }).click();
  await press('Ask…');
  await dialog.getByText('Grants … calls for a week.').waitFor();
  await dialog.getByLabel('Calls').fill('0');
  await dialog.getByLabel('Until').selectOption('day');
  await dialog.getByText('Grants 0 calls for a day.').waitFor();
  await grant();
  await dialog.getByText('Enter a whole number of at least 1.').waitFor();
  await dialog.getByLabel('Calls').fill('5');
  await dialog.getByLabel('Reason').fill('fail');
  await grant();
  await dialog.getByText('The service rejected the change.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.locator(':focus').innerText()).toBe('Ask…');
  expect(await result.innerText()).toBe('');

  await press('Ask…');
  await dialog.getByLabel('Calls').fill('5');
  await dialog.getByLabel('Reason').fill('key');
  await grant();
  const key = page.getByRole('dialog', { name: 'New key' });
  await key.getByText('qt_shown_once').waitFor();
  await page.keyboard.press('Escape');
  await key.getByRole('button', { name: 'I have saved it' }).click();
  await key.waitFor({ state: 'hidden' });
  expect(await page.content()).not.toContain('qt_shown_once');
  expect(await result.innerText()).toBe('Granted 5 calls.');
});

it('a field of a dialog can set others, and a dialog can show content only', async () => {
  const dialog = page.getByRole('dialog');
  await press('New key…');
  await dialog.getByText('A program key for prices.').waitFor();
  await dialog.getByLabel('Wallet').check();
  await dialog.getByText('A wallet key for node.').waitFor();
  expect(await dialog.getByLabel('Read prices').isChecked()).toBe(false);
  expect(await dialog.getByLabel('Limit').inputValue()).toBe('500');
  await dialog.getByLabel('Limit').fill('1');
  await dialog.getByLabel('Day').fill('2026-11-27');
  await dialog.getByRole('button', { name: 'Create' }).click();
  expect(await dialog.getByLabel('Day').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Limit').fill('2');
  await dialog.getByLabel('Day').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created a key with the limit 2.').waitFor();

  await press('Show code');
  expect(await page.locator(':focus').innerText()).toBe('Code');
  await dialog.getByText('let key;').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
});

it('a toast announces a failure until the user closes it', async () => {
  await press('Report a failure');
  const result = page.getByRole('status', { name: 'Result' });
  await result.getByText('The change failed.').waitFor();
  await press('Close the message');
  expect(await result.innerText()).toBe('');
});

it('data has a loading state, an error state with a retry, and keeps the last data', async () => {
  const data = panel('Data');
  await press('Read slowly');
  await data.getByText('Loading…').waitFor();
  await press('Read');
  await data.getByText('Read: 7').waitFor();
  await press('Fail');
  await data.getByRole('alert').getByText('did not respond in time').waitFor();
  await data.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await data.getByText('Read: 7').count()).toBe(1);
  await press('Clear');
  await data.getByText('Loading…').waitFor();
  expect(await data.getByRole('alert').count()).toBe(0);
});

it('a chart names the bar under the pointer in a fixed place', async () => {
  const chart = panel('Chart');
  const bar = chart.locator('.bar-slot').nth(1);
  await bar.scrollIntoViewIfNeeded();
  const before = await chart.boundingBox();
  await bar.hover();
  await chart.getByText('Tuesday: 4').waitFor();
  expect(await chart.boundingBox()).toEqual(before);
  await page.mouse.move(0, 0);
  await chart.getByText('6 calls.').waitFor();
});

it('a code block copies its text, and reports if the browser does not allow it', async () => {
  const code = panel('Code');
  await press('Copy');
  await code.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('npx quotient tokens list');
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('blocked'))");
  await code.getByRole('button').click();
  await code.getByRole('button', { name: 'Copy failed' }).waitFor();
  await code.getByRole('status').getByText('Select the text').waitFor();
});

it('dates and numbers have the format of the locale, in UTC', async () => {
  const valuesOn = async (shown: Page) => {
    const values = shown.getByRole('region', { name: 'Dates and numbers' });
    await values.waitFor();
    return (await values.getByRole('definition').allInnerTexts()).map((text) => text.replaceAll(/\s/g, ' '));
  };
  expect(await valuesOn(page)).toEqual([
    'Nov 28, 2026',
    'Nov 28, 2026, 10:42 AM',
    'Nov 28, 2026, 10:42:05 AM',
    '–',
    'in 2 hours',
    '5 minutes',
    '1,234,567',
    '1.23B',
    '−2.13%',
  ]);
  const german = await open({ locale: 'de-DE', timezoneId: 'America/St_Johns' });
  expect((await valuesOn(german)).slice(0, 3)).toEqual(['28.11.2026', '28.11.2026, 10:42', '28.11.2026, 10:42:05']);
});

it('a button group selects with a click, and states why an option is not available', async () => {
  const group = panel('Button group');
  await press('Hourly');
  await group.getByText('Interval: hourly').waitFor();
  const weekly = group.getByRole('button', { name: 'Weekly' });
  expect(await weekly.isDisabled()).toBe(true);
  expect(await weekly.getAttribute('title')).toBe('Only candles have this interval.');
  await weekly.focus();
  await page.keyboard.press('Enter');
  expect(await group.getByRole('button', { name: 'Hourly', pressed: true }).count()).toBe(1);
});

it('a switch turns on with the keyboard, and a text opens on request', async () => {
  const controls = panel('Controls');
  await controls.getByRole('switch', { name: 'Live' }).press('Space');
  await controls.getByText('Live: on').waitFor();
  const text = controls.getByText('Unchanged data is free.');
  expect(await text.isVisible()).toBe(false);
  await controls.getByText('A refresh costs 1 call.').click();
  await text.waitFor();
});
