import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { storePrice } from '../../support/service/store-price.ts';

const opened = useConsole({ COINGECKO_REFRESH: 'latest=1h' });
let here: Visit;
let key: string;
beforeEach(async () => {
  key = await opened.service.createUser({ limit: 10_000 });
  here = await opened.visit({ key });
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
  await expect.poll(streams, { timeout: 10_000 }).toBe(0);
});

const streams = () => opened.service.parts.streamFigures.open;
const live = (page: Page) => page.getByRole('checkbox', { name: 'Live prices' });
const priceOf = (page: Page, symbol: string) =>
  page.locator('#prices-body tr', { has: page.locator('.symbol', { hasText: symbol }) }).locator('.price');

const used = () => opened.service.used(key);

async function store(token: string, price: number): Promise<void> {
  await storePrice(opened.service.database, token, price);
  await opened.service.parts.poll();
}

/** Opens another tab of the same browser, which takes over the session. */
async function openTab(): Promise<Page> {
  const page = await here.context.newPage();
  await page.goto(`${opened.service.url}/`);
  await page.locator('#dashboard').waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  return page;
}

describe('live prices', () => {
  it('are off at first, so that a sign-in costs one call', async () => {
    expect(await live(here.page).isChecked()).toBe(false);
    expect(streams()).toBe(0);
    expect(await used()).toBe(1);
    expect(await here.page.locator('#live-note').innerText()).toContain('1 call per minute');
    expect(await here.page.locator('#live-note').innerText()).toContain('60 calls per hour');
  });

  it('show a change with a mark that moves nothing, and are charged', async () => {
    const { page } = here;
    await live(page).check();
    await expect.poll(streams).toBe(1);
    await store('solana', 150);
    await expect.poll(() => priceOf(page, 'sol').innerText()).toBe('$150.00');
    const cell = priceOf(page, 'sol');
    const before = await page.locator('#prices').boundingBox();
    await store('solana', 151);
    await expect.poll(() => cell.getAttribute('class')).toContain('rose');
    expect(await page.locator('#prices').boundingBox()).toEqual(before);
    await expect.poll(() => cell.getAttribute('class')).not.toContain('rose');
    await store('solana', 149);
    await expect.poll(() => cell.getAttribute('class')).toContain('fell');
    expect(await used()).toBe(2);

    await live(page).uncheck();
    await expect.poll(streams).toBe(0);
  });

  it('do not fade if the user prefers reduced motion', async () => {
    const { page } = here;
    const transition = () => priceOf(page, 'sol').evaluate((cell) => getComputedStyle(cell).transitionDuration);
    expect(await transition()).toBe('0.6s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await transition()).not.toBe('0.6s');
  });

  it('use one stream for all tabs, which another tab continues', async () => {
    await live(here.page).check();
    await expect.poll(streams).toBe(1);
    const tab = await openTab();
    // The browser remembers the choice.
    expect(await live(tab).isChecked()).toBe(true);
    await store('solana', 222);
    for (const page of [here.page, tab]) await expect.poll(() => priceOf(page, 'sol').innerText()).toBe('$222.00');
    expect(streams()).toBe(1);
    const calls = await used();

    await here.page.close();
    await expect.poll(used, { timeout: 10_000 }).toBe(calls + 1);
    await store('solana', 223);
    await expect.poll(() => priceOf(tab, 'sol').innerText(), { timeout: 10_000 }).toBe('$223.00');
    expect(streams()).toBe(1);
    await tab.close();
  });

  it('follow the currency', async () => {
    const { page } = here;
    await live(page).check();
    await expect.poll(streams).toBe(1);
    await page.locator('#currency').selectOption('btc');
    await store('bitcoin', 100);
    await store('solana', 25);
    await expect.poll(() => priceOf(page, 'sol').innerText(), { timeout: 10_000 }).toContain('0.25');
    await expect.poll(streams).toBe(1);
  });

  it('end with the session', async () => {
    await live(here.page).check();
    await expect.poll(streams).toBe(1);
    await here.page.locator('#account-button').click();
    await here.page.getByRole('button', { name: 'Sign out' }).first().click();
    await expect.poll(streams).toBe(0);
  });
});
