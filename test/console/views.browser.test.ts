import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { findings } from '../support/browser/accessibility.ts';
import { useConsole, type Visit, viewsOf } from '../support/browser/console.ts';
import { expectKeyboardAccess } from '../support/browser/keyboard.ts';
import { isLong } from '../support/long.ts';
import { type MailServer, mailSettings, startMailServer } from '../support/mail/mail-server.ts';

/* Opens every view of the console in every look, and reaches every control with the keyboard. */

let mailServer: MailServer;
afterAll(() => mailServer?.close());
const opened = useConsole(
  async () => {
    mailServer = await startMailServer();
    return mailSettings(mailServer);
  },
  { viewport: { width: 1280, height: 900 } },
);
let here: Visit;
let dialogs = 0;

type Look = { width: number } & NonNullable<Parameters<Page['emulateMedia']>[0]>;

/** The short form checks the accessibility in these looks only. */
const CHECKED: readonly Look[] = [
  { width: 320, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
];
/**
 * Overflow depends on the width, and contrast on the colors, so only the long form combines all of them. 640 px is 200 %
 * zoom on a screen of 1280 px.
 */
const LOOKS: readonly Look[] = [
  ...CHECKED,
  { width: 640, colorScheme: 'light', reducedMotion: 'reduce' },
  // The widths from which the navigation is at the top, and the largest screen.
  { width: 768, colorScheme: 'light' },
  { width: 1920, colorScheme: 'light' },
  { width: 320, colorScheme: 'dark', forcedColors: 'active', reducedMotion: 'reduce' },
];
const MORE_LOOKS: readonly Look[] = [
  { width: 320, colorScheme: 'dark' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark', forcedColors: 'active', reducedMotion: 'reduce' },
];
/** A date in the format of the service, which the pages show only in quoted API calls and responses. */
const ISO = /\d{4}-\d\d-\d\d/;

/** The page's text, visible and for screen readers, except quoted API calls and responses. */
const pageText = () =>
  here.page.evaluate<string>(`(() => {
    const copy = document.body.cloneNode(true);
    for (const code of copy.querySelectorAll('pre, code, script')) code.remove();
    const titles = [...copy.querySelectorAll('[title]')].map((element) => element.title);
    const labels = [...copy.querySelectorAll('[aria-label]')].map((element) => element.ariaLabel);
    return [copy.textContent, ...titles, ...labels].join(' ');
  })()`);

const NORMAL = { colorScheme: 'light', forcedColors: 'none', reducedMotion: 'no-preference' } as const;

/**
 * Dialogs have one width on all screens but the smallest. All have the same elements and styles, so the short form checks
 * the accessibility of each in one look.
 * @param part the selector of the part that is in use: the page or a dialog
 */
async function check(view: string, part = 'html'): Promise<void> {
  const { page } = here;
  const isWhole = part === 'html' || isLong;
  if (!isWhole) dialogs += 1;
  const looks = isLong ? [...LOOKS, ...MORE_LOOKS] : LOOKS;
  for (const one of isWhole ? looks : looks.filter(({ width }) => width === 320 || width === 1280)) {
    const { width, ...media } = one;
    const look = `${view}: ${JSON.stringify({ width, ...media })}`;
    await page.emulateMedia({ ...NORMAL, ...media });
    await page.setViewportSize({ width, height: width === 640 ? 450 : 900 });
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => 0)');
    expect(await page.evaluate('document.documentElement.scrollWidth'), look).toBe(width);
    if (media.reducedMotion) expect(await page.evaluate('document.getAnimations().length'), look).toBe(0);
    if (isLong || (isWhole ? CHECKED.includes(one) : one === CHECKED[dialogs % 2]))
      expect(await findings(page, part), look).toEqual([]);
  }
  await page.emulateMedia(NORMAL);
  for (const width of isWhole ? [320, 1280] : [320]) {
    await page.setViewportSize({ width, height: 900 });
    await expectKeyboardAccess(page, `${view}, ${width} px`, part);
  }
}

it('the views before the sign-in', async () => {
  here = await opened.visit();
  const { page } = here;
  await page.getByText('Lost your key?', { exact: true }).click();
  await check('welcome');
  await page.evaluate(`location.hash = 'recover=${'x'.repeat(43)}'`);
  await page.getByRole('heading', { name: 'Get a new owner key' }).waitFor();
  await check('link from an email');
}, 180_000);

it('the view of a new key', async () => {
  here = await opened.visit();
  const { page } = here;
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  await page.getByLabel('Email', { exact: true }).fill('ada@example.org');
  await page.getByRole('button', { name: 'Get a key' }).click();
  await page.getByRole('heading', { name: 'Your API key' }).waitFor();
  await check('new owner key');
}, 180_000);

it('the view of an unreachable service', async () => {
  here = await opened.visit({ key: await opened.service.createUser() });
  const { page } = here;
  await page.route('**/v1/**', (route) => route.abort());
  await page.reload();
  await page.locator('.key-created .note').waitFor();
  await check('unreachable service');
}, 180_000);

it('the pages', async () => {
  const owner = await opened.service.createUser();
  await opened.service.createKey(owner, { label: 'W'.repeat(100), scopes: 'prices,node' });
  here = await opened.visit({ key: owner });
  await here.loadWhole();
  const { page } = here;
  await page.getByText('Show as a table').click();
  await page.getByRole('button', { name: 'Custom' }).click();
  expect(await pageText()).not.toMatch(ISO);
  await check('Prices');
  for (const name of ['Keys', 'Usage', 'Notices', 'Account']) {
    await viewsOf(page).getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await here.settled();
    expect(await pageText(), name).toMatch(/[A-Z][a-z]{2} \d{1,2}, \d{4}/);
    expect(await pageText(), name).not.toMatch(ISO);
    await check(name);
  }
}, 600_000);

it('the dialogs', async () => {
  const owner = await opened.service.createUser();
  here = await opened.visit({ key: owner, path: '/#/account' });
  const { page } = here;
  await page.getByRole('button', { name: 'Replace key…' }).click();
  await check('confirmation', 'dialog[open]');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Keys' }).click();
  await page.getByRole('button', { name: 'Change Owner key' }).click();
  await check('change of the owner key', 'dialog[open]');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('dialog').getByLabel('Expires').selectOption('date');
  await check('new key', 'dialog[open]');
  await page.getByRole('dialog').getByLabel('Expires').selectOption('7');
  await page.getByRole('dialog').getByLabel('Label').fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  await check('created key', 'dialog[open]');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('button', { name: 'Code for Shop' }).click();
  await check('code for a key', 'dialog[open]');
}, 300_000);

it('a user signs in, creates a key, reads its code and revokes it with the keyboard only', async () => {
  here = await opened.visit();
  const { page } = here;
  const owner = await opened.service.createUser();
  const { keyboard } = page;
  const tabTo = async (name: string | RegExp) => {
    const target = page.locator(':focus').and(
      page
        .getByRole('button', { name })
        .or(page.getByLabel(name))
        .or(page.getByRole('link', { name, exact: true })),
    );
    for (let presses = 0; presses < 300; presses += 1) {
      if ((await target.count()) > 0) return;
      await keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${name}`);
  };
  await tabTo('API key');
  await keyboard.type(owner);
  await keyboard.press('Enter');
  await here.settled();
  await tabTo('Keys');
  await keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await tabTo('New key…');
  await keyboard.press('Enter');
  await tabTo('Label');
  await keyboard.type('Shop');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your new key' }).waitFor();
  await tabTo('AI agent');
  await keyboard.press('Enter');
  await tabTo('I have saved it');
  await keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await tabTo('Revoke Shop');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Revoke “Shop”?' }).waitFor();
  await tabTo('Revoke');
  await keyboard.press('Enter');
  await page.getByRole('button', { name: 'Revoke Shop' }).waitFor({ state: 'detached' });
});
