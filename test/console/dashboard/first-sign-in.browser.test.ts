import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestConsole, type TestConsole, type Visit, visit } from '../../support/browser/console.ts';
import type { Service } from '../../support/service/service.ts';

let opened: TestConsole;
let browser: Browser;
let service: Service;
let here: Visit;
let key: string;
beforeAll(async () => {
  opened = await openTestConsole();
  ({ browser, service } = opened);
});
afterAll(() => opened?.close());
beforeEach(async () => {
  here = await visit(browser, service.url);
  key = await service.createUser({ limit: 1000 });
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const text = (id: string) => here.page.locator(`#${id}`).innerText();
const used = async () => {
  const response = await service.get('/v1/user/usage', { key });
  return ((await response.json()) as { used: number }).used;
};

/** The paths under /v1/prices/ that the page requested. */
const priced = () =>
  here.requests
    .filter((url) => url.includes('/v1/prices/'))
    .map((url) => new URL(url).pathname.replace('/v1/prices/', ''));

it('costs one call, and a reload costs at most one more', async () => {
  await here.open(key);
  expect(priced()).toEqual(['latest/tokens']);
  expect(await used()).toBe(1);
  await expect.poll(() => text('session-calls')).toBe('1 call since you opened this page');
  expect(await text('cost')).toContain('Refresh costs 1 call: 1 for the prices');
  await here.page.reload();
  await here.settled();
  expect(priced()).toEqual(['latest/tokens', 'latest/tokens']);
  expect(await used(), 'unchanged prices are free').toBe(1);
});

it('shows the free sample until the chart is loaded', async () => {
  const { page } = here;
  await here.open(key);
  expect(await text('chart-offer')).toContain('free sample');
  expect(await text('readout-value')).toMatch(/^\$/);
  expect(await text('readout-note')).toMatch(/ in 30 days$/);
  await page.locator('#metrics').getByRole('button', { name: 'Market cap' }).click();
  await expect.poll(() => text('readout-value')).toMatch(/^\$[\d.]+[BT]$/);
  expect(await used()).toBe(1);

  await page.getByRole('button', { name: 'Load chart: 1 call' }).click();
  await page.locator('#chart-offer').waitFor({ state: 'hidden' });
  await here.settled();
  expect(priced()).toEqual(['latest/tokens', 'history/days']);
  expect(await text('cost')).toContain('Refresh costs 2 calls');
});

it('loads the statistics on request, and then for each selected token', async () => {
  const { page } = here;
  await here.open(key);
  expect(await page.locator('#statistics-list').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Load statistics: 1 call' }).click();
  await here.settled();
  expect(await text('statistics-list')).toMatch(/Block height\s+[\d,]+/);
  expect(await page.locator('#statistics-offer').isVisible()).toBe(false);
  expect(priced()).toEqual(['latest/tokens', 'latest/stats']);
  await page.getByRole('button', { name: 'Solana' }).click();
  await here.settled();
  expect(here.requests.filter((url) => url.endsWith('token=sol'))).toHaveLength(1);
});

it('offers to load a chart without a free sample', async () => {
  const { page } = here;
  await here.open(key);
  await page.getByLabel('Currency').selectOption('eur');
  await here.settled();
  expect(await text('chart-offer')).toContain('1 call');
  expect((await text('readout-value')).trim()).toBe('');
  expect(priced()).toEqual(['latest/tokens', 'latest/tokens']);
  await page.getByRole('button', { name: '7D' }).click();
  await here.settled();
  expect(await page.locator('#chart-offer').isVisible()).toBe(false);
  expect(await text('readout-value')).toMatch(/^€/);
});

it('loads the chart that a link names, but no statistics', async () => {
  await here.page.goto(`${service.url}/?token=solana&range=7d`);
  await here.open(key);
  expect(priced().sort()).toEqual(['history/days', 'latest/tokens']);
  expect(await here.page.locator('#statistics-offer').isVisible()).toBe(true);
});

it('loads only the prices again for another user of the same tab', async () => {
  const { page } = here;
  await here.openWhole(key);
  await page.locator('#account-button').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const before = priced().length;
  await here.open(await service.createUser());
  expect(priced().slice(before)).toEqual(['latest/tokens']);
});
