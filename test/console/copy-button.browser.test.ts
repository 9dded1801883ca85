import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../support/browser/console.ts';

const opened = useConsole();
let here: Visit;

/** The clock of the page does not advance, so only new content resets the label. */
async function open(script = ''): Promise<void> {
  here = await opened.visit({
    key: await opened.service.createUser(),
    permissions: ['clipboard-read', 'clipboard-write'],
    async prepare(page) {
      await page.clock.install();
      await page.addInitScript(script);
    },
  });
}

const label = (id: string) => here.page.locator(`#${id}`).innerText();
const copied = () => here.page.evaluate<string>('navigator.clipboard.readText()');

it('the copy button is reset when the snippet changes', async () => {
  await open();
  const { page } = here;
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

it('the copy button says that it failed on a page without TLS, whose browser has no clipboard', async () => {
  await open("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })");
  const { page } = here;
  await page.locator('#snippet-copy').click();
  await expect.poll(() => label('snippet-copy')).toBe('Copy failed');
});

it('a second click restarts the confirmation', async () => {
  await open();
  const { page } = here;
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
