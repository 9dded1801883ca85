import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestConsole, type TestConsole, type Visit, visit } from '../support/browser/console.ts';

let opened: TestConsole;
let here: Visit;
beforeAll(async () => {
  opened = await openTestConsole();
});
afterAll(() => opened?.close());
beforeEach(async () => {
  here = await visit(opened.browser, opened.service.url, {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  // The clock does not advance, so only new content resets the label.
  await here.page.clock.install();
  await here.page.reload();
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const label = (id: string) => here.page.locator(`#${id}`).innerText();
const copied = () => here.page.evaluate<string>('navigator.clipboard.readText()');

it('the copy button is reset when the snippet changes', async () => {
  const { page } = here;
  await here.open(await opened.service.createUser());
  const calls = page.locator('#snippets');
  for (const [name, part] of [
    ['Python', 'urlopen'],
    ['Usage', '/v1/user/usage'],
  ] as const) {
    await page.locator('#snippet-copy').click();
    await expect.poll(() => label('snippet-copy')).toBe('Copied');
    await calls.getByRole('button', { name, exact: true }).click();
    expect(await label('snippet-copy')).toBe('Copy with key');
    await page.locator('#snippet-copy').click();
    await expect.poll(copied).toContain(part);
  }
});

it('the copy button is reset for the next new key', async () => {
  const { page } = here;
  await here.open(await opened.service.createUser());
  const dialog = page.getByRole('dialog');
  for (const name of ['One', 'Two']) {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog').getByLabel('Label').fill(name);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByRole('heading', { name: 'Your new key' }).waitFor();
    expect(await label('new-key-copy'), name).toBe('Copy');
    await page.locator('#new-key-copy').click();
    await expect.poll(() => label('new-key-copy')).toBe('Copied');
    await dialog.getByRole('button', { name: 'I have saved it' }).click();
  }
});

it('a second click restarts the confirmation', async () => {
  const { page } = here;
  await here.open(await opened.service.createUser());
  const copy = page.locator('#snippet-copy');
  await copy.click();
  await expect.poll(() => label('snippet-copy')).toBe('Copied');
  await page.clock.runFor(1500);
  const announced = page.locator('#announcements');
  await announced.evaluate((element) => Reflect.set(element, 'textContent', ''));
  await copy.click();
  await expect.poll(() => announced.textContent()).toBe('Copied');
  await page.clock.runFor(1500);
  expect(await label('snippet-copy')).toBe('Copied');
  await page.clock.runFor(600);
  expect(await label('snippet-copy')).toBe('Copy with key');
});
