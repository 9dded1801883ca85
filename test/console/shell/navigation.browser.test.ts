import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole();
let here: Visit;

const link = (name: string) =>
  here.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name, exact: true });
const heading = (name: string) => here.page.getByRole('heading', { level: 1, name, exact: true });

/** Expects that the page with this title is shown, and that its heading has the focus. */
async function expectMove(name: string): Promise<void> {
  await heading(name).and(here.page.locator(':focus')).waitFor();
  expect(await here.page.getByRole('heading', { level: 1 }).allInnerTexts()).toEqual([name]);
  expect(await link(name).getAttribute('aria-current')).toBe('page');
}

it('opens the pages by their links and with the history, and charges only for Prices', async () => {
  const key = await opened.service.createUser();
  here = await opened.visit({ key, path: '/#/keys' });
  const { page } = here;
  expect(await page.title()).toBe('Keys · Quotient');
  expect(await page.locator('body').evaluate((body) => body.ownerDocument.activeElement === body)).toBe(true);
  for (const name of ['Usage', 'Notices', 'Account']) {
    await link(name).click();
    await expectMove(name);
    expect(await page.title()).toBe(`${name} · Quotient`);
  }
  await here.settled();
  expect([here.charged.length, await opened.service.used(key)]).toEqual([0, 0]);

  await link('Prices').click();
  await expectMove('Prices');
  await here.settled();
  expect(await page.title()).toBe('Bitcoin price, 30 days, USD · Quotient');
  expect(await opened.service.used(key)).toBe(1);
  await page.getByRole('button', { name: 'Solana' }).click();
  await here.settled();
  const shared = new URL(page.url()).search;
  await link('Keys').click();
  await expectMove('Keys');
  await page.goBack();
  await expectMove('Prices');
  expect(new URL(page.url()).search).toBe(shared);
  expect(await page.title()).toBe('Solana price, 30 days, USD · Quotient');
  await page.goForward();
  await expectMove('Keys');
  await link('Prices').click();
  await expectMove('Prices');
  await page.getByRole('heading', { name: 'Solana history' }).waitFor();
});

it.each([
  ['/#/usage', 'Usage'],
  ['/?token=solana', 'Prices'],
])('asks a user who is not signed in to sign in for %s, and then opens it', async (path, name) => {
  here = await opened.visit({ path });
  const { page } = here;
  await page.getByText(`The page ${name} shows`).waitFor();
  await here.open(await opened.service.createUser());
  await heading(name).waitFor();
  expect(here.charged.length > 0).toBe(name === 'Prices');
  if (name === 'Prices') await page.getByRole('heading', { name: 'Solana history' }).waitFor();
  expect(await page.getByText(`The page ${name} shows`).count()).toBe(0);
});
