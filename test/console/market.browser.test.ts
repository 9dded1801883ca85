import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { BUILT_IN_NAMES } from '#domain/market/token';
import { openTestConsole, type TestConsole, type Visit, visit } from '../support/browser/console.ts';
import type { Service } from '../support/service/service.ts';

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
  key = await service.enrol({ limit: 1000 });
  await here.open(key);
});
afterEach(async () => {
  expect(here.complaints).toEqual([]);
  await here.close();
});

const asked = (part: string) =>
  here.requests.filter((url) => url.includes(part)).map((url) => url.slice(service.url.length));
const text = (id: string) => here.page.locator(`#${id}`).innerText();
const dollars = (written: string) => Number(written.replace(/[$,]/g, ''));
const used = async () => {
  const answer = await service.get('/v1/user/usage', { key });
  return ((await answer.json()) as { used: number }).used;
};

it('shows the prices of all tokens, their change, and what that cost', async () => {
  const { page } = here;
  const rows = page.locator('#prices-body tr');
  expect(await rows.count()).toBe(BUILT_IN_NAMES.length);
  const hours = asked('/history/days?').filter((path) => path.endsWith('days=2'));
  const different = (urls: readonly string[]) => new Set(urls).size;
  expect(different(asked('/latest/token'))).toBe(BUILT_IN_NAMES.length);
  expect(different(hours)).toBe(BUILT_IN_NAMES.length);

  // Two for each row of the table, the chart, the statistics; the client may have had to repeat one. What the page says
  // they cost is what was charged.
  expect(different(here.charged.map((one) => one.url()))).toBe(2 * BUILT_IN_NAMES.length + 2);
  await expect
    .poll(() => text('session-calls'))
    .toBe(`${here.charged.length} calls since you opened this page`);
  expect(await used()).toBe(here.charged.length);

  const cells = rows.first().locator('td');
  const answer = here.charged.find((one) => one.url().endsWith('/latest/token?tokenName=bitcoin'));
  const price = (await answer?.json()) as { current_price: number } | undefined;
  expect(dollars(await cells.nth(0).innerText())).toBeCloseTo(price?.current_price ?? 0, 1);
  expect(await cells.nth(1).innerText()).toMatch(/^[+−]?\d+\.\d\d%$/);
  await expect.poll(() => rows.locator('svg').count()).toBe(BUILT_IN_NAMES.length);
  expect(await text('prices-age')).toMatch(/^As of \d\d:\d\d$/);
});

it('changes token and span, and another figure or a look back costs nothing', async () => {
  const { page } = here;
  await page.getByRole('button', { name: 'Ethereum' }).click();
  await here.settled();
  expect(asked('tokenName=ethereum&days=30')).toHaveLength(1);
  expect(asked('/latest/stats?token=eth')).toHaveLength(1);
  await page.getByRole('heading', { name: 'Ethereum market data' }).waitFor();

  for (const [label, days] of [
    ['1D', 1],
    ['7D', 7],
    ['90D', 90],
    ['1Y', 365],
    ['All', 36_500],
  ] as const) {
    await page.getByRole('button', { name: label, exact: true }).click();
    await here.settled();
    expect(asked(`tokenName=ethereum&days=${days}`).length, label).toBe(1);
    expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /^\$[\d,.]+, .* points, lowest \$/,
    );
  }
  const before = here.requests.length;
  const spent = await used();
  await page.getByRole('button', { name: 'Market cap' }).click();
  await expect.poll(() => text('readout-value')).toMatch(/^\$[\d.]+[BT]$/);
  await page.getByRole('button', { name: 'Volume', exact: true }).click();
  await expect.poll(() => text('readout-note')).toMatch(/^on /);
  await page.getByRole('button', { name: '7D' }).click();
  await here.settled();
  const since = here.requests.slice(before).filter((url) => url.includes('/v1/prices'));
  expect([since, await used()]).toEqual([[], spent]);
});

it('has no statistics where there are none', async () => {
  await here.page.getByRole('button', { name: 'USD Coin' }).click();
  await here.settled();
  expect(await text('statistics-note')).toContain('there are no on-chain statistics');
  expect(asked('token=usdc')).toEqual([]);
  expect(await here.page.getByRole('button', { name: 'Statistics' }).isVisible()).toBe(false);
});

it('shows two dates, and says what cannot be had', async () => {
  const { page } = here;
  await page.getByRole('button', { name: 'Custom' }).click();
  const [from, thru] = ['2020-01-01', '2020-02-01'];
  await page.getByLabel('From').fill('2013-05-01');
  await page.getByLabel('To', { exact: true }).fill(new Date().toISOString().slice(0, 10));
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await here.settled();
  expect(asked('fromDate=2013-05-01')).toHaveLength(1);
  await page.getByText('the source does not go back that far').waitFor();

  await page.getByLabel('From').fill(String(thru));
  await page.getByLabel('To', { exact: true }).fill(String(from));
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.locator('#chart-problem').getByText('a fromDate that is not after thruDate').waitFor();
  expect(await text('chart-state')).toBe('No data.');
});

it('moves the meter with the calls', async () => {
  const { page } = here;
  const left = async () => Number((await text('left')).replace(',', ''));
  await expect.poll(left).toBe(1000 - here.charged.length);
  expect(await page.locator('#meter').evaluate((meter) => Reflect.get(meter, 'value'))).toBe(await left());
  const before = here.charged.length;
  await page.getByRole('button', { name: 'Solana' }).click();
  await here.settled();
  expect(here.charged.length).toBeGreaterThan(before);
  await expect.poll(left).toBe(1000 - here.charged.length);
  await expect.poll(() => text('daily-to')).toBe(`Today: ${here.charged.length}`);
  expect(await page.locator('#account-name').innerText()).toBe(`${await left()} left`);
});

it('is read with the arrow keys, and as a table', async () => {
  const { page } = here;
  const slider = page.getByRole('slider');
  const now = () => slider.getAttribute('aria-valuenow');
  await slider.focus();
  await page.keyboard.press('Home');
  expect(await now()).toBe('0');
  const first = await text('readout-value');
  await page.keyboard.press('ArrowRight');
  expect(await now()).toBe('1');
  expect(await text('readout-value')).not.toBe(first);
  await page.keyboard.press('End');
  const last = await slider.getAttribute('aria-valuemax');
  expect(await now()).toBe(last);

  await page.getByText('Show as a table').click();
  const rows = page.locator('#points-body tr');
  await expect.poll(() => rows.count()).toBe(Number(last) + 1);
  expect(await rows.last().locator('td').last().innerText()).toBe(first);
});

it('saves what is shown as the service would write it', async () => {
  const { page } = here;
  const spent = await used();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('bitcoin-30d.csv');
  expect(await used()).toBe(spent);
  const saved = await readFile(await download.path(), 'utf8');
  const headers = { accept: 'text/csv' };
  const own = await (
    await service.get('/v1/prices/history/days?tokenName=bitcoin&days=30', { key, headers })
  ).text();
  // JSON tells times to the second, and the latest sample may have moved on since.
  const daily = (csv: string) => csv.split('\r\n').filter((line) => /T00:00:00|^date/.test(line));
  expect(daily(saved)).toEqual(daily(own));
  // Some midnights are not published yet in the first minutes of a day.
  expect(daily(saved).length).toBeGreaterThan(28);
  expect(saved.endsWith('\r\n')).toBe(true);
});

it('shows the very calls that it made', async () => {
  const { page } = here;
  const shown = () => text('snippet');
  const calls = page.locator('#snippets');
  const url = async () => /'(http[^']+)'$/.exec(await shown())?.[1] ?? '';
  expect(await shown()).not.toContain(key);
  expect(here.requests).toContain(await url());
  for (const name of ['Price', 'Last 48 hours', 'Statistics', 'Allowance']) {
    await calls.getByRole('button', { name, exact: true }).click();
    expect(here.requests, name).toContain(await url());
  }
  await calls.getByRole('button', { name: 'Chart' }).click();
  await calls.getByRole('button', { name: 'Client' }).click();
  expect(await shown()).toContain("client.priceHistory('bitcoin', { days: 30 })");
  await calls.getByRole('button', { name: 'curl, as CSV' }).click();
  await page.getByLabel('Show key').check();
  expect(await shown()).toContain(`X-API-KEY: ${key}`);
  expect(await shown()).toContain('Accept: text/csv');
});
