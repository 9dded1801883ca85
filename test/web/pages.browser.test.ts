import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaintsOf, launchBrowser } from '../support/browser/browser.ts';
import { expectSoundLooks } from '../support/browser/looks.ts';
import { type Service, startService } from '../support/service/service.ts';

const WIDTHS = [320, 1440];

let service: Service;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  service = await startService({ settings: { BASE_PATH: '/market', MARKET_SOURCES: 'coingecko' } });
  browser = await launchBrowser();
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  await service?.close();
});

/** Makes the page refresh, as when the user returns to it. */
const returnToPage = () => page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

it('the pages for an unknown path and for a call without a key contain links', async () => {
  const lost = await page.goto(`${service.url}/v1/token`);
  expect([lost?.status(), await page.title()]).toEqual([404, 'Quotient: Not found']);
  await expectSoundLooks(page, 'unknown path', WIDTHS);
  await page.getByRole('link', { name: '/v1/tokens' }).click();
  await page.waitForURL('**/v1/tokens');
  expect(await page.innerText('body')).toContain('"tokenName":"bitcoin"');
  const rejected = await page.goto(`${service.url}/v1/user/usage`);
  expect(rejected?.status()).toBe(401);
  await expectSoundLooks(page, 'without a key', WIDTHS);
  await page.getByRole('link', { name: 'what api_key_missing means' }).click();
  await page.waitForURL('**/docs/problems#api_key_missing');
});

it('shows failures on the status page when the user returns to it, and that the service does not respond', async () => {
  const complaints = await complaintsOf(page, new URL(service.url).origin);
  await page.goto(`${service.url}/status`);
  const state = page.getByRole('status');
  expect(await state.innerText()).toContain('Serving');
  await expectSoundLooks(page, 'serving', WIDTHS);

  service.sandbox.faults.always({ kind: 'status', status: 500, body: {} });
  await service.get('/v1/prices/latest/token?tokenName=bitcoin', { key: await service.createUser() });
  await returnToPage();
  await page.getByRole('heading', { name: 'Warnings' }).waitFor();
  expect(await page.locator('#warnings').innerText()).toContain('CoinGecko returned an internal error.');
  expect(await state.innerText()).toContain('Serving, with limits');
  await expectSoundLooks(page, 'with limits', WIDTHS);
  expect(complaints).toEqual([]);

  const updatedAt = await page.locator('#looked-at').innerText();
  await page.route('**/status', (route) => route.abort());
  await returnToPage();
  await page.getByText('Unreachable').waitFor();
  await expectSoundLooks(page, 'unreachable', WIDTHS);
  expect(await page.locator('#looked-at').innerText()).toBe(updatedAt);
  await page.unroute('**/status');
  await returnToPage();
  await page.getByText('Serving, with limits').waitFor();
});
