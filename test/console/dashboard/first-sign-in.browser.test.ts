import { beforeEach, expect, it } from 'vitest';
import { useConsole, type Visit } from '../../support/browser/console.ts';

const opened = useConsole();
let here: Visit;
let key: string;
beforeEach(async () => {
  key = await opened.service.createUser({ limit: 1000 });
});

const text = (id: string) => here.page.locator(`#${id}`).innerText();
const spoken = () => here.page.getByRole('slider').getAttribute('aria-valuetext');
const used = () => opened.service.used(key);

/** The paths under /v1/prices/ that the page requested. */
const priced = () =>
  here.requests
    .filter((url) => url.includes('/v1/prices/'))
    .map((url) => new URL(url).pathname.replace('/v1/prices/', ''));

it('costs one call, and a reload costs at most one more', async () => {
  here = await opened.visit({ key });
  const { page } = here;
  expect(priced()).toEqual(['latest/tokens']);
  expect(await used()).toBe(1);
  await page.getByRole('link', { name: / 999 left$/ }).waitFor();
  expect(await text('cost')).toContain('Refresh costs 1 call: 1 for the prices');
  await page.reload();
  await here.settled();
  expect(priced()).toEqual(['latest/tokens', 'latest/tokens']);
  expect(await used(), 'unchanged prices are free').toBe(1);
});

it('shows the free sample until the chart is loaded', async () => {
  here = await opened.visit({ key });
  const { page } = here;
  await page.getByText('The chart shows the free sample.').waitFor();
  expect(await spoken()).toMatch(/^\$.* in 30 days\./);
  await page.getByRole('group', { name: 'Metric' }).getByRole('button', { name: 'Market cap' }).click();
  await expect.poll(spoken).toMatch(/^\$[\d.]+[BT],/);
  expect(await used()).toBe(1);

  await page.getByRole('button', { name: 'Load chart: 1 call' }).click();
  await page.getByRole('button', { name: 'Load chart' }).waitFor({ state: 'hidden' });
  await here.settled();
  expect(priced()).toEqual(['latest/tokens', 'history/days']);
  expect(await text('cost')).toContain('Refresh costs 2 calls');
});

it('loads the statistics on request, and then for each selected token', async () => {
  here = await opened.visit({ key });
  const { page } = here;
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
  here = await opened.visit({ key });
  const { page } = here;
  await page.getByLabel('Currency').selectOption('eur');
  await here.settled();
  await page.getByRole('button', { name: 'Load chart: 1 call' }).waitFor();
  expect(await page.getByRole('slider').count()).toBe(0);
  expect(priced()).toEqual(['latest/tokens', 'latest/tokens']);
  await page.getByRole('button', { name: '7D' }).click();
  await here.settled();
  expect(await page.getByRole('button', { name: 'Load chart' }).isVisible()).toBe(false);
  expect(await spoken()).toMatch(/^€/);
});

it('loads the chart that a link names, but no statistics', async () => {
  here = await opened.visit({ key, path: '/?token=solana&range=7d' });
  expect(priced().sort()).toEqual(['history/days', 'latest/tokens']);
  expect(await here.page.locator('#statistics-offer').isVisible()).toBe(true);
});

it('loads only the prices again for another user of the same tab', async () => {
  here = await opened.visit({ key });
  await here.loadWhole();
  const { page } = here;
  await page.getByRole('link', { name: / left$/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  const before = priced().length;
  await here.open(await opened.service.createUser());
  expect(priced().slice(before)).toEqual(['latest/tokens']);
});
