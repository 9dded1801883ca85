import type { Page } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { storePrice } from '../../support/service/store-price.ts';
import { pricesOn } from './prices-page.ts';

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
const used = () => opened.service.used(key);
const live = (page: Page) => pricesOn(page).live;
const priceOf = (page: Page, title: string) => pricesOn(page).row(title).getByRole('cell').first();

async function store(token: string, price: number): Promise<void> {
  await storePrice(opened.service.database, token, price);
  await opened.service.parts.poll();
}

/** Opens another tab of the same browser, which takes over the session. */
async function openTab(): Promise<Page> {
  const page = await here.context.newPage();
  await page.goto(`${opened.service.url}/`);
  await priceOf(page, 'Solana').waitFor();
  return page;
}

describe('live prices', () => {
  it('are off at first, and then show a change with a mark that moves nothing, and are charged', async () => {
    const { page } = here;
    expect([await live(page).isChecked(), streams(), await used()]).toEqual([false, 0, 1]);
    const pulses = () =>
      page.evaluate('document.getAnimations().filter(({ animationName }) => animationName === "pulse").length');
    expect(await pulses()).toBe(0);
    await live(page).check();
    await expect.poll(streams).toBe(1);
    expect(await pulses()).toBe(1);
    await pricesOn(page).panel.getByText('Live prices cost up to 60 calls an hour. A refresh costs 1 call.').waitFor();
    await store('solana', 150);
    const cell = priceOf(page, 'Solana');
    await expect.poll(() => cell.innerText()).toBe('$150.00');
    const before = await pricesOn(page).panel.boundingBox();
    await store('solana', 151);
    await expect.poll(() => cell.getAttribute('class')).toContain('rose');
    expect(await pricesOn(page).panel.boundingBox()).toEqual(before);
    await expect.poll(() => cell.getAttribute('class')).not.toContain('rose');
    await store('solana', 149);
    await expect.poll(() => cell.getAttribute('class')).toContain('fell');
    expect(await used()).toBe(2);

    const transition = () => cell.evaluate((element) => getComputedStyle(element).transitionDuration);
    expect(await transition()).toBe('0.6s');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect([await transition(), await pulses()]).toEqual([expect.not.stringMatching('0.6s'), 0]);
    await live(page).uncheck();
    await expect.poll(streams).toBe(0);
  });

  it('use one stream for all tabs, which another tab continues, and end with the session', async () => {
    await live(here.page).check();
    await expect.poll(streams).toBe(1);
    const tab = await openTab();
    expect(await live(tab).isChecked(), 'the browser remembers the choice').toBe(true);
    await store('solana', 222);
    for (const page of [here.page, tab]) await expect.poll(() => priceOf(page, 'Solana').innerText()).toBe('$222.00');
    expect(streams()).toBe(1);
    const calls = await used();

    await here.page.close();
    await expect.poll(used, { timeout: 10_000 }).toBe(calls + 1);
    await store('solana', 223);
    await expect.poll(() => priceOf(tab, 'Solana').innerText(), { timeout: 10_000 }).toBe('$223.00');
    expect(streams()).toBe(1);

    // Another page of the console shows no prices.
    await tab.getByRole('link', { name: / left$/ }).click();
    await expect.poll(streams).toBe(0);
    await tab.goBack();
    await expect.poll(streams).toBe(1);
    await tab.getByRole('link', { name: / left$/ }).click();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(streams).toBe(0);
  });

  it('follow the currency', async () => {
    const { page } = here;
    await live(page).check();
    await expect.poll(streams).toBe(1);
    await pricesOn(page).currency.selectOption('btc');
    await store('bitcoin', 100);
    await store('solana', 25);
    await expect.poll(() => priceOf(page, 'Solana').innerText(), { timeout: 10_000 }).toContain('0.25');
    await expect.poll(streams).toBe(1);
  });
});
