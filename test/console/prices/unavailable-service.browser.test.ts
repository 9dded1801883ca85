import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';
import { expectSoundLooks } from '../../support/browser/looks.ts';
import { pricesOn } from './prices-page.ts';

const opened = useConsole();
let here: Visit;

/** Opens the whole dashboard, with a clock that the test controls. */
async function openWhole(key: string): Promise<void> {
  here = await opened.visit({ key, prepare: (page) => page.clock.install() });
  await here.loadWhole();
}

/** The ages of the prices, the chart, the statistics and the market data. */
const ages = () => here.page.locator('.age.stale').filter({ visible: true }).allInnerTexts();
const statistics = () => pricesOn(here.page).statistics.getByRole('definition').allInnerTexts();
const refresh = () => here.page.getByRole('button', { name: 'Refresh', exact: true }).click();
// The page requests the sample at an arbitrary time after it opens.
const calls = () => here.requests.filter((url) => url.includes('/v1/') && !url.endsWith('/v1/sample')).length;

/** The remaining calls, as the frame of each page shows them. */
const left = () => here.page.getByRole('link', { name: / left$/ }).innerText();

/** The figures of all panels. */
async function figures(): Promise<string[]> {
  const { rows, market } = pricesOn(here.page);
  const lists = [rows, market.getByRole('definition'), here.page.locator('.readout')];
  return (await Promise.all([...lists.map((list) => list.allInnerTexts()), statistics()])).flat();
}

/** Makes the page hidden, or visible again. */
const hide = (page: Page, isHidden: boolean) =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);

it('keeps its figures and shows their age while the service is down, recovers, and retries with increasing pauses', async () => {
  await openWhole(await opened.service.createUser({ limit: 100 }));
  const { page } = here;
  await expect.poll(left).toContain('97 left');
  const before = await figures();
  await page.route('**/v1/**', (route) => route.abort());
  await refresh();
  const unreachable = /^As of \d{1,2}:\d\d [AP]M UTC, \d+ seconds? ago: the service is unreachable$/;
  await expect.poll(ages).toEqual(Array(4).fill(expect.stringMatching(unreachable)));
  expect(await figures()).toEqual(before);
  const countdown = page.locator('.banner').getByText(/^Retrying in \d+ seconds?\.$/);
  await countdown.waitFor();
  expect(await page.locator('main .note:visible').count(), 'one note for all panels').toBe(1);
  expect(await page.locator('.banner [aria-hidden=true]').innerText()).toMatch(/^Retrying in/);
  await expectSoundLooks(page, 'the service is down', [320, 1280]);

  await pricesOn(page).select('Solana');
  await page.getByRole('heading', { name: 'Solana history' }).waitFor();
  await page.getByText('No data.', { exact: true }).waitFor();
  await expect.poll(statistics).toEqual([]);
  expect(await page.getByRole('slider').count()).toBe(0);

  await here.settled();
  await hide(page, true);
  const made = calls();
  await page.clock.fastForward(120_000);
  expect(calls(), 'hidden').toBe(made);

  await page.unroute('**/v1/**');
  await hide(page, false);
  await expect.poll(() => page.locator('.banner .note').count()).toBe(0);
  await expect.poll(() => page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/^\$/);
  await expect.poll(() => page.locator('.age.stale').count()).toBe(0);
  await expect.poll(statistics).not.toEqual([]);

  await here.settled();
  await page.route('**/v1/**', (route) => route.fulfill({ status: 429, contentType: 'text/html', body: 'busy' }));
  await refresh();
  await countdown.waitFor();
  const first = calls();
  // Two attempts, after 5 and 10 seconds.
  for (let second = 0; second < 18; second += 1) await page.clock.runFor(1000);
  await countdown.waitFor();
  const panels = 7;
  expect(calls() - first).toBeLessThanOrEqual(2 * panels);
  await hide(page, true);
  const hidden = calls();
  await page.clock.runFor(600_000);
  expect(calls()).toBe(hidden);
});

it('keeps its figures when the key is revoked, does not retry, and offers another key', async () => {
  const key = await opened.service.createUser({ limit: 100 });
  await openWhole(key);
  const { page } = here;
  // The usage is requested after the first responses.
  await expect.poll(left).toContain('97 left');
  const before = await figures();
  await fetch(`${opened.service.url}/v1/user`, { method: 'DELETE', headers: { 'x-api-key': key } });
  await refresh();
  await expect.poll(ages).toEqual(Array(4).fill(expect.stringContaining('ago: the key ')));
  const banner = page.locator('.banner');
  await banner.getByRole('link', { name: /^About api_key_\w+$/ }).waitFor();
  expect(await figures()).toEqual(before);
  const priced = () => here.requests.filter((url) => url.includes('/v1/prices/')).length;
  // Polled, because the first refresh may still be running.
  await expect
    .poll(async () => {
      const made = priced();
      await Promise.all([page.waitForResponse('**/v1/user/usage'), refresh()]);
      return priced() - made;
    })
    .toBe(0);
  const made = priced();
  await page.clock.fastForward(600_000);
  expect(priced()).toBe(made);
  await banner.getByRole('button', { name: 'Use another key' }).click();
  await page.getByLabel('API key', { exact: true }).waitFor();
});

it('refreshes automatically at the displayed cost, once it is turned on', async () => {
  const key = await opened.service.createUser({ limit: 40 });
  await openWhole(key);
  const { page } = here;
  const used = () => opened.service.used(key);
  const priced = () => here.requests.filter((url) => url.includes('/v1/prices/')).length;
  const { panel, autoRefresh, openCosts } = pricesOn(page);
  expect(await autoRefresh.inputValue()).toBe('off');
  await openCosts();
  await panel
    .getByText(/: Up to 36 calls per hour \(90% of your 40 calls\)\. A whole period would use [\d,]+%\.$/)
    .waitFor();
  const reserve = page.getByLabel('of the allowance is left');
  expect(await reserve.inputValue()).toBe('10');
  await autoRefresh.selectOption('on');
  expect([priced(), await used()]).toEqual([3, 3]);
  await page.clock.fastForward(300_000);
  await expect.poll(priced).toBe(6);
  await here.settled();
  expect(await used(), 'unchanged data is free').toBe(3);

  await hide(page, true);
  await page.clock.fastForward(3_600_000);
  expect(priced()).toBe(6);
  for (let i = 0; i < 34; i += 1) await opened.service.get('/v1/prices/latest/token?tokenName=bitcoin', { key });
  await hide(page, false);
  await page.getByText('Auto-refresh is off: less than 10% of the allowance is left.').waitFor();
  expect([await autoRefresh.inputValue(), priced()]).toEqual(['off', 9]);
  await reserve.selectOption('25');
  await page.reload();
  await here.settled();
  await openCosts();
  expect([await autoRefresh.inputValue(), await reserve.inputValue()]).toEqual(['off', '25']);
});
